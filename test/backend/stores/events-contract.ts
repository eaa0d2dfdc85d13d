import { beforeEach, describe, expect, it } from 'vitest';
import type { EventRecord, Notice } from '../../../src/backend/stores/event-requests.js';
import type { OperatorChange, OperatorChanges } from '../../../src/backend/stores/operator-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import type { ConflictChoice } from '../../../src/protocol/conflict.js';
import { type WebhookKind, webhookKinds } from '../../../src/protocol/webhooks.js';
import {
  gameId,
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
  stepsOn,
} from './contract-records.js';
import { mark } from './operators-contract.js';

const lease = 1_000;

/** Events of accounts, which are kept in the step that makes them until they are delivered. */
export function describeEvents(create: () => Store | Promise<Store>): void {
  let store: Store;
  let notices = 0;
  const { account, orphan } = stepsOn(() => store);
  const notice = (kinds: readonly WebhookKind[] = webhookKinds): Notice => {
    notices += 1;
    const ids = { eventId: `e-${notices}`, orphanedEventId: `o-${notices}`, restoredEventId: `r-${notices}` };
    return { kinds, ...ids, at: 10 + notices, expiresAt: 100_000 };
  };
  const change = <Change extends OperatorChange>(name: Change, request: OperatorChanges[Change]['request']) =>
    store.changeAsOperator({ change: name, request, mark: mark({ action: name }) });
  const ban = (accountId: string, kinds?: readonly WebhookKind[]) =>
    change('banAccount', {
      owner: owner(accountId),
      ban: { at: 10, until: null, reason: 'cheating' },
      notice: notice(kinds),
    });
  const unban = (accountId: string) => change('unbanAccount', { owner: owner(accountId), now: 20, notice: notice() });
  const link = (accountId: string, method: 'name' | 'device' | 'custom', subject: string, more: object = {}) =>
    store.linkMethod({
      owner: owner(accountId),
      session: null,
      link: newLink(method, subject),
      now: 20,
      quotas: loginQuotas,
      notice: notice(),
      ...more,
    });
  const restore = (accountId: string, device: string) =>
    store.restoreAccount({
      owner: owner(accountId),
      link: newLink('device', device),
      now: 30,
      quotas: loginQuotas,
      notice: notice(),
    });
  /** Opens a session of an account by an operator's code, on a device that leads to the account `a` and stays so. */
  const signInByCode = async (accountId: string, device: string) => {
    await store.linkMethod({
      owner: owner('a'),
      session: null,
      link: newLink('device', device),
      now: 15,
      quotas: loginQuotas,
    });
    await change('makeSignInCode', { owner: owner(accountId), hash: 'code', expiresAt: 1_000 });
    const { method, subject } = key('recovery', 'shown');
    await store.signInByCode({
      scope,
      hashes: ['code'],
      usedHashes: ['used'],
      session: { ...scope, ...newSession('by-code'), method, subject, device, revision: 0 },
      device: newLink('device', device),
      quotas: loginQuotas,
      now: 15,
      notice: notice(),
    });
  };
  const claim = (now: number, more: { max?: number; gameId?: string; leaseUntil?: number } = {}) =>
    store.claimEvents({ gameId, now, leaseUntil: now + lease, max: 100, ...more });
  const queue = (max = 100) => store.readEventQueue({ gameId, max, lostFrom: 0 });
  const deliver = (event: EventRecord) => store.settleEvent({ event, failed: null });
  /** All events in the order in which they would be delivered. */
  const delivered = async (now = 1_000): Promise<EventRecord[]> => {
    const claimed = await claim(now);
    for (const event of claimed) await deliver(event);
    return claimed.length === 0 ? [] : [...claimed, ...(await delivered(now))];
  };
  const told = async () =>
    (await delivered()).map(({ accountId, kind, details }) => [accountId, kind, details] as const);

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('name', 'a'));
    await account('b', newLink('device', 'b'));
  });

  describe('an event', () => {
    it('is kept with what it tells, if somebody is to be told of its kind', async () => {
      await ban('a', ['banned']);
      await ban('b', ['linked']);
      await change('banAccount', { owner: owner('b'), ban: { at: 10, until: 50, reason: 'x' } });
      const [event, ...others] = await claim(1_000);
      expect(others).toEqual([]);
      const { ordinal, ...rest } = event as EventRecord;
      expect(ordinal).toBeGreaterThan(0);
      expect(rest).toEqual({
        ...owner('a'),
        eventId: `e-${notices - 1}`,
        kind: 'banned',
        at: 10 + notices - 1,
        details: { until: null, reason: 'cheating' },
        attempts: 0,
        lastStatus: null,
        dueAt: 1_000 + lease,
        deadAt: null,
        expiresAt: 100_000,
      });
    });

    it('tells of a login method that was linked, and of none that was not', async () => {
      await link('b', 'name', 'new');
      await link('b', 'name', 'new');
      await link('b', 'name', 'second');
      await link('none', 'name', 'third');
      expect(await told()).toEqual([['b', 'linked', { method: 'name' }]]);
    });

    it("tells of a game's own user id that a guest gets, and of no new account", async () => {
      const ensure = (custom: string, device: string, accountId: string) =>
        store.ensureCustomAccount({
          custom: newLink('custom', custom),
          device: newLink('device', device),
          accountId,
          now: 20,
          quotas: loginQuotas,
          notice: notice(),
        });
      await ensure('c', 'b', 'unused');
      await ensure('c', 'b', 'unused');
      await ensure('d', 'elsewhere', 'd');
      expect(await told()).toEqual([['b', 'linked', { method: 'custom' }]]);
    });

    it('tells of a deletion once, and of what takes it back', async () => {
      await openSession(store, sessionOf('a', 's', key('name', 'a')));
      const session = { ...owner('a'), sessionId: 's' };
      const remove = (recovery: string) =>
        store.deleteAccount({ session, recovery: newLink('recovery', recovery), now: 20, notice: notice() });
      expect(await remove('r')).toBe(20);
      expect(await remove('again')).toBe(20);
      const link = await store.findLink(key('name', 'a'));
      if (link === null) throw new Error('The name is gone.');
      const cancel = () => store.cancelDeletion({ link, device: newLink('device', 'mine'), now: 30, notice: notice() });
      expect([await cancel(), await cancel()]).toEqual(['restored', 'not_deleted']);
      expect(await told()).toEqual([
        ['a', 'deleted', {}],
        ['a', 'restored', {}],
      ]);
    });

    it('tells of an account that is restored, and of the one that loses its last login method by that', async () => {
      await restore('a', 'b');
      await restore('a', 'b');
      await restore('b', 'b2');
      expect(await told()).toEqual([
        ['b', 'orphaned', { otherUserId: 'a' }],
        ['a', 'linked', { method: 'device' }],
        ['b', 'restored', {}],
      ]);
    });

    it('tells of bans and their ends, in the order in which they were', async () => {
      await ban('a');
      await unban('a');
      await unban('a');
      await ban('a');
      expect((await told()).map(([, kind]) => kind)).toEqual(['banned', 'unbanned', 'banned']);
    });

    it('tells of a deletion by an operator, and of its end', async () => {
      const session = { ...owner('a'), sessionId: null };
      await change('deleteAccount', { session, recovery: newLink('recovery', 'r'), now: 20, notice: notice() });
      await change('undelete', { owner: owner('a'), notice: notice() });
      await change('undelete', { owner: owner('a'), notice: notice() });
      expect((await told()).map(([, kind]) => kind)).toEqual(['deleted', 'restored']);
      const audit = await store.readAudit({ owner: owner('a'), after: null, max: 10 });
      expect(JSON.stringify(audit)).not.toContain('eventId');
    });

    it('tells of accounts that an operator merges, and of that taken back', async () => {
      const at = { quotas: loginQuotas, entryQuotas: quotas(10), now: 20 };
      const snapshots = [snapshot('1'), snapshot('2')] as const;
      const merge = { owner: owner('b'), into: owner('a'), entries: 'keep', snapshots, ...at } as const;
      await change('mergeAccounts', { ...merge, notice: notice() });
      const choice = await store.readChoice({ owner: owner('a'), now: 21 });
      const undo = { owner: owner('a'), choiceId: choice?.choiceId ?? '', snapshot: snapshot('3'), ...at };
      await change('undoChoice', { ...undo, notice: notice() });
      expect(await told()).toEqual([
        ['b', 'orphaned', { otherUserId: 'a' }],
        ['a', 'merged', { otherUserId: 'b' }],
        ['b', 'restored', {}],
        ['b', 'linked', { method: 'device', otherUserId: 'a' }],
      ]);
    });

    it('tells that an orphan is none any more, whatever leads to it again', async () => {
      await restore('a', 'b');
      await link('b', 'name', 'late');
      await account('c', newLink('device', 'c'));
      await orphan('c', 12);
      const at = { quotas: loginQuotas, entryQuotas: quotas(10), now: 20 };
      const snapshots = [snapshot('1'), snapshot('2')] as const;
      const merge = { owner: owner('b'), into: owner('c'), entries: 'keep', snapshots, ...at } as const;
      expect(await change('mergeAccounts', { ...merge, notice: notice() })).toMatchObject({ outcome: 'merged' });
      const all = await told();
      expect(all.filter(([accountId]) => accountId === 'b')).toEqual([
        ['b', 'orphaned', { otherUserId: 'a' }],
        ['b', 'restored', {}],
        ['b', 'linked', { method: 'name' }],
        ['b', 'orphaned', { otherUserId: 'c' }],
      ]);
      expect(all.filter(([accountId]) => accountId === 'c')).toEqual([
        ['c', 'restored', {}],
        ['c', 'merged', { otherUserId: 'b' }],
      ]);
    });

    it('tells that an orphan is none any more whose player makes a recovery code', async () => {
      await orphan('b', 12);
      await signInByCode('b', 'a-device-of-a');
      const more = { session: 'by-code', link: newLink('recovery', 'r'), now: 20 };
      expect(await store.replaceLink({ owner: owner('b'), ...more, notice: notice() })).toBe(true);
      expect(await store.replaceLink({ owner: owner('b'), ...more, notice: notice() })).toBe(true);
      expect(await told()).toEqual([['b', 'restored', {}]]);
    });

    it('is removed when it expires', async () => {
      await ban('a');
      const expire = (now: number) => store.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 100 });
      await expire(99_999);
      expect(await queue()).toMatchObject({ waiting: 1 });
      await expire(100_000);
      expect(await queue()).toEqual({ waiting: 0, oldestAt: null, dead: 0, lost: 0 });
    });
  });

  describe('a choice in a conflict', () => {
    const openConflict = async () => {
      await openSession(store, sessionOf('b', 's', key('device', 'b'), 'b'));
      await openTicket();
    };
    const openTicket = async (sessionId = 's', device = 'b') => {
      const found = await store.findLink(key('name', 'a'));
      await store.openTicket({
        ...key('name', 'a'),
        ticket: 'hash',
        linkRevision: found?.revision ?? -1,
        localId: 'b',
        sessionId,
        cloudId: 'a',
        device,
        expiresAt: 1_000,
        choice: null,
        resolvedSessionId: null,
      });
    };
    const choose = async (choice: ConflictChoice, device = 'b') => {
      const { outcome } = await store.resolveConflict({
        scope,
        ticket: 'hash',
        device,
        choice,
        merge: choice === 'merge' ? { writes: [], restsOn: { local: [], cloud: [] }, quotas: quotas(10) } : null,
        session: newSession('next'),
        snapshots: [snapshot('x'), snapshot('y')],
        now: 20,
        quotas: loginQuotas,
        notice: notice(),
      });
      return outcome;
    };
    const orphaned = (accountId: string, otherUserId: string) => [accountId, 'orphaned', { otherUserId }];

    it.each([
      ['local', [['b', 'linked', { method: 'name', otherUserId: 'a' }], orphaned('a', 'b')]],
      ['cloud', [orphaned('b', 'a')]],
      ['merge', [['a', 'merged', { otherUserId: 'b' }], orphaned('b', 'a')]],
    ] as const)('%s tells of it once, however often it is asked for', async (choice, events) => {
      await openConflict();
      expect([await choose(choice), await choose(choice)]).toEqual(['resolved', 'resolved']);
      const sorted = (all: readonly (readonly unknown[])[]) => all.map((one) => JSON.stringify(one)).sort();
      expect(sorted(await told())).toEqual(sorted(events));
    });

    it.each([
      ['local', 'a', { method: 'name', otherUserId: 'b' }],
      ['cloud', 'b', { method: 'device', otherUserId: 'a' }],
      ['merge', 'b', { method: 'device', otherUserId: 'a' }],
    ] as const)('%s that is taken back tells of the account that is there again', async (choice, back, details) => {
      await openConflict();
      expect(await choose(choice)).toBe('resolved');
      await told();
      const chosen = owner(back === 'a' ? 'b' : 'a');
      const { choiceId = '' } = (await store.readChoice({ owner: chosen, now: 21 })) ?? {};
      const more = { snapshot: snapshot('3'), quotas: loginQuotas, entryQuotas: quotas(10), now: 21 };
      const undone = await change('undoChoice', { owner: chosen, choiceId, ...more, notice: notice() });
      expect(undone).toMatchObject({ outcome: 'undone' });
      expect(await told()).toEqual([
        [back, 'restored', {}],
        [back, 'linked', details],
      ]);
    });

    it('local tells of an orphan that is none any more by that', async () => {
      await orphan('b', 12);
      await signInByCode('b', 'a-device-of-a');
      await openTicket('by-code', 'a-device-of-a');
      expect(await choose('local', 'a-device-of-a')).toBe('resolved');
      expect((await told()).filter(([accountId]) => accountId === 'b')).toEqual([
        ['b', 'restored', {}],
        ['b', 'linked', { method: 'name', otherUserId: 'a' }],
      ]);
    });
  });

  describe('the queue', () => {
    it('gives the first event of each account alone, and the next one once that is delivered', async () => {
      await ban('a');
      await unban('a');
      await ban('b');
      const claimed = await claim(1_000);
      expect(claimed.map(({ accountId, kind }) => [accountId, kind]).sort()).toEqual([
        ['a', 'banned'],
        ['b', 'banned'],
      ]);
      expect(await claim(1_500)).toEqual([]);
      for (const event of claimed) await deliver(event);
      expect((await claim(1_500)).map(({ accountId, kind }) => [accountId, kind])).toEqual([['a', 'unbanned']]);
    });

    it('gives no more events than are asked for', async () => {
      for (const accountId of ['a', 'b']) await ban(accountId);
      expect(await claim(1_000, { max: 1 })).toHaveLength(1);
      expect(await claim(1_000, { max: 2 })).toHaveLength(1);
    });

    it('gives an event to one of many who ask at once', async () => {
      for (const accountId of ['a', 'b']) await ban(accountId);
      const claims = await Promise.all(Array.from({ length: 10 }, () => claim(1_000, { max: 1 })));
      expect(
        claims
          .flat()
          .map(({ accountId }) => accountId)
          .sort(),
      ).toEqual(['a', 'b']);
    });

    it('gives an event to somebody else when the lease has ended, and to nobody of another game', async () => {
      await ban('a');
      expect(await claim(1_000, { gameId: '00000000-0000-4000-8000-000000000000' })).toEqual([]);
      const [first] = await claim(1_000);
      expect(await claim(1_000 + lease - 1)).toEqual([]);
      const [second] = await claim(1_000 + lease);
      // The one that was late changes nothing that is the other's.
      await store.settleEvent({ event: first as EventRecord, failed: { status: 500, dueAt: 5_000, deadAt: null } });
      expect((await claim(1_000 + 2 * lease)).map(({ attempts }) => attempts)).toEqual([0]);
      await store.settleEvent({ event: second as EventRecord, failed: null });
      expect(await claim(9_000)).toEqual([]);
    });

    it('lets an event that failed wait, and the later ones of its account with it', async () => {
      await ban('a');
      await unban('a');
      const [event] = await claim(1_000);
      await store.settleEvent({ event: event as EventRecord, failed: { status: 503, dueAt: 3_000, deadAt: null } });
      expect(await claim(2_999)).toEqual([]);
      expect(await claim(3_000)).toMatchObject([{ kind: 'banned', attempts: 1, lastStatus: 503 }]);
    });

    it('sets dead events aside until an operator has them sent again', async () => {
      await ban('a');
      await unban('a');
      await ban('b');
      for (const event of await claim(1_000)) {
        const [status, deadAt] = event.accountId === 'a' ? [null, 70] : [404, 80];
        await store.settleEvent({ event, failed: { status, dueAt: 1_000, deadAt } });
      }
      expect(await queue()).toEqual({ waiting: 1, oldestAt: expect.any(Number), dead: 2, lost: 0 });
      expect(await delivered(1_000)).toMatchObject([{ accountId: 'a', kind: 'unbanned' }]);
      const page = (after: { at: number; id: string } | null) => store.listDeadEvents({ gameId, after, max: 1 });
      const [latest] = await page(null);
      expect(latest).toMatchObject({ accountId: 'b', deadAt: 80, attempts: 1, lastStatus: 404 });
      const [next] = await page({ at: 80, id: latest?.eventId ?? '' });
      expect(next).toMatchObject({ accountId: 'a', deadAt: 70, lastStatus: null });
      expect(await page({ at: 70, id: next?.eventId ?? '' })).toEqual([]);

      const all = { gameId, eventId: null, now: 2_000, max: 10 };
      const gone = mark({ action: 'retryEvents', keyId: 'gone' });
      expect(await store.changeAsOperator({ change: 'retryEvents', request: all, mark: gone })).toBe('no_key');
      expect(await delivered(2_000)).toEqual([]);
      const retry = (eventId: string | null) => change('retryEvents', { ...all, eventId });
      expect(await retry('none')).toEqual([]);
      expect(await retry(next?.eventId ?? '')).toMatchObject([{ accountId: 'a', attempts: 0, deadAt: null }]);
      expect(await delivered(2_000)).toMatchObject([{ accountId: 'a', kind: 'banned' }]);
      expect(await retry(null)).toMatchObject([{ accountId: 'b', lastStatus: null }]);
      expect(await queue()).toMatchObject({ waiting: 1, dead: 0 });
      const audit = await store.readAudit({ owner: null, after: null, max: 100 });
      expect(audit.filter(({ action }) => action === 'retryEvents')).toHaveLength(2);
    });

    it('has so many dead events sent again as are asked for, those first that have waited for longest', async () => {
      for (const accountId of ['a', 'b', 'a']) await ban(accountId);
      const dead: string[] = [];
      for (let deadAt = 60; deadAt < 90; deadAt += 10) {
        const [event] = (await claim(1_000, { max: 1 })) as [EventRecord];
        await store.settleEvent({ event, failed: { status: 500, dueAt: 1_000, deadAt } });
        dead.push(event.eventId);
      }
      const retry = async () => {
        const events = await change('retryEvents', { gameId, eventId: null, now: 2_000, max: 2 });
        return (events as EventRecord[]).map(({ eventId }) => eventId).sort();
      };
      expect([await retry(), await retry(), await retry()]).toEqual([dead.slice(0, 2).sort(), dead.slice(2), []]);
      expect(await queue()).toMatchObject({ waiting: 3, dead: 0 });
    });

    it('is removed where a game has more than it may have, what is dead first, and counted as lost', async () => {
      const now = 20_000 * 86_400_000 + 5;
      const trim = (max: number, more: { batch?: number; gameId?: string } = {}) =>
        store.trimEvents({ gameId, max, batch: 100, now, ...more });
      const dead = async () =>
        (await store.listDeadEvents({ gameId, after: null, max: 100 })).map(({ accountId }) => accountId);
      for (const accountId of ['a', 'b', 'a', 'b', 'a']) await ban(accountId);
      const last = notices;
      for (const event of await claim(1_000)) {
        const deadAt = event.accountId === 'a' ? 70 : 60;
        await store.settleEvent({ event, failed: { status: 500, dueAt: 1_000, deadAt } });
      }
      expect([await trim(5), await trim(1, { gameId: 'another' })]).toEqual([0, 0]);
      expect([await trim(4), await dead()]).toEqual([1, ['a']]);
      expect([await trim(2, { batch: 1 }), await dead()]).toEqual([1, []]);
      expect((await Promise.all([trim(2), trim(2)])).sort()).toEqual([0, 1]);
      expect(await queue()).toMatchObject({ waiting: 2, dead: 0, lost: 3 });
      expect(await store.readEventQueue({ gameId, max: 100, lostFrom: 20_001 })).toMatchObject({ lost: 0 });
      expect(await store.readEventQueue({ gameId: 'another', max: 100, lostFrom: 0 })).toMatchObject({ lost: 0 });
      expect((await delivered()).map(({ eventId }) => eventId).sort()).toEqual([`e-${last - 1}`, `e-${last}`].sort());
    });

    it('is counted up to a limit', async () => {
      for (const accountId of ['a', 'b', 'a', 'b', 'a']) await ban(accountId);
      for (const event of await claim(1_000)) {
        await store.settleEvent({ event, failed: { status: null, dueAt: 1_000, deadAt: 70 } });
      }
      expect([await queue(2), await queue(1)]).toMatchObject([
        { waiting: 2, dead: 2 },
        { waiting: 1, dead: 1 },
      ]);
      expect(await queue()).toMatchObject({ waiting: 3, dead: 2 });
    });
  });
}
