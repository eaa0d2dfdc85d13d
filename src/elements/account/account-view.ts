import { dateText } from '../format.js';
import { html, type Template } from '../html.js';
import { button, errorLine, field, form, type Shown, saidLine } from '../parts.js';
import type { AccountHost } from './account-host.js';
import { manageView } from './manage-view.js';

/** Who plays, and below it the form that is open, or what the player can do. */
export function accountView(host: AccountHost): Template {
  const { words, shownClient: client } = host;
  const state = client?.auth.state ?? 'starting';
  const isHere = client !== null && client.auth.userId !== null;
  return html`${card(host, isHere)} ${saidLine(host)} ${deletionView(host)}
    ${isHere || state === 'signedOut' ? (pages[host.page] ?? main)(host, isHere) : null} ${errorLine(host, 'account')}
    ${host.page === '' ? null : html`<div class="row">${button(host, 'back', words.back, () => host.open(''))}</div>`}`;
}

function card({ words, shownClient: client, known }: AccountHost, isHere: boolean): Template {
  const isOut = client?.auth.state === 'signedOut';
  const others =
    known.methods ??
    client
      ?.watchAccount()
      .getSnapshot()
      .methods.map((method) => ({ method, label: '' }));
  const shown = others?.find(({ method }) => method === 'name') ?? others?.find(({ method }) => !isBare(method));
  const isGuest = shown === undefined;
  const who = isOut
    ? words.signedOut
    : !isHere
      ? words.signingIn
      : isGuest
        ? words.guest
        : shown.label || words.account;
  const isForgotten = isHere && isGuest && client?.storage.kind === 'memory';
  return html`<div class="card" part="card">
    <span part="badge" class="badge" data-linked=${isHere && !isGuest} aria-hidden="true">
      ${isHere ? [...who].slice(0, 1).join('').toUpperCase() : '–'}
    </span>
    <div>
      <h2 part="who" class="who" tabindex="-1">${who}</h2>
      ${isHere ? html`<p part="note" class="note">${isGuest ? words.onThisDevice : words.onAnyDevice}</p>` : null}
      ${isForgotten ? html`<p class="error">${words.keepsNothing}</p>` : null}
    </div>
  </div>`;
}

/** A device is no way that a player could be shown as, and a recovery code is for an emergency. */
function isBare(method: string): boolean {
  return method === 'device' || method === 'recovery';
}

function main(host: AccountHost, isHere: boolean): Template {
  const { words, shownClient: client, known } = host;
  const methods = known.methods?.map(({ method }) => method) ?? client?.watchAccount().getSnapshot().methods ?? [];
  const hasName = methods.includes('name');
  const first = isHere
    ? hasName
      ? null
      : nameForm(host, 'link', words.linkTitle, words.linkNote, words.link, 'new-password')
    : nameForm(host, 'sign-in', words.signInTitle, words.signInNote, words.signIn, 'current-password');
  return html`${first} ${hasName && isHere ? null : html`<slot name="sign-in"></slot>`}
    <div class="row" part="actions">
      ${isHere ? null : button(host, 'guest', words.playAsGuest, () => void host.playAsGuest())}
      ${hasName && isHere ? button(host, 'switch', words.switchAccount, () => host.open('switch')) : null}
      ${isHere ? button(host, 'sign-out', words.signOut, () => void host.signOut()) : null}
      ${hasName && isHere ? null : button(host, 'use-code', words.useCode, () => host.open('code'), 'link')}
      ${hasName && isHere ? null : button(host, 'forgot', words.forgot, () => host.open('forgot'), 'link')}
    </div>
    ${isHere ? manageView(host, hasName) : null}`;
}

function nameForm(
  host: AccountHost,
  at: 'link' | 'sign-in' | 'switch',
  title: string,
  note: string,
  submit: string,
  autocomplete: 'new-password' | 'current-password',
): Template {
  const { words } = host;
  // Signed out, the same form takes a deletion back.
  const isRestoring = host.isRestoring(at);
  const send = ({ name = '', password = '' }: { readonly [field: string]: string }): Promise<void> =>
    at === 'switch' || isRestoring
      ? host.switchTo(at, { method: 'name', username: name, password })
      : host.withName(at, name, password);
  return form(
    host,
    at,
    send,
    html`<h3 part="title">${title}</h3>
      <p part="note" class="note">${note}</p>
      <div class="fields">
        ${field(host, at, 'name', words.name, 'username')} ${field(host, at, 'password', words.password, autocomplete)}
      </div>
      <div class="row">${button(host, 'submit', isRestoring ? words.takeBack : submit, null, 'primary')}</div>`,
  );
}

/** The forms that take the place of what is usually shown. */
const pages: { readonly [page: string]: (host: AccountHost) => Template } = {
  switch: (host) => {
    const { words } = host;
    return html`${nameForm(host, 'switch', words.switchAccount, words.switchNote, words.signIn, 'current-password')}
      <div class="row">
        ${button(host, 'use-code', words.useCode, () => host.open('code'), 'link')}
        ${button(host, 'forgot', words.forgot, () => host.open('forgot'), 'link')}
      </div>`;
  },
  forgot: (host) => {
    const { words } = host;
    return form(
      host,
      'forgot',
      ({ name = '' }) => host.requestReset(name),
      html`<h3 part="title">${words.forgot}</h3>
        <p class="note">${words.forgotNote}</p>
        ${field(host, 'forgot', 'name', words.name, 'username', host.typedName)}
        <div class="row">${button(host, 'submit', words.sendCode, null, 'primary')}</div>`,
    );
  },
  reset: (host) => {
    const { words } = host;
    return form(
      host,
      'reset',
      ({ name = '', code = '', password = '' }) => host.setPassword(name, code, password),
      html`<h3 part="title">${words.setPassword}</h3>
        ${field(host, 'reset', 'name', words.name, 'username', host.typedName)}
        ${field(host, 'reset', 'code', words.code, 'one-time-code')}
        ${field(host, 'reset', 'password', words.newPassword, 'new-password')}
        <div class="row">${button(host, 'submit', words.setPassword, null, 'primary')}</div>`,
    );
  },
  code: (host) => {
    const { words } = host;
    return form(
      host,
      'code',
      ({ code = '' }) => host.switchTo('code', { method: 'recovery', code }),
      html`<h3 part="title">${words.useCode}</h3>
        <p class="note">${words.useCodeNote}</p>
        ${field(host, 'code', 'code', words.recoveryCode, 'off')}
        <div class="row">
          ${button(host, 'submit', host.isRestoring('code') ? words.takeBack : words.signIn, null, 'primary')}
        </div>`,
    );
  },
};

/** The account that was deleted here, and its way back. */
function deletionView(host: AccountHost): Shown {
  const { words, deletion } = host;
  if (deletion === null) return null;
  const { recoveryCode } = deletion;
  return html`<div part="deletion" class="stack">
    <p>${words.deleted(dateText(words.language, deletion.removedAt))}</p>
    <p class="note">${words.deletedCode}</p>
    <code part="code">${recoveryCode}</code>
    <div class="row">
      ${button(host, 'copy', words.copy, () => void host.copy(recoveryCode))}
      ${button(host, 'take-back', words.takeBack, () => void host.takeBack(), 'primary')}
    </div>
    ${errorLine(host, 'deletion')}
  </div>`;
}
