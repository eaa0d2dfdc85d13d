import { describe, expect, it } from 'vitest';
import type { Device, Page } from '../world/device.js';
import { browser, createStage, holdStage, type Stage } from './stage.js';

holdStage();

/** What the game counts in all: no part of a sum of the others, so that the total tells what was lost or doubled. */
const [before, unsent, early, sent, kept, beside] = [1000, 300, 70, 20, 5, 1];

const options = { progress: { merge: { coins: 'sum' } }, other: {} } as const;

/** IndexedDB refuses, and nothing is left that says that it is the home: the game starts in localStorage. */
async function startElsewhere({ devices, start, turns }: Stage, tab = 0): Promise<Page> {
  const [device] = devices as [Device];
  device.localShelf.texts.clear();
  device.shelf.isBlocked = true;
  const page = await start(0, tab);
  await turns.pass(3_000);
  expect(page.client.storage.kind).toBe('localStorage');
  return page;
}

/** Signs in to the account that the name leads to, whatever is played here. */
async function signInAsAda({ run }: Stage, page: Page): Promise<void> {
  await run(page, ({ auth }) => auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' }));
}

/** Adds coins in the page, and lets the service have them where it can be reached. */
async function earn({ make, turns }: Stage, page: Page, coins: number): Promise<void> {
  const made = await make(page, ({ profile }) =>
    profile.collection('progress').update('main', (value) => ({ coins: Number(value?.['coins'] ?? 0) + coins })),
  );
  expect(made.isSettled && made.error === undefined).toBe(true);
  await turns.pass(5_000);
}

/**
 * A device whose player was linked in IndexedDB, and was played on there without a network; then IndexedDB refused, nothing
 * was left that said so, and a guest was played in localStorage: before he had an account, after, and without a network.
 * Without an account, or a guest, the network never comes there.
 */
async function leaveTwoHomes({ hasAccount = true, hasGuest = true } = {}): Promise<{
  stage: Stage;
  ada: string | null;
  guest: Page;
}> {
  const stage = createStage([browser], options);
  const { devices, start, signIn, turns } = stage;
  const [device] = devices as [Device];
  if (!hasAccount) device.network.set('off');
  const first = await start(0);
  const ada = hasAccount ? await signIn(first) : null;
  await earn(stage, first, before);
  device.network.set('off');
  await earn(stage, first, unsent);
  first.kill();
  const guest = await startElsewhere(stage);
  await earn(stage, guest, early);
  if (hasGuest) device.network.set('on');
  await turns.pass(60_000);
  expect(guest.client.auth.userId !== null).toBe(hasGuest);
  await earn(stage, guest, sent);
  device.network.set('off');
  await earn(stage, guest, kept);
  device.mend();
  device.network.set('on');
  return { stage, ada, guest };
}

/** The guest signs out without a network, and leaves the game. */
async function signOutAndGo({ devices, run }: Stage, page: Page): Promise<void> {
  const [device] = devices as [Device];
  device.network.set('off');
  await run(page, ({ auth }) => auth.signOut());
  page.kill();
  device.network.set('on');
}

/** Starts the game as often as it takes until localStorage has nothing of it, and gives the last page. */
async function settle({ start, turns }: Stage): Promise<Page> {
  let page = await start(0);
  for (let starts = 0; starts < 3; starts += 1) {
    await turns.pass(120_000);
    page.kill();
    page = await start(0);
  }
  await turns.pass(120_000);
  return page;
}

/** Opens the game, which dies at that operation of its storages. Says whether it lived through all of them. */
async function dieAt(stage: Stage, operations: number, isLastDone: boolean): Promise<boolean> {
  const page = stage.startSoon(0, 1);
  page.fuse = { operations, isLastDone };
  await stage.turns.rest();
  await stage.turns.pass(10_000);
  const hasLived = page.isAlive;
  page.kill();
  return hasLived;
}

/** `npm test` lets a page die at every fifth operation, `npm run prove` at each. */
const step = process.env['PROVE'] ? 1 : 5;

/** Tries a case at one operation after the other, until a page has lived through all that it had to do. Gives their number. */
async function atEach(dies: (operations: number) => Promise<boolean>): Promise<number> {
  for (let operations = 1; operations < 200; operations += step) if (await dies(operations)) return operations - 1;
  throw new Error('A page never came to its end.');
}

describe.each([
  ['after', true],
  ['before', false],
])('two homes of a game, where the page that unites them dies right %s an operation', (_, isLastDone) => {
  it.each([
    ['a guest was played in the other one', true, true],
    ['nobody had an account in the other one', true, false],
    ['nobody has ever had an account', false, false],
  ])('are one at last, in which all counts once, where %s', { timeout: 120_000 }, async (__, hasAccount, hasGuest) => {
    const operations = await atEach(async (after) => {
      const { stage, ada, guest } = await leaveTwoHomes({ hasAccount, hasGuest });
      guest.kill();
      const hasLived = await dieAt(stage, after, isLastDone);
      const page = await settle(stage);
      const coins = before + unsent + early + sent + kept;
      expect([after, page.client.storage.kind]).toEqual([after, 'indexedDB']);
      if (hasAccount) expect([after, page.client.auth.userId]).toEqual([after, ada]);
      expect([after, stage.get(page), await stage.stored(page)]).toEqual([after, { coins }, { coins }]);
      expect(page.client.profile.collection('progress').held()).toEqual([]);
      return hasLived;
    });
    expect(operations).toBeGreaterThan(10);
  });

  it('are one at last, in which all counts once, also where the guest of the other one had signed out', {
    timeout: 120_000,
  }, async () => {
    const operations = await atEach(async (after) => {
      const { stage, ada, guest } = await leaveTwoHomes();
      await signOutAndGo(stage, guest);
      const hasLived = await dieAt(stage, after, isLastDone);
      const page = await settle(stage);
      const coins = before + unsent + early + sent + kept;
      expect([after, page.client.auth.userId]).toEqual([after, ada]);
      expect([after, stage.get(page), await stage.stored(page)]).toEqual([after, { coins }, { coins }]);
      return hasLived;
    });
    expect(operations).toBeGreaterThan(10);
  });

  it('are one at last, also where a tab plays on in the one that goes', { timeout: 120_000 }, async () => {
    const operations = await atEach(async (after) => {
      const { stage, ada, guest } = await leaveTwoHomes();
      const hasLived = await dieAt(stage, after, isLastDone);
      await earn(stage, guest, beside);
      guest.kill();
      const page = await settle(stage);
      const coins = before + unsent + early + sent + kept + beside;
      expect([after, page.client.storage.kind, page.client.auth.userId]).toEqual([after, 'indexedDB', ada]);
      expect([after, stage.get(page), await stage.stored(page)]).toEqual([after, { coins }, { coins }]);
      return hasLived;
    });
    expect(operations).toBeGreaterThan(10);
  });
});

it('a tab plays on in IndexedDB while another makes the other home, and nothing of either is lost', async () => {
  const stage = createStage([browser], options);
  const { devices, start, signIn, turns } = stage;
  const [device] = devices as [Device];
  const first = await start(0);
  const ada = await signIn(first);
  await earn(stage, first, before);
  const guest = await startElsewhere(stage, 1);
  await earn(stage, guest, sent);
  await earn(stage, first, unsent);
  device.network.set('off');
  await earn(stage, guest, kept);
  await earn(stage, first, early);
  device.mend();
  const third = await start(0, 2);
  await turns.pass(10_000);
  await earn(stage, first, beside);
  device.network.set('on');
  await turns.pass(60_000);
  for (const page of [first, guest, third]) page.kill();
  const page = await settle(stage);
  const coins = before + sent + unsent + kept + early + beside;
  expect([page.client.auth.userId, stage.get(page), await stage.stored(page)]).toEqual([ada, { coins }, { coins }]);
});

it('keeps both, where two homes have set the same member and no rule says which counts', async () => {
  const stage = createStage([browser], options);
  const { devices, run, set, start, signIn, turns } = stage;
  const [device] = devices as [Device];
  const first = await start(0);
  await signIn(first);
  const guest = await startElsewhere(stage, 1);
  await turns.pass(60_000);
  device.network.set('off');
  await set(guest, { coins: kept, name: 'there' });
  await turns.pass(5_000);
  await set(first, { coins: unsent, name: 'here' });
  await turns.pass(5_000);
  device.mend();
  await start(0, 2);
  await turns.pass(10_000);
  device.network.set('on');
  const page = await settle(stage);
  const seen = new Set([(await stage.stored(page))?.['name']]);
  expect(await stage.stored(page)).toMatchObject({ coins: kept + unsent });
  for (const { id } of await run(page, ({ account }) => account.snapshots())) {
    await run(page, ({ account }) => account.restore(id));
    seen.add((await stage.stored(page))?.['name']);
  }
  expect(seen).toEqual(new Set(['here', 'there']));
});

it('a guest who links a name in the tab that lives on keeps what he sets there', async () => {
  const stage = createStage([browser], options);
  const { devices, start, signIn, turns } = stage;
  const [device] = devices as [Device];
  const first = await start(0);
  first.kill();
  const tab = await startElsewhere(stage);
  await turns.pass(60_000);
  device.mend();
  // Nothing leads to the guest of the tab any more: whoever has IndexedDB is his heir.
  const next = await start(0, 1);
  await turns.pass(10_000);
  expect(next.client.auth.userId).not.toBe(tab.client.auth.userId);
  const eve = await signIn(tab, 'eve');
  device.network.set('off');
  await earn(stage, tab, kept);
  for (const page of [tab, next]) page.kill();
  device.network.set('on');
  const page = await settle(stage);
  expect([page.client.auth.userId, stage.get(page), await stage.stored(eve)]).toEqual([
    eve,
    { coins: kept },
    { coins: kept },
  ]);
});

it.each([1, 2, 3])(
  'a guest who signs out leaves all to his heir, where %i writes fail as the home takes it',
  async (failing) => {
    const stage = createStage([browser], options);
    const { devices, start, signIn, turns, run } = stage;
    const [device] = devices as [Device];
    const first = await start(0);
    const ada = await signIn(first);
    await earn(stage, first, before);
    first.kill();
    const guest = await startElsewhere(stage);
    await turns.pass(60_000);
    device.network.set('off');
    await earn(stage, guest, kept);
    await run(guest, ({ auth }) => auth.signOut());
    guest.kill();
    device.mend();
    device.shelf.failing = failing;
    device.network.set('on');
    // It goes on in localStorage, as the guest whom the device id leads to there.
    const next = await start(0);
    await turns.pass(60_000);
    expect(next.client.storage.kind).toBe('localStorage');
    next.kill();
    const page = await settle(stage);
    const coins = before + kept;
    expect([page.client.auth.userId, stage.get(page), await stage.stored(ada)]).toEqual([ada, { coins }, { coins }]);
  },
);

/** A page of ada in localStorage, and one in IndexedDB that has taken over what the first has not sent. */
async function playInBoth(
  stage: Stage,
  { before, unsent }: { before: (page: Page) => Promise<unknown>; unsent: (page: Page) => Promise<unknown> },
): Promise<{ ada: string; tab: Page; next: Page }> {
  const { devices, start, signIn, turns, run } = stage;
  const [device] = devices as [Device];
  const first = await start(0);
  const ada = await signIn(first);
  await before(first);
  await run(first, ({ profile }) => profile.flush());
  first.kill();
  const tab = await startElsewhere(stage);
  await signInAsAda(stage, tab);
  await run(tab, ({ profile }) => profile.collection('progress').load());
  device.network.set('off');
  await unsent(tab);
  device.mend();
  const next = await start(0, 1);
  await turns.pass(10_000);
  expect([next.client.storage.kind, next.client.auth.userId, tab.client.auth.userId]).toEqual(['indexedDB', ada, ada]);
  return { ada, tab, next };
}

it('a tab whose unsent write the other home has is told of no flush, and of no status synced, before the service has it', async () => {
  const stage = createStage([browser], options);
  const { devices, make, run, turns } = stage;
  const [device] = devices as [Device];
  const { tab } = await playInBoth(stage, {
    before: async () => undefined,
    unsent: (page) => earn(stage, page, kept),
  });
  const early = await make(tab, ({ profile }) => profile.flush());
  expect(early).toMatchObject({ isSettled: true, error: { code: 'storage_unavailable' } });
  expect(turns.read(tab, () => tab.client.profile.status)).toBe('offline');
  device.network.set('on');
  await turns.pass(120_000);
  await run(tab, ({ profile }) => profile.collection('progress').load());
  const late = await make(tab, ({ profile }) => profile.flush());
  expect([late.isSettled, late.error]).toEqual([true, undefined]);
  expect(turns.read(tab, () => tab.client.profile.status)).toBe('synced');
});

// Where the service has none yet, nobody else writes meanwhile.
it.each([before, 0])(
  'what a tab with %i coins has not sent as its home goes counts once, also where others write',
  async (had) => {
    const stage = createStage([browser, browser], options);
    const { devices, start, turns } = stage;
    const [device] = devices as [Device];
    const { ada, tab, next } = await playInBoth(stage, {
      before: async (page) => (had > 0 ? earn(stage, page, had) : undefined),
      unsent: (page) => earn(stage, page, kept),
    });
    expect([stage.get(next), stage.get(tab)]).toEqual([{ coins: had + kept }, { coins: had + kept }]);
    if (had > 0) {
      const elsewhere = await start(1);
      await signInAsAda(stage, elsewhere);
      await stage.run(elsewhere, ({ profile }) => profile.collection('progress').load());
      await earn(stage, elsewhere, unsent);
    }
    await earn(stage, tab, beside);
    // What it has set since comes alone.
    const coins = had + kept + (had > 0 ? unsent : 0) + beside;
    device.network.set('on');
    await turns.pass(120_000);
    expect(await stage.stored(ada)).toEqual({ coins });
    expect(stage.get(await settle(stage))).toEqual({ coins });
  },
);

it('what the service has carried out of a tab as its home goes counts once, though the answer is lost and the tab writes on', async () => {
  const stage = createStage([browser], options);
  const { devices, turns } = stage;
  const [device] = devices as [Device];
  const { ada, tab, next } = await playInBoth(stage, {
    before: (page) => earn(stage, page, before),
    unsent: async (page) => {
      device.network.set('lost');
      await earn(stage, page, kept);
      device.network.set('off');
    },
  });
  next.freeze();
  device.network.set('on');
  await earn(stage, tab, beside);
  await turns.pass(120_000);
  next.thaw();
  await turns.pass(120_000);
  const coins = before + kept + beside;
  expect(await stage.stored(ada)).toEqual({ coins });
  expect(stage.get(await settle(stage))).toEqual({ coins });
});

it.each([
  ['has sent what it took over', true],
  ['waits to send what it took over', false],
])('what a tab sets in the home that goes counts as the latest, where the other one %s', async (_, isSent) => {
  const stage = createStage([browser], { progress: {} });
  const { devices, turns, set } = stage;
  const [device] = devices as [Device];
  const { ada, tab } = await playInBoth(stage, {
    before: (page) => set(page, { level: 1 }),
    unsent: (page) => set(page, { level: 2 }),
  });
  if (isSent) device.network.set('on');
  await turns.pass(60_000);
  device.network.set('off');
  await set(tab, { level: 3 });
  device.network.set('on');
  await turns.pass(120_000);
  expect([await stage.stored(ada), stage.get(tab)]).toEqual([{ level: 3 }, { level: 3 }]);
});

it('what a guest of the other home had is his own where he linked a name before he signed out', async () => {
  const { stage, ada, guest } = await leaveTwoHomes();
  const [device] = stage.devices as [Device];
  await stage.turns.pass(60_000);
  const eve = await stage.signIn(guest, 'eve');
  await stage.turns.pass(60_000);
  device.network.set('off');
  await earn(stage, guest, beside);
  await signOutAndGo(stage, guest);
  const page = await settle(stage);
  expect([page.client.auth.userId, stage.get(page)]).toEqual([ada, { coins: before + unsent }]);
  await stage.run(page, ({ auth }) => auth.switchTo({ method: 'name', username: 'eve', password: 'correct horse' }));
  await stage.turns.pass(60_000);
  const coins = early + sent + kept + beside;
  expect([page.client.auth.userId, stage.get(page), await stage.stored(eve)]).toEqual([eve, { coins }, { coins }]);
});
