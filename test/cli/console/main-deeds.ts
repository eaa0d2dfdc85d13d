import { type Client, type ClientAuthResult, type Conflict, createClient } from 'savepoint';
import { createAdminClient } from 'savepoint/server';
import { expect } from 'vitest';
import type { Environment } from '../../../src/protocol/environments.js';
import { telegramFields, telegramInitData } from '../../backend/platforms/doubles.js';
import type { DrivenPage } from '../../support/browsers/driven-browser.js';
import type { GameBackEnd } from './game-back-end.js';
import { handsOn, patient, write } from './hands-on.js';
import { seeHostile, visitAttacker } from './hostile-deeds.js';

export interface DeedsOptions {
  /** A page of the console, on which an operator is who may do everything. */
  page: DrivenPage;
  /** The service. */
  url: string;
  gameId: string;
  environment: Environment;
  /** The service's clock. */
  now(): number;
  /** Whether the service is one for development. */
  isDev: boolean;
  /** The game's back end, which was away when this player was banned. */
  untold: { backEnd: GameBackEnd; userId: string };
}

const password = 'correct horse battery';
const botToken = '12345678:AAHI25ES9xCOMPokpYoz-p8XVrZUdygo2J4';

/** A player's device, with a game that runs on it. */
type Device = Awaited<ReturnType<typeof startGame>>;

type Operated = DeedsOptions & ReturnType<typeof handsOn>;

/**
 * Does on each page of the console what it is mainly for, as an operator does, by its buttons and fields; and holds against it what
 * players' running clients see.
 */
export async function doMainDeeds(options: DeedsOptions): Promise<void> {
  const { page, gameId, environment, isDev } = options;
  const operated = { ...options, ...handsOn(page, `game=${gameId}&env=${environment}`) };
  const devices: Device[] = [];
  const play = async (): Promise<Device> => {
    const device = await startGame(options);
    devices.push(device);
    return device;
  };
  try {
    const [phone, tablet, other] = [await play(), await play(), await play()];
    await phone.progress.set('main', { coins: 3 });
    expect(codeOf(await phone.client.auth.withName('pia', password))).toBeNull();
    await phone.client.profile.flush();
    await findAndChange(operated, phone);
    await registerPlatform(operated, { tablet, other });
    await seeConflict(operated, { phone, tablet });
    await restoreSnapshot(operated, phone);
    await signOut(operated, phone);
    await ban(operated, phone);
    await giveKey(operated, phone);
    await tellAgain(operated);
    if (isDev) await planFault(operated, phone);
    if (isDev) await moveClock(operated, await play());
    await seeHostile(operated, await play());
    await seeWhoPlays(operated, devices.length);
    await visitAttacker(operated);
  } finally {
    for (const { client } of devices) client.dispose();
  }
}

const codeOf = (result: ClientAuthResult): string | null => (result.success ? null : result.error.code);

/** The game on a device that was never here. */
async function startGame({ gameId, environment, url }: DeedsOptions) {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  const client = createClient({ gameId, environment, baseUrl: url, storage });
  const ready = await client.init();
  expect(ready.success).toBe(true);
  const progress = client.profile.collection<{ coins: number }>('progress');
  return { client, progress, userId: (ready.success ? ready.userId : null) ?? '' };
}

/** Changes the save, which the running game reads. */
async function writeCoins({ page, go, press, see }: Operated, phone: Device, coins: number): Promise<void> {
  await go(`/players/${phone.userId}/saves`, 'collection=progress&key=main&');
  await press('Edit');
  await write(page, `{ "coins": ${coins} }`);
  await press('Save');
  await press('Save', 'dialog');
  await see('The entry is saved.');
  await phone.progress.load();
  expect(phone.progress.get('main')).toEqual({ coins });
}

/** Players, and a player: the one who is looked for is found, and what an operator writes is what the game reads. */
async function findAndChange(operated: Operated, phone: Device): Promise<void> {
  const { page, go, fill, press, see } = operated;
  await go('/players');
  await fill('[type=search]', 'PIA');
  await press('Search');
  await press('pia');
  await see('How much the account holds');
  expect(await page.run(() => location.hash)).toContain(phone.userId);
  await writeCoins(operated, phone, 777);
  await go(`/players/${phone.userId}/timeline`);
  await press('Go back to this');
  await press('Go back to this', 'dialog');
  await see('The saves are as they were then.');
  await phone.progress.load();
  expect(phone.progress.get('main')).toEqual({ coins: 3 });
}

/** Requests and platforms: what a game asks is seen while it asks, and players come by a platform as long as it is registered. */
async function registerPlatform(
  { now, go, fill, press, see }: Operated,
  { tablet, other }: { tablet: Device; other: Device },
): Promise<void> {
  await go('/requests');
  await see('Live');
  const telegram = () => telegramInitData(telegramFields('279058397', now()), botToken);
  const comeByTelegram = async ({ client }: { client: Client }) =>
    codeOf(await client.auth.withSocialToken(telegram(), { platform: 'telegram' }));
  expect(await comeByTelegram(tablet)).toBe('platform_not_registered');
  await see('platform_not_registered');
  await go('/platforms');
  await press('Add a platform');
  await fill('dialog select', 'telegram');
  await fill('dialog input[type=password]', botToken);
  await press('Add a platform', 'dialog');
  await see('The platform is registered.');
  expect(await comeByTelegram(tablet)).toBeNull();
  await press('Remove');
  await press('Remove', 'dialog');
  await see('The platform is removed.');
  expect(await comeByTelegram(other)).toBe('platform_not_registered');
}

/** Conflicts: one is seen while the player has to choose, and what was chosen is taken back. */
async function seeConflict(
  { go, press, see }: Operated,
  { phone, tablet }: { phone: Device; tablet: Device },
): Promise<void> {
  await tablet.progress.set('main', { coins: 50 });
  await tablet.client.profile.flush();
  const met = new Promise<Conflict>((resolve) => tablet.client.events.on('conflict', resolve));
  const choosing = tablet.client.auth.withName('pia', password);
  const conflict = await met;
  await go('/conflicts');
  await see(tablet.userId);
  await press('Compare');
  await see('The saves of both accounts');
  await conflict.resolve('cloud');
  expect(codeOf(await choosing)).toBeNull();
  expect(tablet.progress.get('main')).toEqual({ coins: 3 });
  await go(`/players/${phone.userId}/changes`);
  await press('Take the choice back');
  await press('Take the choice back', 'dialog');
  await see('The choice is taken back.');
  // The device leads to its own account again.
  await tablet.client.auth.signOut();
  expect(await tablet.client.auth.asGuest()).toMatchObject({ success: true, userId: tablet.userId });
}

/** Snapshots: what an operator restores is what the game reads. */
async function restoreSnapshot(operated: Operated, phone: Device): Promise<void> {
  const { go, press, see } = operated;
  await writeCoins(operated, phone, 888);
  await go(`/players/${phone.userId}/snapshots`);
  await press('Restore');
  await press('Restore', 'dialog');
  await see('The snapshot is restored.');
  await phone.progress.load();
  expect(phone.progress.get('main')).toEqual({ coins: 3 });
}

/** Sessions: who is signed out by an operator gets in again by the device alone, and the old session counts for nobody. */
async function signOut(operated: Operated, phone: Device): Promise<void> {
  const { go, press, see } = operated;
  await losesSession(operated, phone, async () => {
    await go(`/players/${phone.userId}/changes`);
    await press('Sign out everywhere');
    await press('Sign out everywhere', 'dialog');
    await see('All sessions have ended.');
  });
}

/** Holds that a deed ends the session of a running game, which begins another one of the same player by its device. */
async function losesSession({ url }: Operated, { client, progress, userId }: Device, deed: () => Promise<void>) {
  const token = await client.auth.getAccessToken();
  const asked = () => fetch(`${url}/v2/auth/account`, { headers: { Authorization: `Bearer ${token}` } });
  expect((await asked()).status).toBe(200);
  await deed();
  expect((await asked()).status).toBe(401);
  await progress.load();
  expect(await client.auth.getAccessToken()).not.toBe(token);
  expect(client.auth.userId).toBe(userId);
}

/** A ban and the audit log: the player is out at once, is told why, and comes in again once it has ended. */
async function ban({ go, fill, press, see }: Operated, phone: Device): Promise<void> {
  await go(`/players/${phone.userId}/changes`);
  await press('Ban');
  await fill('dialog textarea, dialog input:not([type])', 'sold the account');
  await press('Ban', 'dialog');
  await see('The player is banned.');
  await expect(phone.progress.load()).rejects.toThrow();
  expect(codeOf(await phone.client.auth.withName('pia', password))).toBe('account_banned');
  await press('End the ban');
  await press('End the ban', 'dialog');
  await see('The ban has ended.');
  expect(codeOf(await phone.client.auth.withName('pia', password))).toBeNull();
  await go('/audit');
  await see('ended the ban');
}

/** Keys: whoever is given one gets in, until it is taken away. */
async function giveKey(
  { page, url, gameId, environment, go, fill, press, see }: Operated,
  phone: Device,
): Promise<void> {
  await go('/keys');
  await press('Make a key');
  await fill('dialog input', 'alan');
  await press('Make a key', 'dialog');
  const key = await expect
    .poll(() => page.run(() => document.querySelector('.secret code')?.textContent ?? ''), patient)
    .toMatch(/^op_/)
    .then(() => page.run(() => document.querySelector('.secret code')?.textContent ?? ''));
  const alan = createAdminClient({ key, baseUrl: url });
  const asked = { gameId, environment };
  expect((await alan.players(asked).get(phone.userId)).userId).toBe(phone.userId);
  await press('Close', 'dialog');
  await press('Revoke');
  await press('Revoke', 'dialog');
  await see('No key was made yet.');
  await expect(alan.players(asked).get(phone.userId)).rejects.toMatchObject({ code: 'unauthorized' });
}

/** Webhooks: what the game's back end was never told it is told once an operator says so. */
async function tellAgain({ untold: { backEnd, userId }, go, press, see }: Operated): Promise<void> {
  const told = { kind: 'banned', userId };
  expect(backEnd.heard).not.toContainEqual(expect.objectContaining(told));
  await go('/webhooks');
  await see(userId.slice(0, 8));
  await press('Send again');
  await press('Send again', 'dialog');
  await see('The event is sent again.');
  await see('No event was set aside.');
  await expect.poll(() => backEnd.heard, patient).toContainEqual(expect.objectContaining(told));
}

/** Faults: requests of the game go wrong until the fault is removed. */
async function planFault({ go, press, see }: Operated, phone: Device): Promise<void> {
  await go('/faults');
  await press('Plan it');
  await see('The fault is planned.');
  await phone.progress.set('main', { coins: 4 });
  await expect(phone.progress.load()).rejects.toMatchObject({ code: 'network' });
  await press('Remove');
  await see('The fault is removed.');
  await phone.client.profile.flush();
  expect(await phone.progress.load()).toMatchObject([{ key: 'main', value: { coins: 4 } }]);
}

/** The clock: a month on, the session of a running game has ended. */
async function moveClock(operated: Operated, device: Device): Promise<void> {
  const { go, press, see } = operated;
  await losesSession(operated, device, async () => {
    await go('/faults');
    await press('30 days on');
    await press('30 days on', 'dialog');
    await see('The clock is 30 days ahead of where it was.');
  });
}

/** Overview: whoever plays now is counted. */
async function seeWhoPlays({ page, go }: Operated, players: number): Promise<void> {
  await go('/');
  const counted = () =>
    page.run(() => {
      const tiles = [...document.querySelectorAll<HTMLElement>('.tile')];
      const tile = tiles.find(({ innerText }) => innerText.startsWith('Players now'));
      return Number(tile?.querySelector<HTMLElement>('.tile-value')?.innerText);
    });
  await expect.poll(counted, patient).toBeGreaterThanOrEqual(players);
}
