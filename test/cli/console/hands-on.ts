import { expect } from 'vitest';
import type { DrivenPage } from '../../support/browsers/driven-browser.js';

/** How long a page may take for what is waited for. */
export const patient = { timeout: 15_000, interval: 50 };

/** What an operator's hands and eyes do on a page. */
export type Hands = ReturnType<typeof handsOn>;

/** What an operator does with a page, each as soon as it can be done. */
export function handsOn(page: DrivenPage, place: string) {
  const soon = (deed: () => Promise<boolean>, what: string) =>
    expect.poll(deed, { ...patient, message: what }).toBe(true);

  return {
    async go(path: string, query = ''): Promise<void> {
      await page.run((to: string) => {
        location.hash = to;
      }, `#${path}?${query}${place}`);
    },
    press: (text: string, within = 'main') =>
      soon(
        () =>
          page.run(
            (wanted: string, selector: string) => {
              const all = document.querySelectorAll<HTMLElement>(
                `${selector} button:not(:disabled), ${selector} a, ${selector} [role=tab]`,
              );
              const found = [...all].find(({ innerText }) =>
                `${innerText.trim().replaceAll(/\s/g, ' ')} `.startsWith(`${wanted} `),
              );
              found?.click();
              return found !== undefined;
            },
            text,
            within,
          ),
        `a button ${text}`,
      ),
    fill: (selector: string, value: string) =>
      soon(
        () =>
          page.run(
            (wanted: string, given: string) => {
              const field = document.querySelector<HTMLInputElement | HTMLSelectElement>(wanted);
              if (field === null) return false;
              // What a framework has set itself it does not take for an operator's.
              const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value') ?? {};
              set?.call(field, given);
              for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }));
              return field.value === given;
            },
            selector,
            value,
          ),
        `a field ${selector}`,
      ),
    see: (text: string) =>
      soon(() => page.run((wanted: string) => document.body.innerText.includes(wanted), text), `the text ${text}`),
  };
}

/** Pastes over what the editor has. */
export async function write(page: DrivenPage, text: string): Promise<void> {
  const paste = (given: string): string => {
    const root = document.querySelector('.editor')?.shadowRoot;
    const editor = root?.querySelector<HTMLElement>('.cm-content[contenteditable="true"]') ?? null;
    if (editor === null) return 'There is no editor.';
    editor.focus();
    const usual = { bubbles: true, cancelable: true };
    editor.dispatchEvent(new KeyboardEvent('keydown', { ...usual, key: 'a', ctrlKey: true }));
    // No browser lets a page say what was copied.
    const clipboardData = { getData: () => given };
    editor.dispatchEvent(Object.assign(new Event('paste', usual), { clipboardData }));
    // The page is told of what was pasted at once, and not after a pause.
    editor.blur();
    return editor.innerText.trim();
  };
  await expect.poll(() => page.run(paste, text), patient).toBe(text);
}
