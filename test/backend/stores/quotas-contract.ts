import { beforeEach, describe, expect, it } from 'vitest';
import type { EntryQuotas, UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import type { PlacedRecord, UsageRecord } from '../../../src/backend/stores/records.js';
import type { MergeRequest } from '../../../src/backend/stores/requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  key,
  loginQuotas,
  newLink,
  newSession,
  openSession,
  owner,
  quotas,
  scope,
  sessionOf,
  snapshot,
} from './contract-records.js';
import { createRandom, type Random } from './writers.js';

const refused = (quota: string, limit: number, used: number) => ({ outcome: 'quota_exceeded', quota, limit, used });

const bytesOf = (entries: readonly { text: string; times?: string | undefined }[]): number =>
  entries.reduce((sum, { text, times = '' }) => sum + Buffer.byteLength(text) + Buffer.byteLength(times), 0);

/** What an account may hold, and that it holds what it is said to. */
export function describeQuotas(create: () => Store | Promise<Store>): void {
  let store: Store;
  let ids = 0;
  const newSnapshot = (more: { max?: number; maxBytes?: number } = {}) => snapshot(`s-${++ids}`, more);

  beforeEach(async () => {
    store = await create();
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
  });

  const write = (entry: string, text: string, limits: Partial<EntryQuotas> = {}, more: Partial<UpdateRequest> = {}) =>
    store.updateEntry({
      owner: owner('a'),
      sessionId: null,
      collection: 'c',
      key: entry,
      text,
      version: -1,
      snapshot: newSnapshot(),
      quotas: quotas(100, limits),
      now: 5,
      ...more,
    });
  const usage = async (accountId = 'a', now = 6) => store.readUsage({ owner: owner(accountId), now });
  const entriesOf = async (accountId = 'a'): Promise<PlacedRecord[]> =>
    (await store.readProfile(owner(accountId)))?.entries ?? [];
  const list = () => store.listSnapshots({ owner: owner('a'), now: 6 });

  /** The same, counted anew. */
  async function recount(accountId: string): Promise<Partial<UsageRecord>> {
    const entries = await entriesOf(accountId);
    const sizes = new Map<string, number>();
    for (const { collection } of entries) sizes.set(collection, (sizes.get(collection) ?? 0) + 1);
    const kept = await store.listSnapshots({ owner: owner(accountId), now: 6 });
    return {
      values: bytesOf(entries),
      entries: Math.max(0, ...sizes.values()),
      collections: sizes.size,
      snapshots: kept.length,
      snapshotBytes: kept.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  describe('quotas', () => {
    it('are of bytes of UTF-8, of all collections together', async () => {
      const text = '{"é":"😀"}';
      expect(Buffer.byteLength(text)).toBe(13);
      const limits = { values: 26 };
      expect((await write('k', text, limits)).outcome).toBe('written');
      expect(await write('k', `${text}  `.repeat(2), limits, { version: 0 })).toEqual(refused('values', 26, 13));
      expect(await write('k', text, { values: 25 }, { collection: 'd' })).toEqual(refused('values', 25, 13));
      expect((await write('k', text, limits, { collection: 'd' })).outcome).toBe('written');
      expect(await write('x', '{}', limits, { version: 'absent' })).toEqual(refused('values', 26, 26));
      expect(await write('k', `${text} `, limits)).toEqual(refused('values', 26, 26));
      expect(await usage()).toMatchObject({ values: 26, entries: 1, collections: 2, snapshots: 0 });
      expect((await entriesOf()).map((entry) => entry.text)).toEqual([text, text]);
    });

    it('count the times that a device keeps beside a value, as long as they are there', async () => {
      const times = '{"é":1}';
      const limits = { values: 12 };
      expect(await write('k', '{}', { values: 9 }, { times })).toEqual(refused('values', 9, 0));
      for (const version of ['absent', 0, -1] as const) {
        expect((await write('k', '{}', limits, { times, version })).outcome).toBe('written');
      }
      expect(await usage()).toMatchObject({ values: 10 });
      for (const version of [2, -1]) {
        expect(await write('k', '{"n":1}', limits, { version })).toEqual(refused('values', 12, 10));
      }
      expect((await write('k', '{ }', limits, { times: '{"e":1}', version: 2 })).outcome).toBe('written');
      expect(await write('l', '{}', limits, { times })).toEqual(refused('values', 12, 10));
      expect((await write('k', '{"n":1}', limits, { times: '{}' })).outcome).toBe('written');
      expect(await usage()).toMatchObject({ values: 7 });
      expect((await list()).map(({ bytes }) => bytes)).toEqual([10]);
      expect(await usage()).toMatchObject(await recount('a'));
    });

    it('count times that stay where the value grows within its room', async () => {
      const times = `{"${'x'.repeat(44)}":1}`;
      expect(times).toHaveLength(50);
      await write('k', ' '.repeat(100), { values: 1_000 }, { times });
      for (const version of [0, -1]) {
        expect(await write('k', ' '.repeat(151), { values: 200 }, { version })).toEqual(refused('values', 200, 150));
      }
      expect(await write('k', ' '.repeat(150), { values: 200 }, { version: 0 })).toEqual({
        outcome: 'written',
        version: 1,
      });
      expect(await usage()).toMatchObject({ values: 200 });
    });

    it('change nothing of what is refused: no entry, no version, no snapshot, no ledger', async () => {
      await write('k', '{"n":1}');
      const name = { device: 'device', write: 'write' };
      for (const version of [-1, 0]) {
        expect(await write('k', '{"n":12}', { values: 7 }, { version, name })).toEqual(refused('values', 7, 7));
      }
      expect(await entriesOf()).toMatchObject([{ text: '{"n":1}', version: 0 }]);
      expect(await list()).toEqual([]);
      expect(await write('k', '{"n":12}', {}, { version: 0, name })).toEqual({ outcome: 'written', version: 1 });
      // Carried out once, it is answered so, however full the account is by then.
      expect(await write('k', '{"n":12}', { values: 0 }, { version: 0, name })).toEqual({
        outcome: 'written',
        version: 1,
      });
    });

    it('let an account that holds more write what takes no more', async () => {
      await write('k', '{"n":123}');
      await write('l', '{}', {}, { collection: 'd' });
      const none = { values: 0, entries: 0, collections: 0 };
      expect(await write('k', '{"n":1234}', none, { version: 0 })).toEqual(refused('values', 0, 11));
      expect(await write('k', '{"n":321}', none, { version: 0 })).toEqual({ outcome: 'written', version: 1 });
      expect(await write('k', '{"n":12}', none)).toEqual({ outcome: 'written', version: 2 });
      expect(await write('k', '{"n":1}', none, { version: 2, name: { device: 'd', write: 'w' } })).toMatchObject({
        version: 3,
      });
      expect(await write('m', '{}', none)).toEqual(refused('entries', 0, 1));
      expect(await usage()).toMatchObject({ values: 9 });
    });

    it('are of collections, and of the entries of each', async () => {
      const limits = { entries: 1, collections: 1 };
      expect((await write('k', '{}', limits)).outcome).toBe('written');
      expect(await write('l', '{}', limits)).toEqual(refused('entries', 1, 1));
      expect(await write('k', '{}', limits, { collection: 'd' })).toEqual(refused('collections', 1, 1));
      expect((await write('k', '{}', { ...limits, collections: 2 }, { collection: 'd' })).outcome).toBe('written');
      expect(await usage()).toMatchObject({ entries: 1, collections: 2 });
      await store.ensureAccount({ link: newLink('device', 'two'), accountId: 'b', now: 1 });
      expect((await write('k', '{}', limits, { owner: owner('b') })).outcome).toBe('written');
      expect(await usage('b')).toEqual({
        values: 2,
        entries: 1,
        collections: 1,
        snapshots: 0,
        snapshotBytes: 0,
        devices: 1,
        sessions: 0,
      });
      expect(await usage('nobody')).toBeNull();
    });

    it('count many collections, whatever they are called', async () => {
      const names = Array.from({ length: 100 }, (_, n) => ['', '\u{1F600}', '\uFFFD', 'é'][n % 4] + String(n));
      for (const collection of names) await write('k', '{}', { collections: 100 }, { collection });
      for (const collection of names) await write('l', '{}', { collections: 100 }, { collection });
      expect(await write('k', '{}', { collections: 100 }, { collection: 'more' })).toEqual(
        refused('collections', 100, 100),
      );
      expect(await usage()).toMatchObject({ values: 400, entries: 2, collections: 100 });
    });

    it('are not passed by fifty new entries at once', async () => {
      const at = (limits: Partial<EntryQuotas>, collection: (n: number) => string) =>
        Promise.all(
          Array.from({ length: 50 }, (_, n) =>
            write(`k${n}`, '{"n":1}', limits, { version: n % 2 === 0 ? -1 : 'absent', collection: collection(n) }),
          ),
        );
      const written = (all: { outcome: string }[]) => all.filter(({ outcome }) => outcome === 'written').length;
      expect(written(await at({ values: 70 }, () => 'c'))).toBe(10);
      expect(written(await at({ entries: 7 }, () => 'd'))).toBe(7);
      expect(written(await at({ collections: 5 }, (n) => `of-${n}`))).toBe(3);
      expect(await usage()).toMatchObject(await recount('a'));
    });

    it('are not passed by fifty entries that grow at once, and leave room for those that shrink', async () => {
      for (let n = 0; n < 50; n += 1) await write(`k${n}`, '{"n":10}');
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          write(`k${n}`, n % 5 === 0 ? '{}' : '{"n":"0123456789"}', { values: 400 }, { version: n % 2 === 0 ? 0 : -1 }),
        ),
      );
      const shrunk = outcomes.filter(({ outcome }, n) => n % 5 === 0 && outcome === 'written');
      expect(shrunk).toHaveLength(10);
      expect((await usage())?.values).toBeLessThanOrEqual(400);
      expect(await usage()).toMatchObject(await recount('a'));
    });

    it('are counted once where fifty write one entry at once', async () => {
      await write('k', '{}');
      const text = (n: number) => JSON.stringify({ n: 'x'.repeat(n) });
      await Promise.all(Array.from({ length: 50 }, (_, n) => write('k', text(n), {}, { version: 0 })));
      await Promise.all(Array.from({ length: 50 }, (_, n) => write('k', text(n))));
      expect(await usage()).toMatchObject(await recount('a'));
    });
  });

  describe('snapshots within their quotas', () => {
    const add = (max: number, maxBytes: number, text: string) => {
      const entry = { collection: 'c', key: 'k', text, version: -1, changedAt: 5 };
      return store.addSnapshot({
        owner: owner('a'),
        sessionId: null,
        entry,
        snapshot: newSnapshot({ max, maxBytes }),
        now: 5,
      });
    };
    const bytes = async () => (await list()).map((each) => each.bytes);

    it('go, the oldest first, until there is room in bytes', async () => {
      for (const text of ['{"n":1}', '{"n":12}', '{"n":123}']) await add(9, 24, text);
      expect(await bytes()).toEqual([9, 8, 7]);
      await add(9, 24, '{}');
      expect(await bytes()).toEqual([2, 9, 8]);
      await add(9, 24, '{"n":"😀😀"}');
      expect(await bytes()).toEqual([16, 2]);
    });

    it('stay where one alone has more than all may have, which is made all the same', async () => {
      await add(9, 10, '{"n":1}');
      await add(9, 10, '{"n":12345678}');
      expect(await bytes()).toEqual([14]);
      await add(1, 10, '{"n":1}');
      expect(await bytes()).toEqual([7]);
    });

    it('go the same way for a forced write, of fifty at once too', async () => {
      for (let n = 0; n < 50; n += 1) await write(`k${n}`, '{"n":0}');
      const more = () => ({ snapshot: newSnapshot({ max: 5, maxBytes: 1_000 }) });
      await Promise.all(Array.from({ length: 50 }, (_, n) => write(`k${n}`, '{"n":1}', {}, more())));
      expect(await list()).toHaveLength(5);
      const less = () => ({ snapshot: newSnapshot({ max: 100, maxBytes: 22 }) });
      await Promise.all(Array.from({ length: 50 }, (_, n) => write(`k${n}`, '{"n":2}', {}, less())));
      expect(await bytes()).toEqual([7, 7, 7]);
      // One after the other nothing is in the way of the quicker statement for it.
      for (let n = 0; n < 3; n += 1) await write(`k${n}`, '{"n":3}', {}, less());
      expect(await bytes()).toEqual([7, 7, 7]);
      expect(await usage()).toMatchObject(await recount('a'));
    });

    it('of a whole profile are pushed out by no single entry for its bytes', async () => {
      await write('k', '{"n":1}');
      await add(9, 100, '{"n":100}');
      const [whole] = await list();
      await store.restoreSnapshot({
        key: { ...owner('a'), snapshotId: whole?.snapshotId ?? '' },
        sessionId: null,
        quotas: quotas(10),
        snapshot: newSnapshot(),
        now: 5,
      });
      expect((await list()).map(({ reason }) => reason)).toEqual(['restore', 'mismatch']);
      await write('k', '{"n":2}', {}, { snapshot: newSnapshot({ maxBytes: 7 }) });
      expect((await list()).map(({ reason }) => reason)).toEqual(['overwrite', 'restore']);
      await add(9, 7, '{"n":3}');
      expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch', 'restore']);
    });

    it('of one merge stay both', async () => {
      await twoSides();
      await writeTo('local', 'k', '{"n":1}');
      await writeTo('cloud', 'k', '{"n":2}');
      const snapshots = [newSnapshot({ max: 1, maxBytes: 7 }), newSnapshot({ max: 1, maxBytes: 7 })] as const;
      expect((await merge({ snapshots })).outcome).toBe('resolved');
      const kept = await store.listSnapshots({ owner: owner('cloud'), now: 6 });
      expect(kept.map(({ fromId, bytes }) => [fromId, bytes])).toEqual([
        ['local', 7],
        ['cloud', 7],
      ]);
    });
  });

  const writeTo = (accountId: string, entry: string, text: string, collection = 'c') =>
    write(entry, text, {}, { owner: owner(accountId), collection });

  /** Two accounts in a conflict. */
  async function twoSides(): Promise<void> {
    const link = newLink('name', 'ada');
    await store.ensureAccount({ link, accountId: 'cloud', now: 1 });
    await store.ensureAccount({ link: newLink('device', 'two'), accountId: 'local', now: 1 });
    await openConflict();
  }

  let ticket = '';

  async function openConflict(): Promise<void> {
    ticket = `ticket-${++ids}`;
    await openSession(store, sessionOf('local', ticket, key('device', 'two'), 'two'));
    const found = await store.findLink(key('name', 'ada'));
    const opened = await store.openTicket({
      ...key('name', 'ada'),
      ticket,
      linkRevision: found?.revision ?? 0,
      localId: 'local',
      cloudId: 'cloud',
      sessionId: ticket,
      device: 'two',
      expiresAt: 10_000,
      choice: null,
      resolvedSessionId: null,
    });
    expect(opened).toBe('opened');
  }

  async function merge({
    limits = {},
    snapshots = [newSnapshot(), newSnapshot()],
    writes,
  }: {
    limits?: Partial<EntryQuotas>;
    snapshots?: readonly [ReturnType<typeof newSnapshot>, ReturnType<typeof newSnapshot>];
    writes?: MergeRequest['writes'];
  } = {}) {
    const local = await entriesOf('local');
    const restsOn = { local, cloud: await entriesOf('cloud') };
    return store.resolveConflict({
      quotas: loginQuotas,
      scope,
      ticket,
      device: 'two',
      choice: 'merge',
      merge: { writes: writes ?? local, restsOn, quotas: quotas(100, limits) },
      session: newSession(`merged-${ticket}`),
      snapshots,
      now: 5,
    });
  }

  describe('the totals', () => {
    it('are moved by a merge, which is refused as a whole beyond a quota', async () => {
      await twoSides();
      await writeTo('cloud', 'k', '{"n":123456}');
      await writeTo('local', 'k', '{}');
      await writeTo('local', 'new', '{"é":1}', 'd');
      expect(await merge({ limits: { collections: 1 } })).toEqual(refused('collections', 1, 1));
      expect(await merge({ limits: { entries: 0 } })).toEqual(refused('entries', 0, 0));
      const grown = [{ collection: 'c', key: 'k', text: '{"n":1234567}' }];
      expect(await merge({ limits: { values: 12 }, writes: grown })).toEqual(refused('values', 12, 12));
      expect(await entriesOf('cloud')).toMatchObject([{ text: '{"n":123456}', version: 0 }]);
      expect(await usage('cloud')).toMatchObject({ values: 12, snapshots: 0 });
      expect((await merge({ limits: { values: 0 } })).outcome).toBe('resolved');
      expect(await usage('cloud')).toMatchObject({ values: 10, entries: 1, collections: 2, sessions: 1, devices: 1 });
      expect(await usage('cloud')).toMatchObject(await recount('cloud'));
      expect(await usage('local')).toMatchObject({ values: 10, devices: 0, sessions: 0 });
    });

    it('are moved by the return of a snapshot, which is refused as a whole beyond a quota', async () => {
      await write('k', '{"n":12345}');
      await write('k', '{}', {}, { snapshot: snapshot('lost') });
      const restore = (limits: Partial<EntryQuotas>) =>
        store.restoreSnapshot({
          key: { ...owner('a'), snapshotId: 'lost' },
          sessionId: null,
          quotas: quotas(10, limits),
          snapshot: newSnapshot(),
          now: 5,
        });
      expect(await restore({ values: 10 })).toEqual(refused('values', 10, 2));
      expect(await list()).toHaveLength(1);
      expect(await usage()).toMatchObject({ values: 2 });
      expect((await restore({ values: 11 })).outcome).toBe('restored');
      expect(await usage()).toMatchObject({ values: 11 });
      expect(await usage()).toMatchObject(await recount('a'));
    });

    it('go with their account', async () => {
      await write('k', '{"n":1}');
      const elsewhere = { link: newLink('custom', 'elsewhere'), accountId: 'elsewhere', now: 2 };
      await store.ensureAccount(elsewhere);
      await store.restoreAccount({
        quotas: loginQuotas,
        owner: owner('elsewhere'),
        link: newLink('device', 'one'),
        now: 2,
      });
      expect(await usage()).toMatchObject({ values: 7, devices: 0 });
      await store.restoreAccount({ quotas: loginQuotas, owner: owner('a'), link: newLink('device', 'one'), now: 3 });
      expect(await usage()).toMatchObject({ values: 7, devices: 1 });
      await store.restoreAccount({
        quotas: loginQuotas,
        owner: owner('elsewhere'),
        link: newLink('device', 'one'),
        now: 4,
      });
      await store.removeExpired({ now: 4, orphanedBefore: 5, deletedBefore: 0, batch: 100 });
      expect(await usage()).toBeNull();
      await store.ensureAccount({ link: newLink('device', 'new'), accountId: 'a', now: 6 });
      expect(await usage()).toMatchObject({ values: 0, collections: 0 });
    });

    it.each([1, 2, 3])(
      'are what a recount gives after hundreds of operations, many at once (seed %i)',
      async (seed) => {
        await twoSides();
        const random = createRandom(seed);
        for (let round = 0; round < 8; round += 1) {
          await Promise.all(Array.from({ length: 20 }, () => somebody(random)));
          if (round % 4 === 2) await mergeAndPart();
          for (const accountId of ['local', 'cloud']) {
            expect(await usage(accountId)).toMatchObject(await recount(accountId));
            expect((await usage(accountId))?.values).toBeLessThanOrEqual(600);
          }
        }
        const kept = await store.removeExpired({ now: 6_000, orphanedBefore: 0, deletedBefore: 0, batch: 1_000 });
        expect(kept).toBeGreaterThan(0);
        for (const accountId of ['local', 'cloud']) {
          expect(await usage(accountId, 6_000)).toMatchObject({ values: bytesOf(await entriesOf(accountId)) });
          expect(await usage(accountId, 6_000)).toMatchObject({ snapshots: 0, snapshotBytes: 0 });
        }
      },
    );

    const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T;

    /** Some write, with whatever it rests on, or the return of a snapshot. */
    async function somebody(random: Random): Promise<void> {
      const accountId = pick(random, ['local', 'cloud']);
      const limits = { values: 600, entries: 6, collections: 3 };
      const collection = pick(random, ['c', 'd', 'é']);
      const entry = `k${random(8)}`;
      if (random(6) === 0) {
        const kept = await store.listSnapshots({ owner: owner(accountId), now: 6 });
        await store.restoreSnapshot({
          key: { ...owner(accountId), snapshotId: kept[random(Math.max(1, kept.length))]?.snapshotId ?? '' },
          sessionId: null,
          quotas: quotas(6, limits),
          snapshot: newSnapshot({ max: 12, maxBytes: 700 }),
          now: 5,
        });
        return;
      }
      const text = JSON.stringify({ n: pick(random, ['x', 'é', '😀']).repeat(random(20)) });
      await store.updateEntry({
        owner: owner(accountId),
        sessionId: null,
        collection,
        key: entry,
        text,
        times: pick(random, [undefined, undefined, '{}', '{"é":1}', `{"${'x'.repeat(random(20))}":12}`]),
        version: pick(random, [-1, -1, 'absent', 0, 1, 2, 3]),
        name: pick(random, [undefined, { device: 'one', write: `w-${++ids}` }]),
        snapshot: newSnapshot({ max: 12, maxBytes: 700 }),
        quotas: limits,
        now: 5,
      });
    }

    /** A merge, after which the two are apart again, and in another conflict. */
    async function mergeAndPart(): Promise<void> {
      const outcome = await merge({ limits: { values: 600 } });
      expect(['resolved', 'quota_exceeded']).toContain(outcome.outcome);
      await store.restoreAccount({
        quotas: loginQuotas,
        owner: owner('local'),
        link: newLink('device', 'two'),
        now: 5,
      });
      await openConflict();
    }
  });
}
