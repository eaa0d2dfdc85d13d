import type { Device } from './device.js';
import type { Choice, Game } from './game.js';
import type { Write } from './truth.js';
import { oddKey } from './values.js';
import type { World } from './world.js';

const minutes = (count: number): number => count * 60_000;

/** Puts the world right, bit by bit, and looks whether all is where it belongs. */
export async function endWorld(world: World, choice: Choice): Promise<void> {
  await mendAllButRefusals(world, choice);
  await liftRefusals(world);
  world.truth.check();
  for (const { page } of world.games()) page.kill();
  const lost = new Set<string>();
  for (const [index, device] of world.devices.entries()) {
    if (device.texts().length === 0) continue;
    for (const account of await bringHome(world, index, device)) lost.add(account);
  }
  world.lookForHeirs();
  await world.truth.checkEnd(lost);
  await agree(world);
}

async function mendAllButRefusals(world: World, choice: Choice): Promise<void> {
  const living = world.games();
  for (const device of world.devices) {
    device.mend();
    device.network.accidents.splice(0);
    device.network.set('on');
    for (const page of device.pages) page?.raise('online');
    world.identities.change(device);
  }
  for (const game of world.playable()) if (game.page.isOffline) game.switchNetwork('on');
  // The service was to be left alone for an hour at most.
  if (world.devices.some(({ network }) => network.wasClosed)) await world.turns.pass(minutes(61));
  await settle(world);
  for (const game of world.playable()) game.choose(choice);
  await settle(world);
  await wakeSurvivors(world, living);
  // An entry that is refused holds up none but itself.
  const isRefused = ({ collection, key }: Write): boolean => world.service.refusals.has(`${collection}/${key}`);
  await expectSent(world, 'is held up', (write) => !isRefused(write));
}

/** A page may die after it has stored something and before it has told the others: they look when they are next played. */
async function wakeSurvivors(world: World, living: readonly Game[]): Promise<void> {
  const dead = new Set(living.filter(({ page }) => !page.isAlive).map(({ page }) => page.device));
  if (dead.size === 0) return;
  for (const { pages } of dead) for (const page of pages) page?.raise('online');
  await settle(world);
}

async function liftRefusals(world: World): Promise<void> {
  if (world.service.refusals.size > 0) {
    world.service.refusals.clear();
    for (const game of world.playable()) for (const name of world.names) game.writeAgain(name);
    await settle(world);
  }
  await releaseHeld(world);
  await expectSent(world, 'is never sent', () => true);
  for (const game of world.games()) {
    // What a frozen page waits for settles when it is thawed.
    if (game.page.waiting !== null) continue;
    for (const call of game.calls.waiting()) world.truth.wrong(`never settles: ${call}`);
  }
  world.checkAtRest();
}

/** How many writes of an entry can wait behind one that is held: what was sent, what was set after it, and before an account. */
const mostBehind = 3;

/**
 * What waits can be tried again, and at last be discarded: then it is kept as a snapshot. What was set behind it goes next, and
 * may be held as well.
 */
async function releaseHeld(world: World): Promise<void> {
  // What a back end has written as no game reads it is shown as held, and is nobody's to discard.
  const areHeld = (): boolean => world.playable().some((game) => game.held().some(({ key }) => key !== oddKey));
  for (let round = 0; round <= mostBehind && (round === 0 || areHeld()); round += 1) {
    for (const act of ['retry', 'discard'] as const) {
      for (const game of world.playable()) for (const { name, key } of game.held()) game[act](name, key);
      await settle(world);
    }
  }
  if (areHeld()) world.truth.wrong('is held, however often it is given up');
}

/** Where somebody plays, all that the device owes the account is sent. */
async function expectSent(
  { devices, playable, truth }: World,
  what: string,
  counts: (write: Write) => boolean,
): Promise<void> {
  for (const device of devices) {
    // What its other home has is sent from the next start on, which finds that again.
    if (device.isElsewhere) continue;
    const games = playable().filter(({ page }) => page.device === device);
    const account = games[0]?.page.client.auth.userId ?? null;
    if (account === null || games.some(({ page }) => page.client.auth.userId !== account)) continue;
    const isListed = ({ collection, key }: Write): boolean =>
      games.some((game) => game.held().some((held) => held.name === collection && held.key === key));
    for (const write of truth.owed(device, account)) {
      // What a page left that was gone, or its client, before it knew its account, or what became of its choice, is taken in by the next one that
      // starts.
      const by = write.earlyOn ?? write.leavingOn;
      const isLeft = by !== null && !device.pages.includes(by);
      // What a tab has left in localStorage as it died, which was the home, comes by the next start.
      if (counts(write) && !isListed(write) && !isLeft && !device.hasEntryElsewhere(write.mark))
        truth.wrong(`${what}: ${write.mark} in ${write.collection}/${write.key} of ${account}`);
    }
  }
}

/** Time for everything that waits for time. */
async function settle({ turns }: World): Promise<void> {
  for (const ms of [5_000, minutes(1), minutes(2), minutes(2)]) await turns.pass(ms);
}

/** Starts once more, and signs in as whoever owes something here; gives the accounts that nothing leads to any more. */
async function bringHome(world: World, index: number, device: Device): Promise<string[]> {
  let game = world.open(index, 0);
  await settle(world);
  if (game.page.client.storage.kind === 'indexedDB' && device.hasEarlyElsewhere) {
    // Both homes had something from before an account: what localStorage has comes by the start after the one that made one.
    game.page.kill();
    game = world.open(index, 0);
    await settle(world);
  }
  const { client } = game.page;
  const lost: string[] = [];
  for (const account of withHeirs(world, world.truth.accountsOf(device))) {
    for (const go of await waysTo(world, account, game)) {
      if (client.auth.userId === account) break;
      if (client.auth.userId !== null) game.signOut();
      await world.turns.rest();
      go();
      await settle(world);
    }
    game.flush();
    await settle(world);
    await releaseHeld(world);
    if (client.auth.userId !== account) lost.push(account);
  }
  // What a page had set that died before the promise resolved is no debt, and may be held all the same.
  if (game.held().length > 0) await releaseHeld(world);
  for (const call of game.calls.waiting()) world.truth.wrong(`never settles: ${call}`);
  return lost;
}

/** These accounts, and those that the device has given what it had of them: they may have been signed out since. */
function withHeirs(world: World, accounts: readonly string[]): Set<string> {
  world.lookForHeirs();
  const all = new Set(accounts);
  for (const account of all) {
    const heir = world.service.heirs.get(account);
    if (heir !== undefined) all.add(heir);
  }
  return all;
}

async function waysTo({ service, removed }: World, account: string, game: Game): Promise<(() => void)[]> {
  const ways = [() => game.signIn(null)];
  for (const name of ['ada', 'bob']) if ((await service.ownerOf(name)) === account) ways.push(() => game.signIn(name));
  const code = removed.get(account);
  if (code !== undefined) ways.unshift(() => game.restore(code));
  return ways;
}

/** Every device shows what the service has. */
async function agree(world: World): Promise<void> {
  const { truth, service } = world;
  for (const game of world.playable()) {
    const { client, device } = game.page;
    game.load();
    await settle(world);
    game.look();
    const account = client.auth.userId;
    if (account === null) continue;
    for (const name of world.names) {
      if (name === 'aged') continue;
      const shown = game.shown(name);
      const { $savepoint: _, ...stored } = (await service.value(account, name, 'main')) ?? {};
      const isSame =
        shown === undefined ? Object.keys(stored).length === 0 : JSON.stringify(shown) === JSON.stringify(stored);
      if (!isSame)
        truth.wrong(
          `${device.name} shows ${JSON.stringify(shown)} in ${name}, and the service has ${JSON.stringify(stored)}`,
        );
    }
    if (client.profile.status !== 'synced') truth.wrong(`${device.name} is ${client.profile.status} in the end`);
  }
  world.check();
}
