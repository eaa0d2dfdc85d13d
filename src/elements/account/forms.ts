import { button, errorLine, note, row, title } from '../parts.js';
import { type Child, h, type View } from '../render.js';
import type { AccountHost } from './account-host.js';

interface Field {
  /** The name that `send` gets it under. */
  readonly name: string;
  readonly label: string;
  readonly autocomplete: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off';
  readonly value?: string | undefined;
}

interface Form {
  readonly title?: string;
  readonly note?: string | undefined;
  readonly fields: readonly Field[];
  /** What the button says that sends it. */
  readonly submit: string;
  send(fields: { readonly [name: string]: string }): Promise<void>;
}

/**
 * A form that sends its fields. Passwords leave the page's fields as soon as the request has ended, however it went.
 */
export function form(host: AccountHost, at: string, { title: named, note: told, fields, submit, send }: Form): View {
  const sent = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (host.busy) return;
    const inputs = [...(event.target as HTMLFormElement).querySelectorAll('input')];
    const empty = inputs.filter((input) => trimmed(input) === '');
    for (const input of inputs) input.setAttribute('aria-invalid', String(empty.includes(input)));
    if (empty.length > 0) {
      host.problem = { at, text: host.words.fillIn };
      empty[0]?.focus();
      return;
    }
    const values = Object.fromEntries(inputs.map((input) => [input.name, trimmed(input)]));
    host.typedName = values['name'] ?? host.typedName;
    try {
      await send(values);
    } finally {
      for (const input of inputs) if (input.type === 'password') input.value = '';
    }
  };
  return h(
    'form',
    { key: at, part: `form ${at}`, novalidate: true, onsubmit: sent },
    named === undefined ? null : title(named),
    told === undefined ? null : note(told),
    h('div', { class: 'fields' }, ...fields.map((one) => field(host, at, one))),
    row(button(host, 'submit', submit, null, 'primary')),
    errorLine(host, at),
  );
}

function field(host: AccountHost, at: string, { name, label, autocomplete, value }: Field): View {
  return h(
    'label',
    { part: 'label' },
    label,
    h('input', {
      part: `input ${name}`,
      name,
      value,
      type: autocomplete.endsWith('password') ? 'password' : 'text',
      autocomplete,
      autocapitalize: 'none',
      spellcheck: 'false',
      maxlength: 256,
      'aria-describedby': host.problem?.at === at ? `${at}-error` : null,
    }),
  );
}

/** A code to be written down, where there is one, and what can be done about it. */
export function codeView(host: AccountHost, code: string, act: View): Child[] {
  const { words } = host;
  const copy = code === '' ? null : button(host, 'copy', words.copy, () => host.copy(code));
  return [code === '' ? null : h('code', { part: 'code' }, code), row(act, copy)];
}

function trimmed({ type, value }: HTMLInputElement): string {
  // A password is what it is, with its spaces.
  return type === 'password' ? value : value.trim();
}
