import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { failures } from '../../src/protocol/failures.js';
import { webhookDefaults } from '../../src/protocol/gaps/webhooks.js';
import { here, place, settled, visitConsole } from './console-site.js';
import { type Filled, fillService, hostileText, seenRequest, signInGuest } from './filled-service.js';

const site = visitConsole();
let filled: Filled;

beforeAll(async () => {
  filled = await fillService(site.backend, site.admin);
});

async function openPage(path: string): Promise<Page> {
  const page = await site.open(`${path}?${place}`);
  await settled(page);
  return page;
}

const told = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

describe('the overview', () => {
  it('shows who came today, how conflicts ended, and how the service is', async () => {
    const page = await openPage('/');
    const [today] = (await site.admin.counts(here)).slice(-1);
    const tile = page.locator('.tile', { hasText: 'Active today' }).locator('.tile-value');
    expect(await tile.innerText()).toBe(String(today?.active));
    await page.locator('.tile', { hasText: 'Players now' }).getByText('38').waitFor();
    await page.locator('canvas').first().waitFor();
    await page.getByText('memory · 1.3 MB').waitFor();
    await page.getByText('As a table: The last 30 days').click();
    expect(await page.locator('.figure-table tbody tr').first().innerText()).toContain(String(today?.active));
  });

  it('shows all games and environments side by side, with the way to each, and the course of a month', async () => {
    const page = await openPage('/');
    const places = page.getByRole('table', { name: 'All games' });
    await expect.poll(() => places.getByRole('row').count()).toBe(4);
    const [today] = (await site.admin.counts(here)).slice(-1);
    const developed = places.getByRole('row').filter({ hasText: 'Development' });
    expect(await developed.getByRole('cell').nth(1).innerText()).toBe(String(today?.active));
    expect(await places.getByRole('row').filter({ hasText: 'Stage' }).getByRole('cell').nth(1).innerText()).toBe('0');
    for (const name of ['How players come in', 'How conflicts ended']) {
      await page.getByRole('region', { name }).locator('canvas').waitFor();
    }
    await page.getByText('As a table: Sign-ins by day').click();
    const signIns = Object.values(today?.signIns ?? {}).reduce((sum, count) => sum + count, 0);
    const latest = page.locator('.figure-table tbody tr').first();
    await expect.poll(() => latest.locator('td').first().innerText()).toBe(String(signIns));
    await places.getByRole('link', { name: /Production/ }).click();
    await expect.poll(() => page.getByLabel('Environment').inputValue()).toBe('2');
  });

  it('has the lines to paste with this service’s own address and game, the players, and a code for a phone', async () => {
    const page = await site.open(`/?${place}`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy: In your game' }).click();
    await told(page, 'Copied.');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`gameId: '${here.gameId}'`);
    expect(copied).toContain(`baseUrl: '${site.url}'`);
    await page.getByRole('cell', { name: 'correct horse' }).waitFor();
    await page.getByRole('img', { name: 'A QR code of http://192.168.1.20:4873' }).waitFor();
  });
});

describe('keys', () => {
  it('makes a key, shows it once, and revokes it', async () => {
    const page = await openPage('/keys');
    await page.getByRole('button', { name: 'Make a key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/Whose it is/).fill('alan');
    await dialog.getByLabel('read: to look').check();
    await dialog.getByRole('button', { name: 'Make a key' }).click();
    const key = await dialog.locator('.secret code').innerText();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await page.content()).not.toContain(key);
    expect(await site.admin.listKeys()).toMatchObject([{ name: 'alan', scope: 'read' }]);
    await page.getByRole('button', { name: 'Revoke: alan' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await told(page, 'The key is revoked.');
    expect(await site.admin.listKeys()).toEqual([]);
    await page.getByText('No key was made yet.').waitFor();
  });
});

describe('the audit log', () => {
  it('says who did what, leads to the player, and is filtered', async () => {
    const page = await openPage('/audit');
    await page.getByText('banned the player').waitFor();
    await page.getByLabel(/Filter this page/).fill('banPlayer');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('row').last().innerText()).toMatch(
      /Before\s+\{"ban":null.+After\s+\{"ban":\{"at":"20[\dT:-]+Z"/s,
    );
    await page.getByRole('link', { name: filled.grace }).click();
    await page.getByRole('heading', { name: 'grace', level: 1 }).waitFor();
  });
});

describe('conflicts', () => {
  it('shows the open ones, with both accounts', async () => {
    const page = await openPage('/conflicts');
    const open = page.getByRole('table', { name: 'Open' });
    await open.getByRole('link', { name: filled.guest }).waitFor();
    await open.getByRole('button', { name: 'Compare' }).click();
    const sides = page.getByRole('region', { name: 'The saves of both accounts' });
    await sides.getByRole('row').nth(1).waitFor();
    await sides.getByRole('button', { name: 'Close' }).click();
    await open.getByRole('link', { name: filled.ada }).click();
    await page.getByRole('heading', { name: 'ada', level: 1 }).waitFor();
  });
});

describe('requests', () => {
  it('come as they are answered, are filtered, stand still while paused, and are copied as curl', async () => {
    const page = await site.open(`/requests?${place}`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByText('Live').waitFor();
    site.gateway.tell(seenRequest({ user: filled.ada }));
    site.gateway.tell(seenRequest({ status: 401, code: 'invalid_signature', method: 'POST', path: `/v2/pr/it's` }));
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
    await expect.poll(() => rows.count()).toBe(2);
    await rows.getByText(filled.ada.slice(0, 8), { exact: true }).waitFor();
    await page.getByLabel(/^Filter/).fill('signature 401');
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByRole('button').first().click();
    await page.getByText('Bearer [redacted]').waitFor();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await told(page, 'Copied.');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(String.raw`curl -sS -X POST '${site.url}/v2/pr/it'\''s'`);
    await page.getByLabel(/^Filter/).fill('');
    await page.getByRole('button', { name: 'Pause' }).click();
    site.gateway.tell(seenRequest({ path: '/v2/while-it-was-paused' }));
    await page.waitForTimeout(600);
    expect(await rows.count()).toBe(2);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByText('/v2/while-it-was-paused').waitFor();
  });
});

describe('the feed of requests', () => {
  it('says of a body that the service has not read that it is not there, and how long it was', async () => {
    const page = await openPage('/requests');
    const { details } = seenRequest();
    const unread = { ...details, requestBody: null, unreadBytes: 51 } as NonNullable<typeof details>;
    site.gateway.tell(seenRequest({ method: 'POST', path: '/v2/nowhere', status: 404, details: unread }));
    await page.getByText('/v2/nowhere').click();
    await page.getByText('The service did not read its body (51 bytes).').waitFor();
  });

  it('is asked for again where it was refused, and says so meanwhile', async () => {
    site.expectComplaints(/503/);
    const page = await site.open(`/?${place}`);
    let asked = 0;
    await page.route('**/console/requests', (route) => {
      asked += 1;
      return asked < 3 ? route.fulfill({ status: 503 }) : route.fallback();
    });
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByText('Interrupted. It is tried again by itself.').waitFor();
    await page.getByText('Live').waitFor();
    expect(asked).toBe(3);
    site.gateway.tell(seenRequest({ path: '/v2/after-it-was-refused' }));
    await page.getByText('/v2/after-it-was-refused').waitFor();
  });
});

describe('a platform', () => {
  it('with settings that somebody wrote to do harm is shown as text, in the list, the form and a trial', async () => {
    const settings = { app: hostileText.replaceAll('\u0007', ''), origins: ['<img src=x onerror="stolen = 1">'] };
    await site.admin.savePlatform({ ...here, name: 'harm', preset: 'wave', settings });
    const page = await openPage('/platforms');
    const row = page.getByRole('row').filter({ has: page.getByText('harm', { exact: true }) });
    await row.getByText('<script>window.stolen = true</script>').waitFor();
    await row.getByText('<img src=x onerror="stolen = 1">', { exact: true }).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/[\u202a-\u202e]/);
    await row.getByRole('button', { name: /^Change/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel(/^App/).inputValue()).toBe(settings.app);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: /^Try a token/ }).click();
    await dialog.getByLabel(/^A token/).fill('\u202e<img src=x onerror="stolen = 1">:none');
    await dialog.getByRole('button', { name: 'Try a token' }).click();
    await dialog.getByText(String.raw`\u202e<img src=x onerror="stolen = 1">`, { exact: true }).waitFor();
    expect(await page.evaluate(() => 'stolen' in globalThis)).toBe(false);
    expect(await page.locator('main script, main img, dialog script, dialog img').count()).toBe(0);
    await site.admin.removePlatform({ ...here, name: 'harm', version: 1 });
  });
});

describe('webhooks', () => {
  it('shows what was set aside, and sends one event and then all of them again', async () => {
    const { webhookTries, webhookRetryMaxMs } = webhookDefaults;
    for (const userId of [filled.guest, filled.hostile]) {
      await site.admin.players(here).ban(userId, { reason: 'to have events' });
    }
    for (let tries = 0; tries < 2 * webhookTries; tries += 1) {
      await site.backend.deliverWebhooks();
      site.backend.control.advance(webhookRetryMaxMs);
    }
    const before = await site.admin.webhooks({ gameId: here.gameId });
    expect(before.dead).toBeGreaterThan(1);
    const page = await openPage('/webhooks');
    await page.getByRole('button', { name: 'Send again' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await told(page, 'The event is sent again.');
    expect(await site.admin.webhooks({ gameId: here.gameId })).toMatchObject({ waiting: 1, dead: before.dead - 1 });
    await page.getByRole('button', { name: 'Send all again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send all again' }).click();
    await page.getByText('No event was set aside.').waitFor();
    expect(await site.admin.webhooks({ gameId: here.gameId })).toMatchObject({ dead: 0 });
    site.receiver.status = 204;
    await site.backend.deliverWebhooks();
    await expect.poll(async () => (await site.admin.webhooks({ gameId: here.gameId })).waiting).toBe(0);
  });
});

describe('limits', () => {
  it('has every limit that settings change with its default, what it is here, and which they have changed', async () => {
    const page = await openPage('/limits');
    expect(await page.getByRole('row').count()).toBeGreaterThan(40);
    await page.getByLabel('Filter').fill('valueBytes');
    await page.getByRole('cell', { name: /153600/ }).waitFor();
    await page.getByRole('cell', { name: '20000 set' }).waitFor();
    await page.getByLabel('Filter').fill('pipelined');
    await expect.poll(() => page.getByRole('cell', { name: '64', exact: true }).count()).toBe(2);
    await page.getByLabel('Filter').fill('statementTimeoutMs');
    await page.getByRole('cell', { name: 'off', exact: true }).waitFor();
    await page.getByLabel('Filter').fill('');
    await page.getByLabel('Only what differs from the default').check();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    await page.getByRole('cell', { name: '9/60 set' }).waitFor();
  });
});

describe('faults and clock', () => {
  it('plans a fault for one operation, and removes it', async () => {
    const page = await openPage('/faults');
    await page.getByLabel('What happens').selectOption('Refused with a code');
    const offered = await page.getByLabel(/^Code/).locator('option').allInnerTexts();
    expect(offered.toSorted()).toEqual(Object.keys(failures).sort());
    await page.getByLabel(/^Code/).selectOption('would_orphan');
    await page.getByLabel('Share of requests, %').fill('25');
    await page.getByLabel('Operation').selectOption('updateEntry');
    await page.getByRole('button', { name: 'Plan it' }).click();
    await told(page, 'The fault is planned.');
    expect(site.gateway.plans).toEqual([
      { fault: 'code', code: 'would_orphan', share: 0.25, route: 'updateEntry', player: null },
    ]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await told(page, 'The fault is removed.');
    expect(site.gateway.plans).toEqual([]);
  });

  it('keeps what was filled in where a fault cannot be planned', async () => {
    site.expectComplaints(/400/);
    const page = await openPage('/faults');
    const refused = { code: 'invalid_request', message: 'There is no such player.' };
    await page.route('**/console/dev/faults', (route) => route.fulfill({ status: 400, json: refused }), { times: 1 });
    await page.getByLabel('Player (user id)').fill(filled.ada);
    await page.getByRole('button', { name: 'Plan it' }).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    await page.getByRole('button', { name: 'Plan it' }).click();
    await told(page, 'The fault is planned.');
    await alert.waitFor({ state: 'detached' });
    expect(site.gateway.plans).toMatchObject([{ player: filled.ada }]);
    await page.getByRole('button', { name: 'Remove' }).click();
    await told(page, 'The fault is removed.');
  });

  it('keeps what another page has planned meanwhile, and removes what was pressed alone', async () => {
    const [first, second] = [await openPage('/faults'), await openPage('/faults')];
    const planned = () => site.gateway.plans.map(({ fault, route }) => [fault, route]);
    await first.getByLabel('Operation').selectOption('updateEntry');
    await first.getByRole('button', { name: 'Plan it' }).click();
    await told(first, 'The fault is planned.');
    await second.getByLabel('Operation').selectOption('signInAsGuest');
    await second.getByRole('button', { name: 'Plan it' }).click();
    await told(second, 'The fault is planned.');
    const both = [
      ['offline', 'updateEntry'],
      ['offline', 'signInAsGuest'],
    ];
    expect(planned()).toEqual(both);
    await second.getByRole('cell', { name: 'updateEntry' }).waitFor();
    await first.getByRole('button', { name: 'Remove' }).click();
    await told(first, 'The fault is removed.');
    expect(planned()).toEqual(both.slice(1));
    // The second page still shows the one that is gone.
    await second.getByRole('button', { name: 'Remove' }).first().click();
    await told(second, 'The fault is removed.');
    expect(planned()).toEqual(both.slice(1));
    // What is shown is read again after it is said.
    await expect.poll(() => second.getByRole('button', { name: 'Remove' }).count()).toBe(1);
    await second.getByRole('button', { name: 'Remove' }).click();
    await second.getByText('All requests are answered as they should be.').waitFor();
  });

  it('moves the clock of the service', async () => {
    const page = await openPage('/faults');
    const before = site.backend.control.now();
    await page.getByRole('button', { name: 'A day on' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'A day on' }).click();
    await page.getByText(/24 hours ahead/).waitFor();
    expect(site.backend.control.now() - before).toBeGreaterThanOrEqual(86_400_000);
  });
});

// It makes many accounts, which the tests before do not expect.
describe('choices', () => {
  it('shows what was chosen lately, by whomever, page by page', async () => {
    const accounts = async (name: string) => (await signInGuest(site.backend, `the device of ${name}`)).userId;
    for (let count = 0; count < 52; count += 1) {
      const [from, into] = [await accounts(`former ${count}`), await accounts(`chosen ${count}`)];
      await site.admin.players(here).merge(from, { into, entries: 'keep' });
    }
    // Those who were seen last have chosen nothing.
    for (let count = 0; count < 41; count += 1) await accounts(`newcomer ${count}`);
    const page = await openPage('/conflicts');
    const chosen = page.getByRole('region', { name: 'Can still be taken back' });
    await expect.poll(() => chosen.getByRole('row').count()).toBe(51);
    await chosen.getByRole('button', { name: 'Next' }).click();
    await expect.poll(() => chosen.getByRole('row').count()).toBe(3);
    await chosen.getByRole('link').first().click();
    await page.getByRole('button', { name: 'Take the choice back' }).waitFor();
  });

  it('looks for those of operators as far back as somebody wants, and says how far it has looked', async () => {
    const page = await site.open(`/?${place}`);
    // Pages of five entries, as if the log were forty times as long.
    await page.route('**/console/api/v2/admin/audit?*', (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('limit', '5');
      return route.fallback({ url: url.href });
    });
    await page.getByRole('link', { name: 'Conflicts' }).click();
    const own = page.getByRole('region', { name: 'By operators' });
    await expect.poll(() => own.getByRole('row').count()).toBe(26);
    await own.getByText('Only the latest 25 entries of the audit log were looked through.').waitFor();
    await own.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => own.getByRole('row').count()).toBe(51);
    await own.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => own.getByRole('row').count()).toBe(76);
    await page.unroute('**/console/api/v2/admin/audit?*');
    await page.getByRole('button', { name: 'Read again' }).click();
    await own.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' });
    expect(await own.getByText('were looked through').count()).toBe(0);
    // The log is of the whole service.
    await page.getByLabel('Environment').selectOption('Stage');
    await own.getByText('No operator has merged accounts or taken a choice back').waitFor();
  });
});
