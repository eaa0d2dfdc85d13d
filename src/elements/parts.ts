import type { ElementHost } from './element-host.js';
import { html, type Template } from './html.js';
import type { Texts } from './texts/texts.js';

/** What is rendered of something: a part of an element, or nothing. */
export type Shown = Template | null;

type Look = '' | 'primary' | 'danger' | 'link';

/** A button that is pressed for a deed; `part` names it for the page's style, and for tests. */
export function button(
  host: ElementHost,
  part: string,
  label: string,
  press: (() => void) | null,
  look: Look = '',
  name: string | null = null,
): Template {
  return html`<button
    part="button ${look} ${part}"
    class=${look}
    type=${press === null ? 'submit' : 'button'}
    aria-label=${name}
    aria-disabled=${host.busy}
    @click=${press}
  >${label}</button>`;
}

/** A field of a form, by the name that `send` gets it under. */
export function field(
  host: ElementHost,
  at: string,
  name: string,
  label: string,
  autocomplete: 'username' | 'current-password' | 'new-password' | 'one-time-code' | 'off',
  value = '',
): Template {
  const isPassword = autocomplete.endsWith('password');
  return html`<label part="label">${label}<input
    part="input ${name}"
    name=${name}
    value=${value}
    type=${isPassword ? 'password' : 'text'}
    autocomplete=${autocomplete}
    autocapitalize="none"
    spellcheck="false"
    maxlength="256"
    aria-describedby=${host.problem?.at === at ? `${at}-error` : null}
  ></label>`;
}

/** A form that sends its fields. Passwords leave the page's fields as soon as the request has ended, however it went. */
export function form(
  host: ElementHost,
  at: string,
  send: (fields: { readonly [name: string]: string }) => Promise<unknown>,
  content: unknown,
): Template {
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (host.busy) return;
    const target = event.target as HTMLFormElement;
    const inputs = [...target.querySelectorAll('input')];
    const empty = inputs.filter((input) => trimmed(input) === '');
    for (const input of inputs) input.setAttribute('aria-invalid', String(empty.includes(input)));
    if (empty.length > 0) {
      host.problem = { at, text: host.words.fillIn };
      empty[0]?.focus();
      return;
    }
    try {
      await send(Object.fromEntries(inputs.map((input) => [input.name, trimmed(input)])));
    } finally {
      for (const input of inputs) if (input.type === 'password') input.value = '';
    }
  };
  return html`<form part="form ${at}" novalidate @submit=${submit}>${content}${errorLine(host, at)}</form>`;
}

/** Where a failure is told, beside what has failed. */
export function errorLine(host: ElementHost, at: string): Template {
  const text = host.problem?.at === at ? host.problem.text : '';
  return html`<p part="error" class="error" role="alert" id="${at}-error">${text}</p>`;
}

/** What there is to be told of a deed that has succeeded. */
export function saidLine(host: ElementHost): Template {
  return html`<p part="said" class="said" role="status" tabindex="-1">${host.said}</p>`;
}

/** Asks once more before a deed that takes something away; renders nothing where it is not asked about. */
export function question(host: ElementHost, deed: string, text: string, yes: string, act: () => void): Shown {
  if (host.asked !== deed) return null;
  return html`<div part="question" class="ask stack" role="group" aria-label=${text}>
    <p>${text}</p>
    <div class="row">
      ${button(host, 'yes', yes, act, 'danger')} ${button(host, 'no', host.words.no, () => ask(host, ''))}
    </div>
  </div>`;
}

/** Asks about a deed, or takes the question back, and moves the focus to where the player goes on. */
export function ask(host: ElementHost, deed: string): void {
  const { askedBy } = host;
  host.askedBy = deed === '' ? null : host.focused();
  host.asked = deed;
  void host.updateComplete.then(() => {
    (deed === '' ? askedBy : host.renderRoot.querySelector<HTMLElement>('.ask [part~="no"]'))?.focus();
  });
}

/** The name of a kind of login method; a newer service may have one that no text is known for. */
export function methodName(words: Texts, method: string): string {
  return Object.hasOwn(words.methodNames, method) ? words.methodNames[method as 'name'] : method;
}

function trimmed({ type, value }: HTMLInputElement): string {
  // A password is what it is, with its spaces.
  return type === 'password' ? value : value.trim();
}
