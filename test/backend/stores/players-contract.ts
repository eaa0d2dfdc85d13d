import { beforeEach, describe, expect, it } from 'vitest';
import type { AccountList, WritePlace } from '../../../src/backend/stores/operator-requests.js';
import type { ListPlace } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  gameId,
  key,
  loginQuotas,
  newLink,
  openSession,
  owner,
  quotas,
  scope,
  sessionOf,
  snapshot,
  stepsOn,
} from './contract-records.js';

const day = 86_400_000;

/** What operators see of accounts. */
export function describePlayers(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, orphan } = stepsOn(() => store);

  beforeEach(async () => {
    store = await create();
  });

  const page = async (list: AccountList, after: ListPlace | null = null, max = 100, now = 0) =>
    (await store.listAccounts({ scope, list, after, max, now })).map(({ account: { accountId } }) => accountId);

  describe('a list of accounts', () => {
    it('has those of one game and environment, the latest first, each with its links', async () => {
      await account('a', newLink('device', 'one'), 1);
      await account('b', newLink('device', 'two'), 3);
      await store.linkMethod({
        owner: owner('b'),
        session: null,
        quotas: loginQuotas,
        link: newLink('name', 'ada', { label: 'Ada' }),
        now: 4,
      });
      await account('c', newLink('device', 'three'), 2);
      const elsewhere = { ...newLink('device', 'one'), environment: 1 as const };
      await store.ensureAccount({ link: elsewhere, accountId: 'd', now: 9 });
      const others = { ...newLink('device', 'one'), gameId: gameId.replace('5f', '6f') };
      await store.ensureAccount({ link: others, accountId: 'e', now: 9 });
      expect(await page('newest')).toEqual(['b', 'c', 'a']);
      const [first] = await store.listAccounts({ scope, list: 'newest', after: null, max: 1, now: 0 });
      expect(first).toEqual(await store.readAccount(owner('b')));
      expect(first?.links.map(({ method, label }) => [method, label])).toEqual([
        ['device', null],
        ['name', 'Ada'],
      ]);
    });

    it('is of a game and environment that the list of these has, with how many there are', async () => {
      expect(await store.listScopes()).toEqual([]);
      await account('a', newLink('device', 'one'), 1);
      await account('b', newLink('device', 'two'), 2);
      const elsewhere = { ...newLink('device', 'one'), environment: 2 as const };
      await store.ensureAccount({ link: elsewhere, accountId: 'd', now: 9 });
      const earlier = { ...newLink('device', 'one'), gameId: gameId.replace('5f', '4f') };
      await store.ensureAccount({ link: earlier, accountId: 'e', now: 9 });
      expect(await store.listScopes()).toEqual([
        { gameId: earlier.gameId, environment: 0, accounts: 1 },
        { ...scope, accounts: 2 },
        { gameId, environment: 2, accounts: 1 },
      ]);
    });

    it('is read in pages that miss and repeat nobody who was there, while others come and go', async () => {
      const ids = Array.from({ length: 9 }, (_, n) => `a${n}`);
      for (const [n, id] of ids.entries()) await account(id, newLink('device', id), n < 5 ? 10 : 20);
      const seen: string[] = [];
      let after: ListPlace | null = null;
      for (let turn = 0; turn < 5; turn += 1) {
        const found = await store.listAccounts({ scope, list: 'newest', after, max: 2, now: 0 });
        seen.push(...found.map((one) => one.account.accountId));
        const last = found.at(-1)?.account;
        if (last !== undefined) after = { at: last.createdAt, id: last.accountId };
        await account(`later-${turn}`, newLink('device', `later-${turn}`), 30);
      }
      expect(seen).toEqual(['a8', 'a7', 'a6', 'a5', 'a4', 'a3', 'a2', 'a1', 'a0']);
    });

    it('by use has who came last first, of a day the first time', async () => {
      await account('a', newLink('device', 'one'), 1);
      await account('b', newLink('device', 'two'), 2);
      expect(await page('last_seen')).toEqual(['b', 'a']);
      await openSession(store, { ...sessionOf('a', 's', key('device', 'one'), 'one'), openedAt: day + 5 });
      expect(await page('last_seen')).toEqual(['a', 'b']);
      const lastSeen = async () => (await store.readAccount(owner('a')))?.account.lastSeenAt;
      expect(await lastSeen()).toBe(day + 5);
      const session = sessionOf('a', 's', key('device', 'one'), 'one');
      await store.markUsed({ session, now: day + 6 });
      expect(await lastSeen()).toBe(day + 5);
      await store.markUsed({ session, now: 2 * day });
      expect(await lastSeen()).toBe(2 * day);
      // A clock that goes back makes nobody unseen.
      await store.markUsed({ session, now: 1 });
      expect(await lastSeen()).toBe(2 * day);
    });

    it('of orphans and of what is being deleted has these alone', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      await orphan('one', 7);
      await openSession(store, sessionOf('b', 's', key('device', 'two')));
      expect(await page('orphaned')).toEqual(['a']);
      expect(await page('deleted')).toEqual([]);
      const session = { ...owner('b'), sessionId: 's' };
      await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 8 });
      expect(await page('deleted')).toEqual(['b']);
      expect(await page('orphaned', { at: 7, id: 'a' })).toEqual([]);
    });
  });

  describe('an entry', () => {
    const write = (collection: string, name: string, text: string, now = 5) =>
      store.updateEntry({
        owner: owner('a'),
        sessionId: null,
        collection,
        key: name,
        text,
        version: -1,
        snapshot: snapshot('lost'),
        quotas: quotas(10),
        now,
      });

    it('is listed without its value, with its size in UTF-8, in the order of the export', async () => {
      await account('a', newLink('device', 'one'));
      await write('b', 'k', '{"é":1}');
      await write('a', '\ue000', '{}');
      await write('a', '💾', '{}');
      const all = await store.listEntries({ owner: owner('a'), after: null, max: 10 });
      expect(all).toEqual([
        { collection: 'a', key: '\ue000', version: 0, changedAt: 5, bytes: 2 },
        { collection: 'a', key: '💾', version: 0, changedAt: 5, bytes: 2 },
        { collection: 'b', key: 'k', version: 0, changedAt: 5, bytes: 8 },
      ]);
      const rest = await store.listEntries({ owner: owner('a'), after: { collection: 'a', key: '💾' }, max: 1 });
      expect(rest).toEqual(all?.slice(2));
      expect(await store.listEntries({ owner: owner('none'), after: null, max: 1 })).toBeNull();
    });

    it('is listed by when it was written last, page by page, the latest first', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      await write('b', 'k', '{"é":1}', 7);
      await write('b', 'a', '{}', 6);
      await write('a', 'a', '{}', 6);
      await write('a', '\ue000', '{}', 6);
      await write('a', '💾', '{}', 6);
      await write('c', 'again', '{}', 1);
      await write('c', 'again', '{}', 8);
      const latest = async (after: WritePlace | null = null, max = 10, of = 'a') =>
        (await store.listWrites({ owner: owner(of), after, max })).map(({ collection, key: name }) => [
          collection,
          name,
        ]);
      const all = [
        ['c', 'again'],
        ['b', 'k'],
        ['b', 'a'],
        ['a', '💾'],
        ['a', '\ue000'],
        ['a', 'a'],
      ];
      expect(await latest()).toEqual(all);
      expect(await latest(null, 2)).toEqual(all.slice(0, 2));
      expect(await latest({ at: 6, collection: 'a', key: '💾' })).toEqual(all.slice(4));
      expect(await latest({ at: 6, collection: 'b', key: 'a' }, 2)).toEqual(all.slice(3, 5));
      // Nothing comes before an empty name: all of the moment, and none of it.
      expect(await latest({ at: 7, collection: '', key: '' })).toEqual(all.slice(2));
      expect(await latest({ at: 6, collection: '', key: '' })).toEqual([]);
      const [, first] = await store.listWrites({ owner: owner('a'), after: null, max: 2 });
      expect(first).toEqual({ collection: 'b', key: 'k', version: 0, changedAt: 7, bytes: 8 });
      const elsewhere = { owner: { ...owner('a'), environment: 1 as const }, after: null, max: 10 };
      expect([await latest(null, 10, 'b'), await latest(null, 10, 'none')]).toEqual([[], []]);
      expect(await store.listWrites(elsewhere)).toEqual([]);
    });

    it('is read by its name, letter for letter', async () => {
      await account('a', newLink('device', 'one'));
      await write('c', 'k', '{"n": 1.0}');
      const at = { owner: owner('a'), collection: 'c', key: 'k' };
      expect(await store.readEntry(at)).toEqual({ key: 'k', text: '{"n": 1.0}', version: 0, changedAt: 5 });
      expect(await store.readEntry({ ...at, key: 'none' })).toBeNull();
      expect(await store.readEntry({ ...at, owner: { ...owner('a'), environment: 1 } })).toBeNull();
    });
  });

  it('a conflict is seen from both sides while it is open, and from no other game', async () => {
    await account('local', newLink('device', 'one'));
    const { revision } = (await account('cloud', newLink('name', 'ada'))).link;
    await openSession(store, sessionOf('local', 's', key('device', 'one'), 'one'));
    // The player signs in twice at one moment: that is one conflict.
    for (const ticket of ['hash', 'another']) {
      await store.openTicket({
        ...key('name', 'ada'),
        ticket,
        linkRevision: revision,
        localId: 'local',
        sessionId: 's',
        cloudId: 'cloud',
        device: 'one',
        expiresAt: 1_000,
        choice: null,
        resolvedSessionId: null,
      });
    }
    const open = { ...scope, method: 'name', localId: 'local', cloudId: 'cloud', expiresAt: 1_000 };
    for (const side of ['local', 'cloud']) {
      expect(await store.listConflicts({ owner: owner(side), now: 999 })).toEqual([open]);
      expect(await store.listConflicts({ owner: owner(side), now: 1_000 })).toEqual([]);
      expect(await store.listConflicts({ owner: { ...owner(side), environment: 2 }, now: 999 })).toEqual([]);
    }
    await store.endSession({ ...owner('local'), sessionId: 's' });
    expect(await store.listConflicts({ owner: owner('cloud'), now: 999 })).toEqual([]);
    await openSession(store, sessionOf('local', 's', key('device', 'one'), 'one'));
    const [kept, beside] = [snapshot('other'), snapshot('own')];
    const session = { ...sessionOf('cloud', 'next', key('name', 'ada')) };
    const choice = { scope, ticket: 'hash', device: 'one', choice: 'cloud' as const, merge: null, session };
    await store.resolveConflict({ ...choice, snapshots: [kept, beside], now: 5, quotas: loginQuotas });
    expect(await store.listConflicts({ owner: owner('cloud'), now: 6 })).toEqual([]);
  });

  it('shows the hundred open conflicts of a player that end last', async () => {
    const { revision: linkRevision } = (await account('cloud', newLink('name', 'ada'))).link;
    // None of the guests may have more than 20.
    for (let guest = 0; guest < 6; guest += 1) {
      const [localId, device] = [`guest-${guest}`, `device-${guest}`];
      await account(localId, newLink('device', device));
      await openSession(store, sessionOf(localId, localId, key('device', device), device));
      const sides = { localId, sessionId: localId, cloudId: 'cloud', device };
      for (let end = guest * 17 + 1; end <= guest * 17 + 17; end += 1) {
        const ticket = { ticket: `hash-${end}`, expiresAt: 1_000 + end, choice: null, resolvedSessionId: null };
        await store.openTicket({ ...key('name', 'ada'), linkRevision, ...sides, ...ticket });
      }
    }
    const shown = await store.listConflicts({ owner: owner('cloud'), now: 5 });
    expect([shown.length, shown[0]?.expiresAt, shown.at(-1)?.expiresAt]).toEqual([100, 1_102, 1_003]);
  });

  it('lists the open conflicts of a game by pages, the one that ends last first, and one for each session', async () => {
    const { revision } = (await account('cloud', newLink('name', 'ada'))).link;
    const list = async (after: { at: number; id: string } | null = null, now = 5, max = 2) =>
      (await store.listOpenConflicts({ scope, after, max, now })).map(({ sessionId, expiresAt }) => [
        sessionId,
        expiresAt,
      ]);
    const meet = (local: string, sessionId: string, expiresAt: number, ticket = `${sessionId}-${expiresAt}`) =>
      store.openTicket({
        ...key('name', 'ada'),
        ticket,
        linkRevision: revision,
        localId: local,
        sessionId,
        cloudId: 'cloud',
        device: local,
        expiresAt,
        choice: null,
        resolvedSessionId: null,
      });
    for (const local of ['one', 'two', 'three']) {
      await account(local, newLink('device', local));
      await openSession(store, sessionOf(local, `s-${local}`, key('device', local), local));
    }
    await meet('one', 's-one', 1_000);
    await meet('two', 's-two', 1_000);
    await meet('three', 's-three', 1_001);
    // The same player signs in again, twice at one moment.
    await meet('one', 's-one', 900);
    await meet('one', 's-one', 1_000, 'a');
    const all = [
      ['s-three', 1_001],
      ['s-two', 1_000],
      ['s-one', 1_000],
    ];
    expect(await list(null, 5, 9)).toEqual(all);
    expect(await list()).toEqual(all.slice(0, 2));
    expect(await list({ at: 1_000, id: 's-two' })).toEqual(all.slice(2));
    expect(await list({ at: 1_000, id: 's-one' })).toEqual([]);
    expect(await list(null, 1_000, 9)).toEqual(all.slice(0, 1));
    const [first] = await store.listOpenConflicts({ scope, after: null, max: 1, now: 5 });
    const about = { ...scope, method: 'name', localId: 'three', cloudId: 'cloud' };
    expect(first).toEqual({ ...about, sessionId: 's-three', expiresAt: 1_001 });
    const elsewhere = { scope: { ...scope, environment: 2 as const }, after: null, max: 9, now: 5 };
    expect(await store.listOpenConflicts(elsewhere)).toEqual([]);
    await store.endSession({ ...owner('three'), sessionId: 's-three' });
    expect(await list(null, 5, 9)).toEqual(all.slice(1));
    const [kept, beside] = [snapshot('other'), snapshot('own')];
    const session = { ...sessionOf('cloud', 'next', key('name', 'ada')) };
    const choice = { scope, ticket: 's-two-1000', device: 'two', choice: 'cloud' as const, merge: null, session };
    await store.resolveConflict({ ...choice, snapshots: [kept, beside], now: 5, quotas: loginQuotas });
    expect(await list(null, 5, 9)).toEqual(all.slice(2));
  });
}
