import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { here, operatorKey, place, settled, visitConsole } from './console-site.js';

const site = visitConsole({ mode: 'serve' });

async function signIn(page: Page, key = operatorKey): Promise<void> {
  await page.getByLabel('Operator’s key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

it('takes an operator’s key, keeps it nowhere, and signs out', async () => {
  const page = await site.open();
  await signIn(page);
  await settled(page);
  expect(page.url()).not.toContain(operatorKey);
  const kept = await page.evaluate(() => {
    const valuesOf = (storage: Storage) =>
      Array.from({ length: storage.length }, (_, index) => storage.getItem(storage.key(index) ?? ''));
    return JSON.stringify([valuesOf(localStorage), valuesOf(sessionStorage), document.cookie]);
  });
  expect(kept).not.toContain(operatorKey);
  expect(await page.content()).not.toContain(operatorKey);
  await page.getByRole('button', { name: /the first key/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Operator’s key').waitFor();
});

it('says that a wrong key does not count', async () => {
  site.expectComplaints(/401/);
  const page = await site.open();
  await page.getByLabel('Operator’s key').fill('a-wrong-key-0123456789-0123456789-012345');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('This key does not count.').waitFor();
});

it('asks for the key again when the session has ended', async () => {
  site.expectComplaints(/401/);
  const page = await site.open();
  await signIn(page);
  site.gateway.forgetSessions();
  // Not by a click that waits for its link: what the overview still asks for may have been refused before.
  await page.evaluate(() => {
    location.hash = '#/audit';
  });
  await page.getByLabel('Operator’s key').waitFor();
});

/** Signs in anew in another tab of the same browser, whose sessions have one cookie. */
async function signInBeside(page: Page, key: string): Promise<void> {
  const other = await page.context().newPage();
  await other.goto(`${site.url}/console/`);
  await other.getByRole('button', { name: /the first key/ }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await signIn(other, key);
  await other.close();
}

async function openKeys(): Promise<Page> {
  const page = await site.open('/keys');
  await page.getByLabel('Operator’s key').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  return page;
}

async function makeKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page
    .getByRole('dialog')
    .getByLabel(/^Whose it is/)
    .fill(name);
  await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
}

const changesAsked = () => site.gateway.asked.filter((one) => one === 'POST /console/api/v2/admin/keys').length;
const keyNames = async () => (await site.admin.listKeys()).map(({ name }) => name);

it('goes on changing things after a sign-in in another tab', async () => {
  site.expectComplaints(/403/);
  const page = await openKeys();
  await signInBeside(page, operatorKey);
  const before = changesAsked();
  await makeKey(page, 'after the other tab');
  await page.getByText('It is shown this once').waitFor();
  expect(await keyNames()).toEqual(['after the other tab']);
  expect(changesAsked() - before).toBe(2);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  // What it was told then holds for all that follows.
  await page.getByRole('button', { name: /^Revoke/ }).click();
  const asked = site.gateway.asked.length;
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('No key was made yet.').waitFor();
  expect(site.gateway.asked.slice(asked).filter((one) => /DELETE|session/.test(one))).toHaveLength(1);
});

it('changes nothing in the name of another operator who has signed in in another tab, and shows who it is', async () => {
  site.expectComplaints(/403/);
  const { key } = await site.admin.makeKey({ name: 'the night shift', scope: 'admin' });
  site.gateway.admit({ key, name: 'the night shift', scope: 'admin' });
  const page = await openKeys();
  await signInBeside(page, key);
  const before = changesAsked();
  await makeKey(page, 'in whose name');
  await page.getByRole('alert').getByText('forbidden', { exact: true }).waitFor();
  await page.getByRole('alert').getByText('their name is at the top now').waitFor();
  await page.locator('header').getByText('the night shift').waitFor();
  expect(await keyNames()).toEqual(['the night shift']);
  expect(changesAsked() - before).toBe(1);
  await page.getByRole('dialog').getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('It is shown this once').waitFor();
  for (const one of await site.admin.listKeys()) await site.admin.revokeKey(one.id);
});

it('sends a change once where the service refuses it for another reason than an old token', async () => {
  site.expectComplaints(/403/);
  const page = await openKeys();
  let tries = 0;
  await page.route('**/console/api/v2/admin/keys', (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    tries += 1;
    const body = JSON.stringify({ type: 'about:blank', title: 'Refused.', status: 403, code: 'forbidden' });
    return route.fulfill({ status: 403, contentType: 'application/problem+json', body });
  });
  await makeKey(page, 'refused');
  await page.getByRole('alert').getByText('forbidden', { exact: true }).waitFor();
  expect(tries).toBe(1);
});

it('asks for the key again when the feed of requests ends with the session', async () => {
  site.expectComplaints(/401/);
  const page = await site.open('/requests');
  await page.getByLabel('Operator’s key').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByText('Live').waitFor();
  site.gateway.forgetSessions();
  site.gateway.endFeeds();
  await page.getByLabel('Operator’s key').waitFor();
});

it('says in the reader’s language that an address names no player, and leads back', async () => {
  const page = await site.open(`/players/junk?${place}`, { locale: 'de-DE' });
  await page.getByLabel('Betreiberschlüssel').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Kein solcher Spieler', level: 1 }).waitFor();
  expect(await page.locator('main').innerText()).not.toMatch(/must be|player/);
  await page.locator('main').getByRole('link', { name: 'Spieler' }).click();
  await page.getByText('ada', { exact: true }).waitFor();
});

it('moves the focus to the title of the page that was gone to, by the keyboard alone', async () => {
  const page = await site.open();
  await signIn(page);
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN');
  await page.getByRole('link', { name: 'Players' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Players', level: 1 }).waitFor();
  await page.locator('h1:focus').getByText('Players').waitFor();
  await expect.poll(() => page.title()).toBe('Players · savepoint');
});

it('keeps game and environment in the address, and changes them by the pickers', async () => {
  const page = await site.open();
  await signIn(page);
  // Whoever looks at a service in use looks at its players.
  await expect.poll(() => page.getByLabel('Environment').inputValue()).toBe('2');
  await page.getByRole('link', { name: 'Players' }).click();
  await page.getByText('Nobody plays here yet.').waitFor();
  await page.getByLabel('Environment').selectOption('Development');
  await page.getByText('ada', { exact: true }).waitFor();
  expect(page.url()).toContain(`#/players?${place}`);
});

it('shows the page that the address names, also where that changes while the console starts', async () => {
  const page = await site.open();
  await signIn(page);
  await page.addInitScript(() => {
    // The page is drawn, and what it does after that has not begun.
    const drawn = new MutationObserver(() => {
      if (document.querySelector('main') === null) return;
      drawn.disconnect();
      location.hash = '#/keys';
    });
    drawn.observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
});

it('is dark where the system is, and light where somebody says so', async () => {
  const page = await site.open('/', { colorScheme: 'dark' });
  await signIn(page);
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(await ground()).toBe('rgb(18, 22, 29)');
  await page.getByRole('button', { name: /the first key/ }).click();
  await page.getByLabel('Appearance').selectOption('Light');
  expect(await ground()).toBe('rgb(246, 247, 249)');
  await page.reload();
  await settled(page);
  expect(await ground()).toBe('rgb(246, 247, 249)');
});

it('speaks German to whoever prefers it', async () => {
  const page = await site.open('/', { locale: 'de-DE' });
  await page.getByRole('button', { name: 'Anmelden' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
});

it('shows a failure as the service says it, with its code and request, and a way out', async () => {
  site.expectComplaints(/404/);
  const page = await site.open();
  await signIn(page);
  const nobody = '11111111-1111-4111-8111-111111111111';
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/players/${nobody}?game=${here.gameId}&env=0`);
  const alert = page.getByRole('alert');
  await alert.getByText('user_not_found').waitFor();
  await alert.getByText('There is no such user.').waitFor();
  await alert.getByText('Request id').waitFor();
  await alert.getByRole('link', { name: 'To the overview' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
});

it('says that a page cannot be loaded, as after an update of the service, and loads it anew', async () => {
  site.expectComplaints(/404/);
  const page = await site.open();
  await signIn(page);
  await page.route(/audit-/, (route) => route.fulfill({ status: 404 }), { times: 1 });
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
});

it('keeps a page that fails to itself: the others go on', async () => {
  site.expectComplaints(/cannot be drawn/);
  const page = await site.open();
  const body = "export function Chart() { throw new Error('cannot be drawn'); }";
  await page.route(/chart-.*js/, (route) => route.fulfill({ contentType: 'text/javascript', body }));
  await page.getByLabel('Operator’s key').fill(operatorKey);
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('cannot be drawn').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});
