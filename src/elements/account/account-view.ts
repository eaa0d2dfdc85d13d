import type { Credential } from '../../client/auth/credentials.js';
import { errorText } from '../error-text.js';
import { dateText, ownText } from '../format.js';
import { button, errorLine, note, row, saidLine } from '../parts.js';
import { type Child, h, type View } from '../render.js';
import type { AccountHost } from './account-host.js';
import { codeView, form } from './forms.js';
import { manageView } from './manage-view.js';

/** Who plays, and below it the form that is open, or what the player can do. */
export function accountView(host: AccountHost): View {
  const { words, shownClient: client, page } = host;
  const { userId = null, isStarting = true, error = null } = client?.watchAccount().getSnapshot() ?? {};
  const isHere = userId !== null;
  // Nobody is, nor is about to be: the player has signed out, the start has failed, or the game signs nobody in.
  const isOut = !isHere && !isStarting;
  return h(
    'section',
    { part: 'account', 'aria-busy': host.busy },
    card(host, isHere, isOut),
    saidLine(host),
    deletionView(host),
    isHere || isOut
      ? h('div', { class: 'stack', key: page }, ...(page === '' ? main(host, isHere) : formPage(host, page)))
      : null,
    errorLine(host, 'account', error === null ? '' : errorText(words, error)),
    page === '' ? null : row(button(host, 'back', words.back, () => host.open(''))),
  );
}

function card({ words, shownClient: client, known }: AccountHost, isHere: boolean, isOut: boolean): View {
  const { methods } = known;
  const shown = methods.find(({ method }) => method === 'name') ?? methods.find(({ method }) => !isBare(method));
  const present = shown === undefined ? words.guest : ownText(shown.label) || words.account;
  const who = isOut ? words.signedOut : isHere ? present : words.signingIn;
  const isForgotten = isHere && shown === undefined && client?.storage.kind === 'memory';
  return h(
    'div',
    { part: 'card' },
    h(
      'span',
      { part: isHere && shown !== undefined ? 'badge primary' : 'badge', 'aria-hidden': true },
      isHere ? ([...who][0]?.toUpperCase() ?? '') : '–',
    ),
    h(
      'div',
      null,
      h('h2', { part: 'who', tabindex: -1 }, who),
      isHere ? note(shown === undefined ? words.onThisDevice : words.onAnyDevice) : null,
      isForgotten ? h('p', { part: 'error' }, words.keepsNothing) : null,
    ),
  );
}

/** A device is no way that a player could be shown as, and a recovery code is for an emergency. */
function isBare(method: string): boolean {
  return method === 'device' || method === 'recovery';
}

function main(host: AccountHost, isHere: boolean): Child[] {
  const { words, known } = host;
  const hasName = isHere && known.methods.some(({ method }) => method === 'name');
  return [
    hasName ? null : nameForm(host, isHere ? 'link' : 'sign-in'),
    hasName ? null : h('slot', { name: 'sign-in' }),
    h(
      'div',
      { class: 'row', part: 'actions' },
      isHere
        ? null
        : button(host, 'guest', words.playAsGuest, () => host.enter('account', ({ auth }) => auth.asGuest())),
      hasName ? button(host, 'switch', words.switchAccount, () => host.open('switch')) : null,
      isHere ? button(host, 'sign-out', words.signOut, () => signOut(host)) : null,
      ...(hasName ? [null, null] : otherWays(host)),
    ),
    isHere ? manageView(host, hasName) : null,
  ];
}

function signOut(host: AccountHost): Promise<void> {
  return host.attempt(
    'account',
    ({ auth }) => auth.signOut(),
    ({ unsent }) => (unsent > 0 ? host.words.keptForLater(unsent) : ''),
  );
}

function otherWays(host: AccountHost): View[] {
  const { words } = host;
  return [
    button(host, 'use-code', words.useCode, () => host.open('code'), 'link'),
    button(host, 'forgot', words.forgot, () => host.open('forgot'), 'link'),
  ];
}

function nameForm(host: AccountHost, at: 'link' | 'sign-in' | 'switch'): View {
  const { words } = host;
  const [title, note, submit] = {
    link: [words.linkTitle, words.linkNote, words.link] as const,
    'sign-in': [words.signInTitle, words.signInNote, words.signIn] as const,
    switch: [words.switchAccount, words.switchNote, words.signIn] as const,
  }[at];
  // Signed out, the same form takes a deletion back.
  const isRestoring = host.isRestoring(at);
  return form(host, at, {
    title,
    note,
    fields: [
      { name: 'name', label: words.name, autocomplete: 'username' },
      {
        name: 'password',
        label: words.password,
        autocomplete: at === 'link' ? 'new-password' : 'current-password',
      },
    ],
    submit: isRestoring ? words.takeBack : submit,
    send: ({ name: username = '', password = '' }) =>
      at === 'switch' || isRestoring
        ? switchTo(host, at, { method: 'name', username, password })
        : host.enter(at, ({ auth }) => auth.withName(username, password)),
  });
}

function switchTo(
  host: AccountHost,
  at: string,
  credential: Credential,
  restore = host.isRestoring(at),
): Promise<void> {
  return host.enter(at, ({ auth }) => auth.switchTo(credential, { restore }));
}

/** A form that takes the place of what is usually shown. */
function formPage(host: AccountHost, page: 'switch' | 'forgot' | 'reset' | 'code'): Child[] {
  const { words } = host;
  if (page === 'switch') return [nameForm(host, page), row(...otherWays(host))];
  if (page !== 'code') return [resetForm(host, page)];
  return [
    form(host, page, {
      title: words.useCode,
      note: words.useCodeNote,
      fields: [{ name: 'code', label: words.methodNames.recovery, autocomplete: 'off' }],
      submit: host.isRestoring(page) ? words.takeBack : words.signIn,
      send: ({ code = '' }) => switchTo(host, page, { method: 'recovery', code }),
    }),
  ];
}

/** Asks for a code, and when that is on its way takes it with a new password. */
function resetForm(host: AccountHost, page: 'forgot' | 'reset'): View {
  const { words } = host;
  const isSent = page === 'reset';
  const name = { name: 'name', label: words.name, autocomplete: 'username', value: host.typedName } as const;
  const more = [
    { name: 'code', label: words.code, autocomplete: 'one-time-code' },
    { name: 'password', label: words.newPassword, autocomplete: 'new-password' },
  ] as const;
  return form(host, page, {
    title: words.forgot,
    note: isSent ? undefined : words.forgotNote,
    fields: isSent ? [name, ...more] : [name],
    submit: isSent ? words.setPassword : words.sendCode,
    send: ({ name: username = '', code = '', password = '' }) =>
      host.attempt(
        page,
        ({ auth }) => (isSent ? auth.reset(username, code, password) : auth.requestReset(username)),
        () => {
          host.open(isSent ? '' : 'reset');
          return isSent ? words.passwordSet : words.codeSent;
        },
      ),
  });
}

/** The account that was deleted here, and its way back. */
function deletionView(host: AccountHost): Child {
  const { words, deletion } = host;
  if (deletion === null) return null;
  const { recoveryCode: code, removedAt } = deletion;
  const takeBack = (): Promise<void> =>
    host.enter(
      'deletion',
      ({ auth }) => auth.switchTo({ method: 'recovery', code }, { restore: true }),
      words.takenBack,
    );
  return h(
    'div',
    { part: 'deletion', class: 'stack' },
    h('p', null, words.deleted(dateText(words.language, removedAt))),
    note(words.deletedCode),
    ...codeView(host, code, button(host, 'take-back', words.takeBack, takeBack, 'primary')),
    errorLine(host, 'deletion'),
  );
}
