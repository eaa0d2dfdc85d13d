import type { Client } from 'savepoint';
import { serve } from 'savepoint/backend/node';
import { expect } from 'vitest';
import type { DrivenPage } from '../../support/browsers/driven-browser.js';
import { type Hands, patient } from './hands-on.js';

interface Operated extends Hands {
  page: DrivenPage;
  /** The service. */
  url: string;
}

/** What a page could stumble over: markup, and marks that turn the direction of a line. */
const markup = '<script>stolen=1</script><img src=x onerror=stolen=1>';
const turned = '\u202egpj.exe\u202c';
/** How the console writes that, so that it turns nothing. */
const turnedInSight = String.raw`\u202egpj.exe\u202c`;
const line = 'x'.repeat(150_000);

/**
 * Players: what one has called itself and its saves to do harm stands on every page as text, a save of 150 KiB on one line can be
 * read and edited, and the game has back what it wrote.
 */
export async function seeHostile(
  { page, go, press, see }: Operated,
  { client, userId }: { client: Client; userId: string },
): Promise<void> {
  const named = await client.auth.withName(`${markup}${turned}`, 'a password of somebody bad');
  expect(named.success ? null : named.error.code).toBe('name_not_allowed');
  expect(await client.auth.withName(markup, 'a password of somebody bad')).toMatchObject({ success: true });
  const [collection, key] = [`c${markup}${turned}`, `k${markup}${turned}`];
  const saves = client.profile.collection<{ [name: string]: unknown }>(collection);
  const value = { [`${markup}${turned}`]: `${turned}${markup}`, line };
  await saves.set(key, value);
  await client.profile.flush();

  await go('/players');
  await see(markup);
  await expectHarmless(page);
  await go(`/players/${userId}/who`);
  await see('How much the account holds');
  await see(markup);
  await expectHarmless(page);
  await go(`/players/${userId}/timeline`);
  await see(`c${markup}${turnedInSight} / k${markup}${turnedInSight}`);
  await expectHarmless(page);
  await go(`/players/${userId}/saves`, `${new URLSearchParams({ collection, key })}&`);
  await see(`c${markup}${turnedInSight} / k${markup}${turnedInSight}`);
  await see(`${turnedInSight}${markup}`);
  await press('Show all 150,000 characters');
  // A long text is drawn in pieces.
  const shown = () => page.run(() => document.querySelector('main')?.textContent?.includes('x'.repeat(150_000)));
  await expect.poll(shown, patient).toBe(true);
  await expectHarmless(page);
  await press('Edit');
  await expect.poll(() => page.run(editedText), patient).toContain(markup);
  await expectHarmless(page);
  await press('Save');
  await see('Both are the same.');
  await expectHarmless(page);
  await press('Save', 'dialog');
  await see('The entry is saved.');
  await saves.load();
  expect(saves.get(key)).toEqual(value);
}

/** What the editor shows of the value. */
function editedText(): string {
  return document.querySelector('.editor')?.shadowRoot?.querySelector<HTMLElement>('.cm-content')?.innerText ?? '';
}

/** That nothing of what a player wrote has become a part of the page, was run, or turns a line. */
async function expectHarmless(page: DrivenPage): Promise<void> {
  const harm = await page.run(() => {
    const foreign = document.querySelectorAll(
      'body img, body script:not([src]), h1 *:not(bdi), a[href^="javascript:"]',
    );
    return {
      wasRun: 'stolen' in globalThis,
      elements: [...foreign].map(({ outerHTML }) => outerHTML.slice(0, 200)),
      marks: /[\u202a-\u202e]/.test(`${document.title}${document.body.innerText}`),
    };
  });
  expect(harm).toEqual({ wasRun: false, elements: [], marks: false });
}

/**
 * The operator's browser opens a page of somebody else, on another port of the machine, for which it sends the console's cookie:
 * that page changes nothing, and has the console in none of its frames, where an operator could be made to click.
 */
export async function visitAttacker({ page, url, go, see }: Operated): Promise<void> {
  const html = { headers: { 'Content-Type': 'text/html' } };
  const own = 'what the page has of its own';
  const site = await serve(
    { fetch: async ({ url: asked }) => new Response(`<!doctype html>${asked.endsWith('/own') ? own : ''}`, html) },
    { port: 0, host: '127.0.0.1' },
  );
  try {
    await page.goTo(site.url);
    await page.run(async (address: string) => {
      const body = JSON.stringify({ name: 'mallory', scope: 'admin' });
      const sent = { method: 'POST', body, credentials: 'include' } as const;
      const headers = { 'Content-Type': 'application/json', 'Savepoint-Console': 'guessed' };
      // The first is sent as a form is, about which no browser asks before. No answer is for this page.
      for (const way of [{ mode: 'no-cors' }, { headers }] as const) {
        await fetch(address, { ...sent, ...way }).catch(() => null);
      }
    }, `${url}/console/api/v2/admin/keys`);
    const { frames } = page;
    if (frames !== undefined) {
      for (const address of [`${url}/console/#/keys`, `${site.url}/own`]) await page.run(addFrame, address);
      // The frame with the page of its own shows that a frame would be seen.
      await expect.poll(() => frames(), patient).toContain(own);
      expect((await frames()).join(' ')).not.toMatch(/savepoint|Keys/);
    }
  } finally {
    await site.close();
  }
  await page.goTo(`${url}/console/`);
  await go('/keys');
  await see('No key was made yet.');
}

/** Adds a frame to the page, and waits until what is in it has loaded, or was refused. */
async function addFrame(address: string): Promise<void> {
  const frame = document.createElement('iframe');
  frame.src = address;
  const loaded = new Promise((resolve) => {
    for (const event of ['load', 'error']) frame.addEventListener(event, resolve);
  });
  document.body.append(frame);
  await loaded;
  // What a page draws once it has been loaded takes a moment.
  await new Promise((resolve) => setTimeout(resolve, 500));
}
