import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportAccountRequest } from '../../../src/backend/stores/import-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { days } from '../../../src/protocol/gaps/units.js';
import { key, loginQuotas, newLink, owner, quotas, scope, snapshot, stepsOn, untouched } from './contract-records.js';

/** Accounts that are taken over from elsewhere, with all that they had there. */
export function describeImports(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);

  beforeEach(async () => {
    store = await create();
  });

  const entry = { collection: 'c', key: 'k', text: '{"n":1.50}', version: 41, changedAt: days(3), times: '{"n":[7]}' };
  const lost = { ...entry, text: '{"n":0}', version: 12 };
  const kept = (snapshotId: string, createdAt: number, text = lost.text) => ({
    snapshotId,
    createdAt,
    expiresAt: days(90),
    reason: 'local' as const,
    fromId: 'another',
    entries: [{ ...lost, text }],
  });
  const ada: ImportAccountRequest = {
    owner: owner('ada'),
    createdAt: days(1),
    lastSeenAt: days(5),
    orphanedAt: null,
    deletedAt: null,
    links: [
      { ...newLink('name', 'ada', { label: 'Ada\u0000', credential: 'hash' }), linkedAt: days(1), lastUsedAt: days(4) },
      { ...newLink('device', 'one'), linkedAt: days(2), lastUsedAt: days(5) },
    ],
    entries: [entry, { collection: 'd', key: 'k', text: '{}', version: 0, changedAt: 1 }],
    snapshots: [kept('s-1', days(2)), { ...kept('s-2', days(3)), reason: 'overwrite' }],
    quotas: quotas(10),
    snapshotQuotas: { max: 100, maxBytes: 1_000_000 },
  };
  const imported = (more: Partial<ImportAccountRequest> = {}) => store.importAccount({ ...ada, ...more });
  const snapshotsOf = async (accountId = 'ada') =>
    (await store.listSnapshots({ owner: owner(accountId), now: days(6) })).map(({ snapshotId }) => snapshotId);

  describe('an account that is taken over', () => {
    it('has its times, its login methods with theirs, and its entries at their versions', async () => {
      expect(await imported()).toEqual({ outcome: 'imported' });
      const { account: made, links, entries } = (await store.readProfile(owner('ada'))) ?? {};
      expect(made).toEqual({ ...owner('ada'), ...untouched, createdAt: days(1), lastSeenAt: days(5) });
      const found = links?.map(({ method, subject, label, credential, linkedAt, lastUsedAt }) => {
        return { ...scope, method, subject, label, credential, linkedAt, lastUsedAt };
      });
      expect(found).toEqual(ada.links);
      expect(entries).toEqual(ada.entries);
      expect(await store.findLink(key('name', 'ada'))).toMatchObject({ accountId: 'ada', linkedAt: days(1) });
    });

    it('has its snapshots, with their times, and gets them back', async () => {
      await imported();
      expect(await snapshotsOf()).toEqual(['s-2', 's-1']);
      const at = { key: { ...owner('ada'), snapshotId: 's-1' }, now: days(6) };
      expect(await store.readSnapshot(at)).toEqual({ ...owner('ada'), ...kept('s-1', days(2)) });
      const restore = { ...at, sessionId: null, quotas: quotas(10), snapshot: snapshot('r', { expiresAt: days(90) }) };
      expect(await store.restoreSnapshot(restore)).toEqual({
        outcome: 'restored',
        entries: [{ collection: 'c', key: 'k', version: 42 }],
      });
      expect(await store.readSnapshot({ ...at, now: days(91) })).toBeNull();
    });

    it('goes on where it was: the next write rests on its version, and its values are counted', async () => {
      await imported();
      const write = {
        owner: owner('ada'),
        sessionId: null,
        collection: 'c',
        key: 'k',
        snapshot: snapshot('w'),
        now: days(6),
      };
      const text = '{"n":2.50}';
      expect(await store.updateEntry({ ...write, text, version: 41, quotas: quotas(10) })).toEqual({
        outcome: 'written',
        version: 42,
      });
      const full = { ...write, text: '{"n":12.50}', version: 42, quotas: quotas(10, { values: 21 }) };
      expect(await store.updateEntry(full)).toMatchObject({ outcome: 'quota_exceeded', quota: 'values', used: 21 });
      const usage = await store.readUsage({ owner: owner('ada'), now: days(6) });
      expect(usage).toMatchObject({
        values: 21,
        entries: 1,
        collections: 2,
        snapshots: 2,
        snapshotBytes: 32,
        devices: 1,
      });
    });

    it('knows the named writes that were carried out elsewhere, and tells them so', async () => {
      const writes = { ['__proto__']: ['w-7', 41] as const, 'd-2': ['w-1', 12] as const };
      const carried = { ...entry, writes: Object.fromEntries(Object.entries(writes)) };
      await imported({ entries: [carried] });
      expect((await store.readForExport(owner('ada')))?.entries).toEqual([carried]);
      expect((await store.readProfile(owner('ada')))?.entries).toEqual([entry]);
      const write = {
        owner: owner('ada'),
        sessionId: null,
        collection: 'c',
        key: 'k',
        text: '{"n":2.50}',
        now: days(6),
      };
      const again = { ...write, version: 40, snapshot: snapshot('w'), quotas: quotas(10) };
      const name = { device: '__proto__', write: 'w-7' };
      expect(await store.updateEntry({ ...again, name })).toEqual({ outcome: 'written', version: 41 });
      expect(await store.updateEntry({ ...again, name: { ...name, write: 'w-8' } })).toMatchObject({
        outcome: 'mismatch',
        carriedOut: false,
      });
      expect((await store.readForExport(owner('ada')))?.entries).toEqual([carried]);
      expect(await store.readForExport(owner('nobody'))).toBeNull();
    });

    it('goes on being deleted, and goes when its time has come', async () => {
      await imported({ deletedAt: days(5) });
      expect((await store.readAccount(owner('ada')))?.account).toMatchObject({ deletedAt: days(5), deletedBy: null });
      const link = await store.findLink(key('name', 'ada'));
      expect(link).toMatchObject({ accountId: 'ada' });
      expect(await store.listAccounts({ scope, list: 'deleted', after: null, max: 5, now: 0 })).toHaveLength(1);
      const sweep = { now: days(6), orphanedBefore: 0, batch: 100 };
      await store.removeExpired({ ...sweep, deletedBefore: days(5) });
      expect(await store.readAccount(owner('ada'))).not.toBeNull();
      await store.removeExpired({ ...sweep, deletedBefore: days(5) + 1 });
      expect(await store.readAccount(owner('ada'))).toBeNull();
      expect(await store.findLink(key('name', 'ada'))).toBeNull();
    });

    it('may be one that nothing leads to, with its saves, and can be restored', async () => {
      await imported({ orphanedAt: days(5), links: [] });
      const { account: made, links, entries } = (await store.readProfile(owner('ada'))) ?? {};
      expect([made?.orphanedAt, links, entries]).toEqual([days(5), [], ada.entries]);
      expect(await store.listAccounts({ scope, list: 'orphaned', after: null, max: 5, now: 0 })).toHaveLength(1);
      const link = newLink('device', 'new');
      expect(await store.restoreAccount({ owner: owner('ada'), link, now: days(6), quotas: loginQuotas })).toBe(true);
      expect((await store.readAccount(owner('ada')))?.account.orphanedAt).toBeNull();
    });

    it('counts as new on the day when it was made', async () => {
      await imported();
      expect(await store.readCounts({ scope, from: 0, to: 9 })).toEqual([{ day: 1, kind: 'new', n: 1 }]);
    });

    it('is not made where it is there, or where a link leads anywhere', async () => {
      await account('other', newLink('device', 'one'));
      expect(await imported()).toEqual({ outcome: 'taken' });
      expect(await store.findLink(key('name', 'ada'))).toBeNull();
      expect(await store.readAccount(owner('ada'))).toBeNull();
      await account('ada', newLink('custom', 'elsewhere'));
      expect(await imported({ links: ada.links.slice(0, 1) })).toEqual({ outcome: 'taken' });
      expect((await store.readProfile(owner('ada')))?.entries).toEqual([]);
    });

    it('is not made with more than it may have', async () => {
      const small = quotas(10, { values: 20 });
      expect(await imported({ quotas: small })).toEqual({
        outcome: 'quota_exceeded',
        quota: 'values',
        limit: 20,
        used: 0,
      });
      expect(await store.readAccount(owner('ada'))).toBeNull();
      expect(await imported({ quotas: quotas(10, { values: 21 }) })).toEqual({ outcome: 'imported' });
    });

    it('is made once of twenty at once, whole', async () => {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => imported({ owner: owner(`ada-${n}`) })));
      expect(outcomes.filter(({ outcome }) => outcome === 'imported')).toHaveLength(1);
      const link = await store.findLink(key('name', 'ada'));
      expect((await store.readProfile(owner(link?.accountId ?? '')))?.entries).toEqual(ada.entries);
      const others = outcomes.map((_, n) => store.readAccount(owner(`ada-${n}`)));
      expect((await Promise.all(others)).filter((found) => found !== null)).toHaveLength(1);
    });

    it('keeps the snapshots that it may have, those of one operation together', async () => {
      const snapshots = [kept('s-1', days(1)), kept('s-2', days(2)), kept('s-3', days(3)), kept('s-4', days(3))];
      await imported({ snapshots, snapshotQuotas: { max: 3, maxBytes: 1_000_000 } });
      expect(await snapshotsOf()).toEqual(['s-4', 's-3', 's-2']);
      const bob = { owner: owner('bob'), links: [{ ...newLink('custom', 'bob'), linkedAt: 1, lastUsedAt: 1 }] };
      await imported({ ...bob, snapshots, snapshotQuotas: { max: 100, maxBytes: 8 } });
      expect(await snapshotsOf('bob')).toEqual(['s-4', 's-3']);
    });
  });
}
