import { beforeEach, describe, expect, it } from 'vitest';
import type { UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import type { EntryName, PlacedRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { key, newLink, openSession, owner, quotas, sessionOf, snapshot, stepsOn } from './contract-records.js';

/** Entries, and the snapshots of what they lost. */
export function describeEntries(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, orphan } = stepsOn(() => store);

  beforeEach(async () => {
    store = await create();
  });

  describe('entries', () => {
    const write = (more: Partial<UpdateRequest> = {}) =>
      store.updateEntry({
        owner: owner('a'),
        sessionId: null,
        collection: 'c',
        key: 'k',
        text: '{"n":1}',
        version: -1,
        snapshot: snapshot(`lost-${++writes}`),
        quotas: quotas(10),
        now: 5,
        ...more,
      });
    let writes = 0;
    const read = (collection = 'c') => store.readCollection({ owner: owner('a'), sessionId: null, collection });

    beforeEach(async () => {
      await account('a', newLink('device', 'one'));
    });

    it('are made by -1 with version 0, and rise by one', async () => {
      expect(await write()).toEqual({ outcome: 'written', version: 0 });
      expect(await write()).toEqual({ outcome: 'written', version: 1 });
      expect(await write({ version: 1, text: '{"n":2}', now: 6 })).toEqual({ outcome: 'written', version: 2 });
      expect(await read()).toEqual([{ key: 'k', text: '{"n":2}', version: 2, changedAt: 6 }]);
    });

    it('stay as they are on a mismatch, which carries them', async () => {
      expect(await write({ version: 0 })).toEqual({ outcome: 'mismatch', current: null });
      expect(await read()).toEqual([]);
      await write();
      const current = { key: 'k', text: '{"n":1}', version: 0, changedAt: 5 };
      expect(await write({ version: 1, text: '{}' })).toEqual({ outcome: 'mismatch', current });
      expect(await read()).toEqual([current]);
    });

    it('are created by `absent` once, of fifty at once too', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, n) => write({ version: 'absent', text: `{"n":${n}}` })),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'written')).toEqual([{ outcome: 'written', version: 0 }]);
      expect(outcomes.filter(({ outcome }) => outcome === 'mismatch')).toHaveLength(49);
      const [current] = (await read()) ?? [];
      expect(await write({ version: 'absent', text: '{}' })).toEqual({ outcome: 'mismatch', current });
    });

    it('lose no update of fifty at once', async () => {
      await write();
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => write({ version: 0 })));
      expect(outcomes.filter(({ outcome }) => outcome === 'written')).toHaveLength(1);
      const forced = await Promise.all(Array.from({ length: 50 }, () => write()));
      const versions = forced.map((outcome) => ('version' in outcome ? outcome.version : null));
      expect([...versions].sort((left, right) => Number(left) - Number(right))).toEqual(
        Array.from({ length: 50 }, (_, index) => index + 2),
      );
    });

    it('come in the order of their UTF-8 bytes', async () => {
      const keys = ['z', 'Z', 'é', '\uFFFD', '\u{1F600}', 'a', 'ab', '10', '9', ' '];
      for (const entry of keys) await write({ key: entry });
      const utf8 = (text: string) => Buffer.from(text, 'utf8');
      const expected = [...keys].sort((left, right) => Buffer.compare(utf8(left), utf8(right)));
      expect((await read())?.map((entry) => entry.key)).toEqual(expected);
    });

    it('tell keys apart that only look alike', async () => {
      const keys = ['é', 'e\u0301', 'E', 'e', 'ß', 'ss', 'SS', 'a ', 'a', '%', '_', "'", '$1', '@accounts'];
      for (const [index, entry] of keys.entries()) {
        await write({ key: entry, collection: 'looks', text: `{"n":${index}}`, quotas: quotas(20) });
      }
      const found = new Map((await read('looks'))?.map((entry) => [entry.key, entry.text]));
      expect(keys.map((entry) => found.get(entry))).toEqual(keys.map((_, index) => `{"n":${index}}`));
    });

    it('come back as they were written', async () => {
      const text = '{"b" : 1.0,\n "a":"\\u0000\\ud83d\\ude00😀", "b":1e2}';
      await write({ text });
      expect((await read())?.[0]?.text).toBe(text);
    });

    it('are limited in number, which does not concern those that are there', async () => {
      for (let index = 0; index < 10; index += 1) await write({ key: `k${index}` });
      expect(await write({ key: 'one-more' })).toEqual({
        outcome: 'quota_exceeded',
        quota: 'entries',
        limit: 10,
        used: 10,
      });
      expect(await write({ key: 'k3' })).toEqual({ outcome: 'written', version: 1 });
      expect(await write({ key: 'one-more', collection: 'other' })).toEqual({ outcome: 'written', version: 0 });
      expect(await read()).toHaveLength(10);
    });

    it('are apart for each account, environment and collection', async () => {
      await account('b', newLink('device', 'two'));
      await write();
      expect(await read('other')).toEqual([]);
      expect(await store.readCollection({ owner: owner('b'), sessionId: null, collection: 'c' })).toEqual([]);
      expect(
        await store.readCollection({ owner: { ...owner('a'), environment: 1 }, sessionId: null, collection: 'c' }),
      ).toBeNull();
      expect(await write({ owner: owner('nobody') })).toEqual({ outcome: 'no_account' });
    });

    it('are told to a session of their account that lives, and to no other', async () => {
      await account('b', newLink('device', 'two'));
      await write();
      for (const [accountId, subject, id] of [
        ['a', 'one', 'ends'],
        ['a', 'one', 'lives'],
        ['b', 'two', 'of another'],
      ] as const) {
        expect(await openSession(store, sessionOf(accountId, id, key('device', subject)))).toBe(true);
      }
      await store.endSession({ ...owner('a'), sessionId: 'ends' });
      const readAs = async (sessionId: string) => [
        (await store.readCollection({ owner: owner('a'), sessionId, collection: 'c' }))?.length ?? null,
        (await store.readCollection({ owner: owner('a'), sessionId, collection: 'none' }))?.length ?? null,
        await store.listCollections({ owner: owner('a'), sessionId }),
      ];
      expect(await readAs('lives')).toEqual([1, 0, [{ collection: 'c', revision: 1 }]]);
      for (const id of ['ends', 'of another', '']) expect(await readAs(id)).toEqual([null, null, null]);
    });

    it('give their collections a revision, which grows with each write', async () => {
      const list = (accountId = 'a') => store.listCollections({ owner: owner(accountId), sessionId: null });
      expect(await list()).toEqual([]);
      expect(await list('nobody')).toBeNull();
      await write();
      await write({ collection: '\u{1F600}' });
      await write({ collection: '\uFF00' });
      expect((await list())?.map(({ collection }) => collection)).toEqual(['c', '\uFF00', '\u{1F600}']);
      let last = 1;
      for (const more of [{}, { key: 'other' }, { key: 'other', version: 0 }, { text: '{"n":1}' }]) {
        await write(more);
        const revision = (await list())?.[0]?.revision ?? 0;
        expect(revision).toBe(last + 1);
        last = revision;
      }
      await write({ version: 7 });
      expect((await list())?.[0]).toEqual({ collection: 'c', revision: last });
    });

    it('survive while their account is orphaned', async () => {
      await write();
      await orphan('one', 9);
      expect(await read()).toHaveLength(1);
    });

    it('are read in pages, by collection and key in the order of their UTF-8 bytes', async () => {
      const names = ['z', 'é', '\uFFFD', '\u{1F600}', 'a', 'ab', '10'];
      for (const collection of ['z', '\u{1F600}', '\uFFFD', 'a']) {
        for (const entry of names)
          await write({ collection, key: entry, times: entry === 'a' ? '{"n":1}' : undefined });
      }
      const whole = (await store.readProfile(owner('a')))?.entries ?? [];
      expect(whole).toHaveLength(28);
      for (const max of [1, 4, 7, 27, 28, 100]) {
        const found: PlacedRecord[] = [];
        let page: PlacedRecord[] | null;
        do {
          const { collection = '', key: last = '' } = found.at(-1) ?? {};
          const after = found.length === 0 ? null : { collection, key: last };
          page = await store.readEntries({ owner: owner('a'), after, max });
          expect(page?.length).toBeLessThanOrEqual(max);
          found.push(...(page ?? []));
        } while (page?.length === max);
        expect(found).toEqual(whole);
      }
    });

    it('have a page that begins after an entry that is gone, and none without an account', async () => {
      await write({ key: 'b' });
      const page = (accountId: string, after: EntryName | null) =>
        store.readEntries({ owner: owner(accountId), after, max: 5 });
      expect(await page('a', { collection: 'c', key: 'a' })).toMatchObject([{ collection: 'c', key: 'b' }]);
      expect(await page('a', { collection: 'c', key: 'b' })).toEqual([]);
      expect(await page('nobody', null)).toBeNull();
    });

    it('are read as a whole, with the account', async () => {
      await write({ collection: 'd', key: 'x', text: '{"coins":3}', now: 8 });
      await write({ key: 'b' });
      await write({ key: 'a' });
      expect(await store.readProfile(owner('a'))).toMatchObject({
        account: owner('a'),
        links: [key('device', 'one')],
        entries: [
          { collection: 'c', key: 'a', text: '{"n":1}', version: 0, changedAt: 5 },
          { collection: 'c', key: 'b', text: '{"n":1}', version: 0, changedAt: 5 },
          { collection: 'd', key: 'x', text: '{"coins":3}', version: 0, changedAt: 8 },
        ],
      });
      expect(await store.readProfile(owner('nobody'))).toBeNull();
    });
  });

  describe('snapshots', () => {
    let made = 0;
    const write = (text: string, more: Partial<UpdateRequest> = {}) =>
      store.updateEntry({
        owner: owner('a'),
        sessionId: null,
        collection: 'c',
        key: 'k',
        text,
        version: -1,
        snapshot: snapshot(`snap-${++made}`),
        quotas: quotas(10),
        now: 5,
        ...more,
      });
    const list = (now = 6) => store.listSnapshots({ owner: owner('a'), now });
    const find = (snapshotId: string, accountId = 'a', now = 6) =>
      store.readSnapshot({ key: { ...owner(accountId), snapshotId }, now });
    const add = (snapshotId: string, more: { expiresAt?: number; max?: number } = {}, now = 5) => {
      const entry = { collection: 'c', key: 'k', text: '{"lost":1}', version: -1, changedAt: now };
      return store.addSnapshot({
        owner: owner('a'),
        sessionId: null,
        entry,
        snapshot: snapshot(snapshotId, more),
        now,
      });
    };
    const restore = (snapshotId: string, more: { accountId?: string; maxEntries?: number; now?: number } = {}) =>
      store.restoreSnapshot({
        key: { ...owner(more.accountId ?? 'a'), snapshotId },
        sessionId: null,
        quotas: quotas(more.maxEntries ?? 10),
        snapshot: snapshot(`undo-${++made}`),
        now: more.now ?? 6,
      });
    const read = async () =>
      (await store.readCollection({ owner: owner('a'), sessionId: null, collection: 'c' }))?.map((entry) => [
        entry.key,
        entry.text,
        entry.version,
      ]);

    beforeEach(async () => {
      made = 0;
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
    });

    it('are left by a forced write that changed the text, and by no other', async () => {
      await write('{"é":1}', { version: 'absent' });
      await write('{"é":1}');
      await write('{"é":2}', { version: 1 });
      await write('{"é":3}', { version: 0 });
      expect(await list()).toEqual([]);
      await write('{"é":3}', { snapshot: snapshot('mine') });
      const info = {
        ...owner('a'),
        snapshotId: 'mine',
        createdAt: 5,
        expiresAt: 5_000,
        reason: 'overwrite',
        fromId: 'a',
      };
      expect(await list()).toEqual([{ ...info, entries: 1, bytes: 8 }]);
      expect(await find('mine')).toEqual({
        ...info,
        entries: [{ collection: 'c', key: 'k', text: '{"é":2}', version: 2, changedAt: 5 }],
      });
    });

    it('are found by their account alone, until their end', async () => {
      expect(await add('mine')).toEqual({ outcome: 'kept' });
      expect((await find('mine'))?.entries[0]?.text).toBe('{"lost":1}');
      expect(await find('mine', 'b')).toBeNull();
      expect(await find('mine', 'a', 5_000)).toBeNull();
      expect(await list(5_000)).toEqual([]);
      expect(await restore('mine', { accountId: 'b' })).toEqual({ outcome: 'no_snapshot' });
      expect(await restore('mine', { now: 5_000 })).toEqual({ outcome: 'no_snapshot' });
      expect(await find('none')).toBeNull();
      expect(await store.listSnapshots({ owner: owner('nobody'), now: 6 })).toEqual([]);
      const entry = { collection: 'c', key: 'k', text: '{}', version: -1, changedAt: 1 };
      const request = { owner: owner('nobody'), sessionId: null, entry, snapshot: snapshot('x'), now: 5 };
      expect(await store.addSnapshot(request)).toEqual({ outcome: 'no_account' });
    });

    it('come newest first, and are limited: single entries go first, then the oldest', async () => {
      await write('{"n":1}');
      await write('{"n":2}', { snapshot: snapshot('first') });
      await restore('first');
      await add('second', { max: 3 });
      expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch', 'restore', 'overwrite']);
      await add('third', { max: 3 });
      await add('fourth', { max: 3 });
      expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch', 'mismatch', 'restore']);
      await add('fifth', { max: 1 });
      expect((await list()).map(({ snapshotId }) => snapshotId)).toEqual(['fifth']);
    });

    it('are written back as new versions, and what that overwrites is kept', async () => {
      await write('{"n":1}');
      await write('{"n":2}', { snapshot: snapshot('first') });
      await write('{}', { key: 'other' });
      expect(await restore('first')).toEqual({
        outcome: 'restored',
        entries: [{ collection: 'c', key: 'k', version: 2 }],
      });
      expect(await read()).toEqual([
        ['k', '{"n":1}', 2],
        ['other', '{}', 0],
      ]);
      const [newest] = await list();
      expect(newest?.reason).toBe('restore');
      expect((await find(newest?.snapshotId ?? ''))?.entries).toMatchObject([{ text: '{"n":2}', version: 1 }]);
    });

    it('change nothing where they are written back a second time', async () => {
      await write('{"n":1}');
      await write('{"n":2}', { snapshot: snapshot('first') });
      const once = await restore('first');
      const kept = await list();
      expect(await restore('first')).toEqual(once);
      expect(await list()).toEqual(kept);
      const many = await Promise.all(Array.from({ length: 10 }, () => restore('first')));
      expect(new Set(many.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    });

    it('are written back as a whole or not at all', async () => {
      await add('mine');
      for (const name of ['x', 'y']) await write('{}', { key: name });
      expect(await restore('mine', { maxEntries: 2 })).toEqual({
        outcome: 'quota_exceeded',
        quota: 'entries',
        limit: 2,
        used: 2,
      });
      expect(await read()).toHaveLength(2);
      expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch']);
    });

    it('are copies: changing one that was read changes nothing', async () => {
      await add('mine');
      const found = await find('mine');
      if (found?.entries[0] !== undefined) found.entries[0].text = 'planted';
      expect((await find('mine'))?.entries[0]?.text).toBe('{"lost":1}');
    });
  });
}
