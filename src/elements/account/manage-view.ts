import type { LinkedDevice } from '../../protocol/player-messages.js';
import { agoText, ownText } from '../format.js';
import { ask, button, errorLine, methodName, named, note, question, row } from '../parts.js';
import { type Child, h, type View } from '../render.js';
import type { AccountHost, KnownMethod } from './account-host.js';
import { codeView, form } from './forms.js';

/** What the player can do with the account: each in a part that opens. */
export function manageView(host: AccountHost, hasName: boolean): View {
  const { words, known } = host;
  const isGuest = known.methods.every(({ method }) => method === 'device');
  return h(
    'div',
    // Of another account all parts are closed at first.
    { part: 'manage', key: known.userId },
    isGuest ? null : fold(host, 'methods', words.methods, [methodList(host)], () => host.refresh()),
    fold(host, 'devices', words.devices, [deviceList(host)], () => host.readDevices()),
    fold(host, 'recovery', words.methodNames.recovery, recovery(host)),
    hasName ? fold(host, 'change', words.changePassword, [passwordForm(host)]) : null,
    fold(host, 'delete', words.deleteAccount, deletion(host)),
  );
}

function fold(
  host: AccountHost,
  part: string,
  title: string,
  content: readonly Child[],
  opened?: () => Promise<void>,
): View {
  const toggled = (event: Event): void => {
    if ((event.target as HTMLDetailsElement).open) void opened?.();
  };
  return h(
    'details',
    { part: `fold fold-${part}`, ontoggle: toggled },
    h('summary', { part: 'summary' }, title),
    // A form tells its failures itself.
    h('div', { class: 'stack' }, ...content, part === 'change' ? null : errorLine(host, part), again(host, part)),
  );
}

/** Asks for the password once more, where a deed of this part waits for it. */
function again(host: AccountHost, part: string): Child {
  const { words, waiting } = host;
  if (waiting?.at !== part) return null;
  return form(host, 'again', {
    note: words.passwordAgain,
    fields: [{ name: 'password', label: words.password, autocomplete: 'current-password' }],
    submit: words.goOn,
    send: ({ password = '' }) => host.showAgain(password),
  });
}

interface WayIn {
  readonly key: string;
  /** What the button is called that takes it away, and what it says. */
  readonly part: string;
  readonly label: string;
  readonly name: string;
  readonly question: string;
  readonly linkedAt?: number | undefined;
  readonly lastUsedAt?: number | undefined;
  takeAway(): Promise<void>;
}

function wayIn(host: AccountHost, { key, part, label, name, linkedAt, lastUsedAt, ...way }: WayIn): View {
  const { words } = host;
  const deed = `${part}:${key}`;
  const ago = (at: number): string => agoText(words.language, at, host.shownClient?.serverTime() ?? at);
  const used = lastUsedAt === undefined ? '' : `, ${words.usedAt(ago(lastUsedAt))}`;
  // Without a network this device knows no more than its kind.
  const times = linkedAt === undefined ? '' : words.linkedAt(ago(linkedAt)) + used;
  return h(
    'li',
    { key, part: 'item' },
    named(name, times),
    button(host, part, label, () => ask(host, deed), '', `${label}: ${name}, ${times}`),
    question(host, deed, way.question, label, () => way.takeAway()),
  );
}

function methodList(host: AccountHost): View {
  const { words, known } = host;
  const item = ({ method, label, ...times }: KnownMethod): View => {
    const kind = methodName(words, method);
    const name = label === undefined ? kind : `${kind}: ${ownText(label)}`;
    return wayIn(host, {
      ...times,
      key: method,
      part: 'unlink',
      label: words.unlink,
      name,
      question: words.unlinkAsk(name),
      takeAway: () =>
        host.attempt(
          'methods',
          ({ account }) => account.unlink(method),
          (methods) => host.learn({ methods }),
        ),
    });
  };
  // Devices have a list of their own.
  return h('ul', { part: 'list' }, known.methods.filter(({ method }) => method !== 'device').map(item));
}

function deviceList(host: AccountHost): View {
  const { words, known } = host;
  if (known.devices === null) return note(words.loading);
  const item = ({ id, isCurrent, ...times }: LinkedDevice): View =>
    wayIn(host, {
      ...times,
      key: id,
      part: 'revoke',
      label: words.revoke,
      name: isCurrent ? words.thisDevice : words.methodNames.device,
      question: words.revokeAsk,
      takeAway: () =>
        host.attempt(
          'devices',
          ({ account }) => account.revokeDevice(id).then(() => account.devices()),
          (devices) => host.learn({ devices }),
        ),
    });
  return h('ul', { part: 'list' }, known.devices.map(item));
}

function recovery(host: AccountHost): Child[] {
  const { words, known } = host;
  const { code } = known;
  const make = (): Promise<void> =>
    host.attempt(
      'recovery',
      ({ account }) => account.recoveryCode(),
      (made) => host.learn({ code: made }),
    );
  return [note(words.makeCodeNote), ...codeView(host, code, button(host, 'make-code', words.makeCode, make))];
}

function passwordForm(host: AccountHost): View {
  const { words } = host;
  return form(host, 'change', {
    fields: [
      { name: 'before', label: words.oldPassword, autocomplete: 'current-password' },
      { name: 'after', label: words.newPassword, autocomplete: 'new-password' },
    ],
    submit: words.change,
    send: ({ before = '', after = '' }) =>
      host.attempt(
        'change',
        ({ account }) => account.changePassword(before, after).then(() => true),
        () => words.passwordSet,
      ),
  });
}

function deletion(host: AccountHost): Child[] {
  const { words } = host;
  const carryOut = (): Promise<void> =>
    host.attempt(
      'delete',
      ({ account }) => account.delete(),
      (deletion) => {
        host.deletion = deletion;
        return undefined;
      },
    );
  return [
    note(words.deleteNote),
    row(button(host, 'delete', words.deleteAccount, () => ask(host, 'delete'), 'danger')),
    question(host, 'delete', words.deleteAsk, words.deleteAccount, carryOut),
  ];
}
