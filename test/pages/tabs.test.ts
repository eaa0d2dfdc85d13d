import { describe, expect } from 'vitest';
import { isProof, it, patient } from './game-pages.js';

/** How often four tabs count without locks between them. */
const runs = isProof ? 20 : 2;

/** What `collectAll` collects. */
const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

describe('tabs without the Web Locks API', () => {
  it(`count right, four with 60 updates each, ${runs} runs of ${runs}`, patient, async ({ site }) => {
    const tabs = await Promise.all(['a', 'b', 'c', 'd'].map(() => site.open('no-locks')));
    expect(await Promise.all(tabs.map((tab) => tab.start()))).toEqual([null, null, null, null]);
    const users = new Set((await Promise.all(tabs.map((tab) => tab.look()))).map(({ userId }) => userId));
    expect(users.size).toBe(1);
    const [userId = ''] = users;
    expect(await Promise.all(tabs.map((tab) => tab.run(() => 'locks' in navigator)))).not.toContain(true);
    const counted: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      const collect = (prefix: string, key: string) => game.collectAll(prefix, 60, key);
      await Promise.all(tabs.map((tab, index) => tab.run(collect, `${index}-`, `run-${run}`)));
      await Promise.all(tabs.map((tab) => tab.flush()));
      const saved = await site.savedPurse(userId ?? '', `run-${run}`);
      expect([...(saved?.names ?? [])].sort()).toEqual([0, 1, 2, 3].flatMap((tab) => namesOf(`${tab}-`, 60)).sort());
      counted.push(saved?.coins ?? 0);
    }
    expect(counted).toEqual(counted.map(() => 240));
    for (const tab of tabs) await tab.see({ refused: [], complaints: [], acknowledged: 60 * runs });
  });
});

describe('tabs of a browser without IndexedDB', () => {
  // Firefox lets the timers of a tab in the background ring once a second: more would take minutes.
  it('count right in localStorage, three with 10 updates each', patient, async ({ site }) => {
    const tabs = await Promise.all(['a', 'b', 'c'].map(() => site.open('no-indexed-db')));
    for (const tab of tabs) expect(await tab.start()).toBeNull();
    const standings = await Promise.all(tabs.map((tab) => tab.look()));
    const [userId = null] = standings.map((standing) => standing.userId);
    expect(standings.map(({ kind }) => kind)).toEqual(tabs.map(() => 'localStorage'));
    await Promise.all(tabs.map((tab, index) => tab.run((prefix) => game.collectAll(prefix, 10), `${index}-`)));
    for (const tab of tabs) await tab.flush();
    const saved = await site.savedPurse(userId ?? '');
    expect([...(saved?.names ?? [])].sort()).toEqual([0, 1, 2].flatMap((tab) => namesOf(`${tab}-`, 10)).sort());
    expect(saved?.coins).toBe(30);
    for (const tab of tabs) await tab.see({ refused: [], complaints: [], acknowledged: 10 });
  });
});

describe('tabs that are left and seen again while they count', () => {
  it('count each coin once, three with 40 updates each', patient, async ({ site }) => {
    const tabs = await Promise.all(['a', 'b', 'c'].map(() => site.open()));
    expect(await Promise.all(tabs.map((tab) => tab.start()))).toEqual([null, null, null]);
    const [userId = null] = (await Promise.all(tabs.map((tab) => tab.look()))).map((standing) => standing.userId);
    const collect = async (prefix: string): Promise<void> => {
      let isOver = false;
      const playing = game.collectAll(prefix, 40).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        dispatchEvent(new Event('pagehide'));
        dispatchEvent(new Event('pageshow'));
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
      return playing;
    };
    await Promise.all(tabs.map((tab, index) => tab.run(collect, `${index}-`)));
    for (const tab of tabs) await tab.see({ refused: [], complaints: [], acknowledged: 40 });
    for (const tab of [...tabs, ...tabs]) await tab.flush();
    const saved = await site.savedPurse(userId ?? '');
    expect([...(saved?.names ?? [])].sort()).toEqual([0, 1, 2].flatMap((tab) => namesOf(`${tab}-`, 40)).sort());
    expect(saved?.coins).toBe(120);
  });
});

describe.concurrent('a worker beside the page', () => {
  it('plays the page’s save, and the page is the same player after a reload', patient, async ({ site }) => {
    const page = await site.open();
    expect(await page.start()).toBeNull();
    const { userId } = await page.look();
    const [worker] = await Promise.all([
      page.run(() => askWorker({ prefix: 'worker-', count: 20 })),
      page.run(() => game.collectAll('page-', 20)),
    ]);
    expect(worker).toMatchObject({ userId, kind: 'indexedDB', acknowledged: 20, refused: [], complaints: [] });
    await page.reload();
    expect(await page.start()).toBeNull();
    await page.see({ userId, coins: 40 });
    await page.flush();
    const saved = await site.savedPurse(userId ?? '');
    expect(saved?.coins).toBe(40);
    expect([...(saved?.names ?? [])].sort()).toEqual([...namesOf('page-', 20), ...namesOf('worker-', 20)].sort());
  });

  it('that starts first is not replaced by the page', patient, async ({ site }) => {
    const page = await site.open();
    const worker = await page.run(() => askWorker({ prefix: 'worker-', count: 1 }));
    expect(worker).toMatchObject({ acknowledged: 1, complaints: [] });
    expect(await page.start()).toBeNull();
    expect(await page.look()).toMatchObject({ userId: worker.userId, coins: 1 });
  });
});

describe.concurrent('a client that is disposed of during a save', () => {
  it('settles every promise, leaves nothing unhandled, and keeps what it acknowledged', patient, async ({ site }) => {
    const page = await site.open();
    expect(await page.start()).toBeNull();
    const standings = await page.run(async () => {
      const standings = [];
      // At once, after some steps of the save, and while it is being sent.
      for (const ms of [null, 0, 1, 2, 4, 8, 16, 64, 300, 350, 400]) {
        const another = newGame();
        await another.start();
        const saving = [another.collect(`first-${ms}`), another.collect(`second-${ms}`)];
        if (ms !== null) await new Promise((resolve) => setTimeout(resolve, ms));
        another.client.dispose();
        await Promise.all(saving);
        await another.collect(`late-${ms}`);
        standings.push(another.look());
      }
      return standings;
    });
    for (const { started, acknowledged, refused } of standings) {
      expect(started).toBe(3);
      expect(acknowledged + refused.length).toBe(3);
      // What comes after it is nobody's.
      expect(refused.at(-1)).toBe('not_authenticated');
      expect(refused.slice(0, -1)).toEqual(refused.slice(0, -1).map(() => 'aborted'));
    }
    const acknowledged = standings.reduce((sum, standing) => sum + standing.acknowledged, 0);
    const { coins, complaints } = await page.look();
    expect(coins).toBeGreaterThanOrEqual(acknowledged);
    expect(complaints).toEqual([]);
  });
});
