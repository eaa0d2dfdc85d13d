import type { ElementHost } from './element-host.js';
import { textFor } from './format.js';
import { type Child, h, type View } from './render.js';
import type { Texts } from './texts/texts.js';

type Look = '' | 'primary' | 'danger' | 'link';

/**
 * A button that is pressed for a deed, or with null sends its form; `part` names it for the page's style, and for
 * tests. While a deed is under way none can be pressed, and all look so; the focus stays where it is.
 */
export function button(
  { busy }: ElementHost,
  part: string,
  label: string,
  press: (() => unknown) | null,
  look: Look = '',
  name: string | null = null,
): View {
  return h(
    'button',
    {
      part: `button ${look} ${part}`,
      type: press === null ? 'submit' : 'button',
      'aria-label': name,
      'aria-disabled': busy,
      onclick: busy ? null : press,
    },
    label,
  );
}

/** What is said beside something. */
export function note(text: Child): View {
  return h('p', { part: 'note' }, text);
}

/** What one of a list is called, and below it what else there is to be said of it. */
export function named(name: string, more: string, part: string | null = null): View {
  return h('div', null, h('strong', { part }, name), h('span', { part: 'note' }, more));
}

/** The title of a part of an element. */
export function title(text: string): View {
  return h('h3', { part: 'title' }, text);
}

/** Parts side by side, as far as there is room. */
export function row(...children: readonly Child[]): View {
  return h('div', { class: 'row' }, ...children);
}

/** Where a failure is told, beside what has failed; `otherwise` is what is wrong where no deed has failed. */
export function errorLine({ problem }: ElementHost, at: string, otherwise = ''): View {
  return h('p', { part: 'error', role: 'alert', id: `${at}-error` }, problem?.at === at ? problem.text : otherwise);
}

/** What there is to be told of a deed that has succeeded. */
export function saidLine({ said }: ElementHost): View {
  return h('p', { part: 'said', role: 'status', tabindex: -1 }, said);
}

/** Asks once more before a deed that takes something away; renders nothing where it is not asked about. */
export function question(host: ElementHost, deed: string, text: string, yes: string, act: () => unknown): Child {
  if (host.asked !== deed) return null;
  return h(
    'div',
    { part: 'question', class: 'stack', role: 'group', 'aria-label': text },
    h('p', null, text),
    row(
      button(host, 'yes', yes, act, 'danger'),
      button(host, 'no', host.words.no, () => ask(host, '')),
    ),
  );
}

/** Asks about a deed, or takes the question back, and moves the focus to where the player goes on. */
export function ask(host: ElementHost, deed: string): void {
  const { askedBy } = host;
  host.askedBy = deed === '' ? null : host.focused();
  host.asked = deed;
  void host.updateComplete.then(() => {
    (deed === '' ? askedBy : host.renderRoot.querySelector<HTMLElement>('[part~="no"]'))?.focus();
  });
}

/** The name of a kind of login method; a newer service may have one that no text is known for. */
export function methodName(words: Texts, method: string): string {
  return textFor(words.methodNames, method) ?? method;
}
