import { describe, expect, vi } from 'vitest';
import type { Fault } from './game/faults.js';
import { type GamePage, type GameSite, it, patient } from './game-pages.js';

/** Nothing that is collected reaches the service until it is told to. */
const forever = { times: Number.POSITIVE_INFINITY };
const takeNothing = ({ service }: GameSite): void =>
  service.backend.control.fail({ route: 'updateEntry', with: { status: 503 }, ...forever });
const takeAll = ({ service }: GameSite): void => service.backend.control.restore();

/** A player who has collected a coin that this device has, and the service has not. */
async function playerWithOneCoin(site: GameSite): Promise<{ page: GamePage; userId: string }> {
  takeNothing(site);
  const page = await site.open();
  expect(await page.start()).toBeNull();
  await page.collect('first');
  const { userId } = await page.see({ acknowledged: 1, coins: 1, kind: 'indexedDB' });
  if (userId === null) throw new Error('Nobody is signed in.');
  return { page, userId };
}

/** Everything is with the service, once, and nobody has complained. */
async function seeSaved(site: GameSite, page: GamePage, userId: string, names: readonly string[]): Promise<void> {
  takeAll(site);
  await page.run(() => void game.client.setNetwork('on'));
  const { complaints } = await page.see({ userId, status: 'synced', coins: names.length });
  const saved = await site.savedPurse(userId);
  expect(saved?.coins).toBe(names.length);
  expect([...(saved?.names ?? [])].sort()).toEqual([...names].sort());
  expect(complaints).toEqual([]);
}

describe.concurrent('a start in which IndexedDB does not open', () => {
  it.for<Fault>(['open-never', 'open-refused'])(
    'makes nobody and overwrites nothing: %s',
    patient,
    async (fault, { site }) => {
      const { page, userId } = await playerWithOneCoin(site);
      const guests = () => site.service.backend.control.requests.filter(({ path }) => path.includes('guest')).length;
      const before = guests();
      await page.reload(fault);
      expect(await page.start()).toBe('storage_unavailable');
      await page.startToCollect('second');
      await page.see({ coins: 1, started: 1, acknowledged: 0, status: 'unstored', isFailing: true });
      expect(await page.look()).toMatchObject({ userId: null, heard: ['degraded indexedDB memory'], complaints: [] });
      expect(guests()).toBe(before);

      await page.reload();
      expect(await page.start()).toBeNull();
      await page.see({ userId, coins: 1 });
      await seeSaved(site, page, userId, ['first']);
    },
  );

  it(
    'goes on as the same player where it opens after 6 s, with what was collected meanwhile',
    patient,
    async ({ site }) => {
      const { page, userId } = await playerWithOneCoin(site);
      await page.reload('open-late');
      await page.run(() => {
        void game.start();
        void game.collect('second');
      });
      await page.see({ userId, acknowledged: 1, coins: 2, isFailing: false });
      await seeSaved(site, page, userId, ['first', 'second']);
    },
  );
});

describe.concurrent('a start without localStorage', () => {
  it('is that of the same player, whose name opens the save', patient, async ({ site }) => {
    const { page, userId } = await playerWithOneCoin(site);
    takeAll(site);
    await page.run(async () => (await game.client.auth.withName('ada', 'correct horse')).success);
    await page.reload('no-local-storage');
    expect(await page.start()).toBeNull();
    expect(await page.look()).toMatchObject({ userId, state: 'linked', kind: 'indexedDB' });
    await page.collect('second');
    await page.reload();
    expect(await page.start()).toBeNull();
    expect(await page.look()).toMatchObject({ userId, state: 'linked' });
    await seeSaved(site, page, userId, ['first', 'second']);
  });
});

describe.concurrent('a write that IndexedDB fails', () => {
  it.for<Fault>(['put-aborts-once', 'put-throws-once'])(
    'takes none of 60 others with it, where the page is closed at once: %s',
    patient,
    async (fault, { site }) => {
      takeNothing(site);
      const page = await site.open(fault);
      expect(await page.start()).toBeNull();
      const { userId } = await page.look();
      const names = Array.from({ length: 61 }, (_, index) => `coin-${index}`);
      await page.run(async ([first = '', second = '', ...others]) => {
        await game.collect(first, first);
        // This one fails, alone in its transaction, and is stored by another try.
        await game.collect(second, second);
        await Promise.all(others.map((name) => game.collect(name, name)));
      }, names);
      await page.see({ started: 61, acknowledged: 61, refused: [] });
      await page.close();

      const again = await site.open();
      expect(await again.start()).toBeNull();
      const stored = await again.run(() => game.purse.entries().flatMap(({ value }) => value.names));
      expect(stored.sort()).toEqual([...names].sort());
      takeAll(site);
      await again.flush();
      for (const name of names) expect(await site.savedPurse(userId ?? '', name)).toEqual({ coins: 1, names: [name] });
    },
  );

  it('waits while the disk is full, says so, and is stored when there is room again', patient, async ({ site }) => {
    const { page, userId } = await playerWithOneCoin(site);
    await page.reload('disk-full');
    expect(await page.start()).toBeNull();
    await page.run(() => {
      diskIsFull = true;
    });
    await page.startToCollect('second');
    await page.startToCollect('third');
    await page.see({ coins: 3, started: 2, acknowledged: 0, status: 'unstored', heard: ['degraded indexedDB memory'] });
    await page.run(() => {
      diskIsFull = false;
    });
    await page.see({ acknowledged: 2, isFailing: false, heard: ['degraded indexedDB memory', 'restored indexedDB'] });
    await page.reload();
    expect(await page.start()).toBeNull();
    await seeSaved(site, page, userId, ['first', 'second', 'third']);
  });

  it(
    'leaves what was durable, and what the page could still note as it ended, where the disk is full',
    patient,
    async ({ site }) => {
      const { page, userId } = await playerWithOneCoin(site);
      await page.reload('disk-full');
      expect(await page.start()).toBeNull();
      await page.run(() => {
        diskIsFull = true;
      });
      await page.startToCollect('second');
      await page.see({ coins: 2, acknowledged: 0, status: 'unstored' });
      await page.reload();
      expect(await page.start()).toBeNull();
      await page.see({ coins: 2 });
      await seeSaved(site, page, userId, ['first', 'second']);
    },
  );
});

describe.concurrent('a page that is left while the disk is full', () => {
  it.for(['off', 'on'] as const)(
    'counts once what it could not store: the network is %s',
    patient,
    async (network, { site }) => {
      const { page, userId } = await playerWithOneCoin(site);
      takeAll(site);
      await page.flush();
      await page.run((how) => game.client.setNetwork(how).then(() => {}), network);
      await page.reload('disk-full');
      expect(await page.start()).toBeNull();
      await page.run((how) => game.client.setNetwork(how).then(() => {}), network);
      await page.run(() => {
        diskIsFull = true;
      });
      await page.startToCollect('second');
      await page.see({ coins: 2, acknowledged: 0, status: 'unstored' });
      await page.reload('disk-full-from-start');
      await page.run(() => void game.start());
      await page.see({ isFailing: true });
      await page.run((how) => void game.client.setNetwork(how), network);
      await page.run(() => {
        dispatchEvent(new Event('pagehide'));
        dispatchEvent(new Event('pageshow'));
        diskIsFull = false;
      });
      await page.see({ isFailing: false });
      await page.run(() => game.client.setNetwork('on').then(() => {}));
      await page.see({ status: 'synced', state: 'guest' });
      await page.flush();
      const saved = await site.savedPurse(userId);
      expect(saved?.coins).toBe(saved?.names.length);
    },
  );
});

describe.concurrent('two tabs', () => {
  it.for<Fault>(['stall-once', 'connection-breaks'])(
    'lose nothing that either has acknowledged: %s in one of them',
    patient,
    async (fault, { site }) => {
      takeNothing(site);
      const one = await site.open(fault);
      expect(await one.start()).toBeNull();
      const two = await site.open();
      expect(await two.start()).toBeNull();
      const { userId } = await two.look();
      await one.collect('one-0');
      if (fault === 'stall-once') {
        await vi.waitFor(async () => expect(await one.run(() => isStalled)).toBe(true), 30_000);
      }
      await Promise.all([one.run(() => game.collectAll('one-more-', 5)), two.run(() => game.collectAll('two-', 5))]);
      await one.see({ acknowledged: 6, refused: [], isFailing: false });
      await two.see({ acknowledged: 5, refused: [], isFailing: false });
      await one.close();
      await two.reload();
      expect(await two.start()).toBeNull();
      const names = [0, 1, 2, 3, 4].flatMap((index) => [`one-more-${index}`, `two-${index}`]);
      await seeSaved(site, two, userId ?? '', ['one-0', ...names]);
    },
  );
});
