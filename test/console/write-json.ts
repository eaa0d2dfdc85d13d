import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Puts a text into the editor, in the place of what is there: a busy browser tells the editor late what is selected. */
export async function writeJson(page: Page, text: string): Promise<void> {
  const editor = page.locator('.cm-content[contenteditable="true"]');
  const written = async (): Promise<string> => {
    await editor.click();
    await page.keyboard.press('ControlOrMeta+a');
    // Typed letter by letter the editor would close the brackets again.
    await page.keyboard.insertText(text);
    await page.keyboard.press('Space');
    return (await editor.innerText()).trim();
  };
  await expect.poll(written, { timeout: 15_000 }).toBe(text.trim());
}
