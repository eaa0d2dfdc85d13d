import type { AccountMethod } from '../../client/account.js';
import type { LinkedDevice } from '../../protocol/player-messages.js';
import { agoText } from '../format.js';
import { html, type Template } from '../html.js';
import { ask, button, errorLine, field, form, methodName, question, type Shown } from '../parts.js';
import type { AccountHost } from './account-host.js';

/** What the player can do with the account: each in a part that opens. */
export function manageView(host: AccountHost, hasName: boolean): Template {
  const { words, known } = host;
  const isGuest = known.methods === null || known.methods.every(({ method }) => method === 'device');
  return html`<div part="manage">
    ${isGuest ? null : fold(host, 'methods', words.methods, methodList(host), () => host.refresh())}
    ${fold(host, 'devices', words.devices, deviceList(host), () => host.readDevices())}
    ${fold(host, 'recovery', words.recoveryCode, recovery(host))}
    ${hasName ? fold(host, 'change', words.changePassword, passwordForm(host)) : null}
    ${fold(host, 'delete', words.deleteTitle, deletion(host))}
  </div>`;
}

function fold(host: AccountHost, part: string, title: string, content: Shown, opened?: () => unknown): Template {
  const toggled = (event: Event): void => {
    if ((event.target as HTMLDetailsElement).open) opened?.();
  };
  return html`<details part="fold fold-${part}" @toggle=${toggled}>
    <summary part="summary">${title}</summary>
    <div>${content} ${part === 'change' ? null : errorLine(host, part)} ${again(host, part)}</div>
  </details>`;
}

/** Asks for the password once more, where a deed of this part waits for it. */
function again(host: AccountHost, part: string): Shown {
  const { words, waiting } = host;
  if (waiting?.at !== part) return null;
  return form(
    host,
    'again',
    ({ password = '' }) => host.showAgain(password),
    html`<p>${words.passwordAgain}</p>
      ${field(host, 'again', 'password', words.password, 'current-password')}
      <div class="row">${button(host, 'submit', words.goOn, null, 'primary')}</div>`,
  );
}

function times(host: AccountHost, { linkedAt, lastUsedAt }: { linkedAt: number; lastUsedAt?: number | undefined }) {
  const { words } = host;
  const ago = (at: number): string => agoText(words.language, at, host.shownClient?.serverTime() ?? at);
  const used = lastUsedAt === undefined ? '' : `, ${words.usedAt(ago(lastUsedAt))}`;
  return `${words.linkedAt(ago(linkedAt))}${used}`;
}

function methodList(host: AccountHost): Shown {
  const { words, known } = host;
  if (known.methods === null) return html`<p class="note">${words.loading}</p>`;
  const row = (method: AccountMethod): Template => {
    const kind = methodName(words, method.method);
    const what = method.label === undefined ? kind : `${kind}: ${method.label}`;
    const deed = `unlink:${method.method}`;
    return html`<li part="item">
      <div><strong>${what}</strong><span class="note">${times(host, method)}</span></div>
      ${button(host, 'unlink', words.unlink, () => ask(host, deed), '', `${words.unlink}: ${what}`)}
      ${question(host, deed, words.unlinkAsk(what), words.unlink, () => void host.unlink(method.method))}
    </li>`;
  };
  // Devices have a list of their own.
  return html`<ul part="list">${known.methods.filter(({ method }) => method !== 'device').map(row)}</ul>`;
}

function deviceList(host: AccountHost): Shown {
  const { words, known } = host;
  if (known.devices === null) return html`<p class="note">${words.loading}</p>`;
  const row = (device: LinkedDevice): Template => {
    const name = device.isCurrent ? words.thisDevice : words.device;
    const deed = `revoke:${device.id}`;
    return html`<li part="item">
      <div><strong>${name}</strong><span class="note">${times(host, device)}</span></div>
      ${button(host, 'revoke', words.revoke, () => ask(host, deed), '', `${words.revoke}: ${name}, ${times(host, device)}`)}
      ${question(host, deed, words.revokeAsk, words.revoke, () => void host.revoke(device.id))}
    </li>`;
  };
  return html`<ul part="list">${known.devices.map(row)}</ul>`;
}

function recovery(host: AccountHost): Template {
  const { words, known } = host;
  return html`<p class="note">${words.makeCodeNote}</p>
    ${known.code === '' ? null : html`<code part="code">${known.code}</code>`}
    <div class="row">
      ${button(host, 'make-code', words.makeCode, () => void host.makeCode())}
      ${known.code === '' ? null : button(host, 'copy', words.copy, () => void host.copy(known.code))}
    </div>`;
}

function passwordForm(host: AccountHost): Template {
  const { words } = host;
  return form(
    host,
    'change',
    ({ before = '', after = '' }) => host.changePassword(before, after),
    html`<div class="fields">
        ${field(host, 'change', 'before', words.oldPassword, 'current-password')}
        ${field(host, 'change', 'after', words.newPassword, 'new-password')}
      </div>
      <div class="row">${button(host, 'submit', words.change, null, 'primary')}</div>`,
  );
}

function deletion(host: AccountHost): Template {
  const { words } = host;
  return html`<p class="note">${words.deleteNote}</p>
    <div class="row">
      ${button(host, 'delete', words.deleteAccount, () => ask(host, 'delete'), 'danger')}
    </div>
    ${question(host, 'delete', words.deleteAsk, words.deleteAccount, () => void host.delete())}`;
}
