import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkRecord, TicketRecord } from '../../../src/backend/stores/records.js';
import type { MergeRequest } from '../../../src/backend/stores/requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  gameId,
  key,
  loginQuotas,
  minute,
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

/** Conflicts and each of their choices. */
export function describeConflicts(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, orphanedAt } = stepsOn(() => store);

  beforeEach(async () => {
    store = await create();
  });

  describe('conflicts', () => {
    const now = 100;
    const ticketOf = (more: Partial<TicketRecord> = {}): TicketRecord => ({
      ...key('name', 'ada'),
      ticket: 'hash',
      linkRevision: 0,
      localId: 'local',
      sessionId: 'local-session',
      cloudId: 'cloud',
      device: 'two',
      expiresAt: now + minute,
      choice: null,
      resolvedSessionId: null,
      ...more,
    });
    /** Opens a ticket by its link as it is now. */
    const openTicket = async (ticket: TicketRecord) => {
      const link = await store.findLink(key(ticket.method, ticket.subject));
      return store.openTicket({ ...ticket, linkRevision: link?.revision ?? 0 });
    };
    const resolve = (
      choice: 'local' | 'cloud' | 'merge',
      sessionId = 'new',
      more: { device?: string; now?: number; merge?: MergeRequest } = {},
    ) =>
      store.resolveConflict({
        quotas: loginQuotas,
        scope,
        ticket: 'hash',
        device: 'two',
        choice,
        merge: null,
        session: newSession(sessionId),
        snapshots: [snapshot(`${sessionId}-other`), snapshot(`${sessionId}-own`)],
        now,
        ...more,
      });
    /** Both see the same conflicts. */
    const readConflict = async (more: { device?: string; now?: number } = {}) => {
      const request = { scope, ticket: 'hash', device: 'two', now, ...more };
      const sides = await store.readConflictSides(request);
      const found = await store.findConflict(request);
      expect(found).toEqual(sides && { local: owner('local'), cloud: owner('cloud') });
      return sides;
    };
    const write = (accountId: string, entry: string, text: string) =>
      store.updateEntry({
        owner: owner(accountId),
        sessionId: null,
        collection: 'c',
        key: entry,
        text,
        version: -1,
        snapshot: snapshot(`write-${text}`),
        quotas: quotas(10),
        now: 5,
      });
    const entriesOf = async (accountId: string) =>
      (await store.readCollection({ owner: owner(accountId), sessionId: null, collection: 'c' }))?.map((entry) => [
        entry.key,
        entry.text,
        entry.version,
      ]);
    const snapshotsOf = async (accountId: string) => {
      const kept = await store.listSnapshots({ owner: owner(accountId), now });
      return kept.map(({ reason, fromId, entries }) => [reason, fromId, entries]);
    };

    beforeEach(async () => {
      await account('cloud', newLink('name', 'ada', { credential: 'hash' }));
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('cloud'),
        session: null,
        link: newLink('device', 'one'),
        now: 1,
      });
      await account('local', newLink('device', 'two'));
      await openSession(store, sessionOf('local', 'local-session', key('device', 'two'), 'two'));
    });

    it('local moves the method and ends what came from it on devices not linked to its old owner', async () => {
      await openSession(store, sessionOf('cloud', 'own-device', key('name', 'ada'), 'one'));
      await openSession(store, sessionOf('cloud', 'strange-device', key('name', 'ada'), 'three'));
      await openSession(store, sessionOf('cloud', 'other-method', key('device', 'one'), 'three'));
      await openTicket(ticketOf());
      const resolved = await resolve('local');
      expect(resolved).toMatchObject({ outcome: 'resolved', session: { sessionId: 'local-session' } });
      expect(await store.findLink(key('name', 'ada'))).toMatchObject({
        accountId: 'local',
        credential: 'hash',
        linkedAt: now,
      });
      const alive = await Promise.all(
        ['own-device', 'strange-device', 'other-method'].map((sessionId) =>
          store.findSession({ ...owner('cloud'), sessionId }),
        ),
      );
      expect(alive.map((session) => session !== null)).toEqual([true, false, true]);
      expect(await orphanedAt('cloud')).toBeNull();
    });

    it('local orphans an owner whom nothing else leads to', async () => {
      await store.unlinkMethod({ owner: owner('cloud'), session: null, method: 'device' });
      await openTicket(ticketOf());
      await resolve('local');
      expect(await orphanedAt('cloud')).toBe(now);
    });

    it('local changes nothing where the account has another link of the method', async () => {
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('local'),
        session: null,
        link: newLink('name', 'bob'),
        now: 2,
      });
      await openTicket(ticketOf());
      expect(await resolve('local')).toEqual({ outcome: 'method_already_linked' });
      expect((await store.findLink(key('name', 'ada')))?.accountId).toBe('cloud');
      expect((await resolve('cloud')).outcome).toBe('resolved');
    });

    it("cloud opens the owner's session, ends this device's, and moves its link", async () => {
      await openTicket(ticketOf());
      const resolved = await resolve('cloud');
      const opened = {
        ...owner('cloud'),
        ...newSession('new'),
        method: 'name',
        subject: 'ada',
        device: 'two',
        revision: 0,
      };
      expect(resolved).toEqual({ outcome: 'resolved', session: opened });
      expect(await store.findSession({ ...owner('cloud'), sessionId: 'new' })).toEqual(opened);
      expect(await store.findSession({ ...owner('local'), sessionId: 'local-session' })).toBeNull();
      expect((await store.findLink(key('device', 'two')))?.accountId).toBe('cloud');
      expect(await orphanedAt('local')).toBe(now);
    });

    it('cloud leaves a device that leads to a third account', async () => {
      await account('third', newLink('device', 'three'));
      await openTicket(ticketOf({ device: 'three' }));
      const resolved = await resolve('cloud', 'new', { device: 'three' });
      expect(resolved.outcome).toBe('resolved');
      expect((await store.findLink(key('device', 'three')))?.accountId).toBe('third');
      expect(await orphanedAt('local')).toBeNull();
    });

    it('the same choice again has the same outcome; the other one is stale', async () => {
      for (const [choice, other] of [
        ['local', 'cloud'],
        ['cloud', 'local'],
      ] as const) {
        store = await create();
        await account('cloud', newLink('name', 'ada'));
        await account('local', newLink('device', 'two'));
        await openSession(store, sessionOf('local', 'local-session', key('device', 'two'), 'two'));
        await openTicket(ticketOf());
        const first = await resolve(choice, 'first');
        expect(await resolve(choice, 'second')).toEqual(first);
        expect(await resolve(other, 'third')).toEqual({ outcome: 'stale' });
      }
    });

    it('the same choice again has the same outcome, though the account that lost has been deleted since', async () => {
      const link = newLink('device', 'owned');
      await store.linkMethod({ owner: owner('cloud'), session: null, link, now, quotas: loginQuotas });
      const session = sessionOf('cloud', 'own', key('device', 'owned'));
      await openSession(store, session);
      await openTicket(ticketOf());
      const first = await resolve('local', 'first');
      await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now });
      expect(first.outcome).toBe('resolved');
      expect(await resolve('local', 'second')).toEqual(first);
      expect(await resolve('cloud', 'third')).toEqual({ outcome: 'stale' });
    });

    it.each(['local', 'cloud'] as const)(
      'says of %s that it was carried out, where its session has ended since',
      async (choice) => {
        await openTicket(ticketOf());
        const first = await resolve(choice, 'first');
        if (first.outcome !== 'resolved') throw new Error(first.outcome);
        await store.endSession(first.session);
        expect(await resolve(choice, 'second')).toEqual({ outcome: 'ended' });
        const other = choice === 'local' ? 'cloud' : 'local';
        expect(await resolve(other, 'third')).toEqual({ outcome: 'stale' });
      },
    );

    it('of both choices at once one is carried out', async () => {
      await openTicket(ticketOf());
      const outcomes = await Promise.all([resolve('local'), resolve('cloud'), resolve('local'), resolve('cloud')]);
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['resolved', 'resolved', 'stale', 'stale']);
    });

    it('is stale with an unknown ticket, after its end, and from another device', async () => {
      expect(await resolve('local')).toEqual({ outcome: 'stale' });
      await openTicket(ticketOf());
      expect(await resolve('local', 'new', { now: now + minute })).toEqual({ outcome: 'stale' });
      expect(await resolve('local', 'new', { device: 'one' })).toEqual({ outcome: 'stale' });
      const elsewhere = { scope: { gameId, environment: 1 as const }, ticket: 'hash', device: 'two' };
      const request = {
        merge: null,
        session: newSession('new'),
        snapshots: [snapshot('x'), snapshot('y')] as const,
        now,
      };
      const outcome = await store.resolveConflict({ quotas: loginQuotas, ...elsewhere, ...request, choice: 'local' });
      expect(outcome).toEqual({ outcome: 'stale' });
      for (const wrong of [{ now: now + minute }, { device: 'one' }]) expect(await readConflict(wrong)).toBeNull();
      expect(await store.readConflictSides({ ...elsewhere, now })).toBeNull();
      expect((await resolve('local')).outcome).toBe('resolved');
    });

    it('is stale where the link has changed hands, or was made again', async () => {
      await openTicket(ticketOf());
      await store.restoreAccount({ quotas: loginQuotas, owner: owner('local'), link: newLink('name', 'ada'), now: 2 });
      expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
      await store.restoreAccount({ quotas: loginQuotas, owner: owner('cloud'), link: newLink('name', 'ada'), now: 3 });
      expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
    });

    it('shows both sides while it is open', async () => {
      await write('local', 'a', '{"l":1}');
      await write('cloud', 'b', '{"c":1}');
      expect(await readConflict()).toBeNull();
      await openTicket(ticketOf());
      expect(await readConflict()).toEqual({
        local: [{ collection: 'c', key: 'a', text: '{"l":1}', version: 0, changedAt: 5 }],
        cloud: [{ collection: 'c', key: 'b', text: '{"c":1}', version: 0, changedAt: 5 }],
        merged: [],
      });
      await resolve('cloud');
      expect(await readConflict()).toBeNull();
    });

    it('what lost is kept by the account that is reached', async () => {
      await write('local', 'a', '{"l":1}');
      await write('cloud', 'a', '{"c":1}');
      await write('cloud', 'b', '{"c":2}');
      await openTicket(ticketOf());
      await resolve('local');
      expect(await snapshotsOf('local')).toEqual([['local', 'cloud', 2]]);
      expect(await snapshotsOf('cloud')).toEqual([]);
      const found = await store.readSnapshot({ key: { ...owner('local'), snapshotId: 'new-other' }, now });
      expect(found?.entries.map(({ key: name, text }) => [name, text])).toEqual([
        ['a', '{"c":1}'],
        ['b', '{"c":2}'],
      ]);
    });

    it('where nothing lost there is nothing to keep', async () => {
      await write('cloud', 'a', '{"c":1}');
      await openTicket(ticketOf());
      await resolve('cloud');
      expect(await snapshotsOf('cloud')).toEqual([]);
    });

    describe('by merge', () => {
      const merge = (more: Partial<MergeRequest> = {}): MergeRequest => ({
        writes: [
          { collection: 'c', key: 'a', text: '{"m":1}' },
          { collection: 'c', key: 'n', text: '{"m":2}' },
        ],
        restsOn: {
          local: [
            { collection: 'c', key: 'n', version: 0 },
            { collection: 'c', key: 'a', version: 0 },
          ],
          cloud: [
            { collection: 'c', key: 'a', version: 1 },
            { collection: 'c', key: 'b', version: 0 },
          ],
        },
        quotas: quotas(10),
        ...more,
      });

      beforeEach(async () => {
        await write('local', 'a', '{"l":1}');
        await write('local', 'n', '{"l":2}');
        await write('cloud', 'a', '{"c":0}');
        await write('cloud', 'a', '{"c":1}');
        await write('cloud', 'b', '{"c":2}');
        await openTicket(ticketOf());
      });

      it('writes into the owner, keeps both sides, and goes on as cloud', async () => {
        const resolved = await resolve('merge', 'new', { merge: merge() });
        expect(resolved).toMatchObject({ outcome: 'resolved', session: { sessionId: 'new', accountId: 'cloud' } });
        expect(await entriesOf('cloud')).toEqual([
          ['a', '{"m":1}', 2],
          ['b', '{"c":2}', 0],
          ['n', '{"m":2}', 0],
        ]);
        expect(await snapshotsOf('cloud')).toEqual([
          ['merge', 'local', 2],
          ['merge', 'cloud', 2],
          ['overwrite', 'cloud', 1],
        ]);
        expect((await store.findLink(key('device', 'two')))?.accountId).toBe('cloud');
        expect(await store.listSessions(owner('local'))).toEqual([]);
        expect(await orphanedAt('local')).toBe(now);
      });

      it('leaves what was merged for the next merge of the same two accounts, and for no other', async () => {
        const again = async (ticket: string, at: number) => {
          await store.restoreAccount({
            quotas: loginQuotas,
            owner: owner('local'),
            link: newLink('device', 'two'),
            now: at,
          });
          await store.endSessions(owner('local'));
          await openSession(store, sessionOf('local', 'local-session', key('device', 'two'), 'two'));
          await openTicket(ticketOf({ ticket, expiresAt: at + minute }));
          return store.readConflictSides({ scope, ticket, device: 'two', now: at });
        };
        const mergeNow = (ticket: string, more: Partial<MergeRequest>) =>
          store.resolveConflict({
            quotas: loginQuotas,
            scope,
            ticket,
            device: 'two',
            choice: 'merge',
            merge: merge(more),
            session: newSession(`of-${ticket}`),
            snapshots: [snapshot(`${ticket}-other`), snapshot(`${ticket}-own`)],
            now: now + 1,
          });
        const texts = (side: readonly { text: string }[] | undefined) => side?.map(({ text }) => text);
        expect((await readConflict())?.merged).toEqual([]);
        await resolve('merge', 'new', { merge: merge() });
        const second = await again('second', now + 1);
        expect(texts(second?.merged)).toEqual(['{"l":1}', '{"l":2}']);

        await write('local', 'a', '{"l":5}');
        const restsOn = {
          local: [
            { collection: 'c', key: 'a', version: 1 },
            { collection: 'c', key: 'n', version: 0 },
          ],
          cloud: (second?.cloud ?? []).map(({ collection, key: name, version }) => ({
            collection,
            key: name,
            version,
          })),
        };
        expect((await mergeNow('second', { restsOn, writes: [] })).outcome).toBe('resolved');
        expect(texts((await again('third', now + 2))?.merged)).toEqual(['{"l":5}', '{"l":2}']);
        // After 30 days it is as if they had never been merged: what was merged is kept as a snapshot, and no longer.
        expect(await again('late', 5_000)).toMatchObject({ merged: [] });

        await account('stranger', newLink('device', 'three'));
        await openSession(store, sessionOf('stranger', 'strange', key('device', 'three'), 'two'));
        await openTicket(ticketOf({ ticket: 'stranger', localId: 'stranger', sessionId: 'strange' }));
        const other = await store.readConflictSides({ scope, ticket: 'stranger', device: 'two', now });
        expect(other).toMatchObject({ merged: [], local: [] });
      });

      it('keeps the ledger of the entries that it writes', async () => {
        const named = (text: string) =>
          store.updateEntry({
            owner: owner('cloud'),
            sessionId: null,
            collection: 'c',
            key: 'a',
            text,
            version: 1,
            name: { device: 'd', write: '1' },
            snapshot: snapshot('named'),
            quotas: quotas(10),
            now: 5,
          });
        expect(await named('{"c":7}')).toEqual({ outcome: 'written', version: 2 });
        const { local, cloud } = merge().restsOn;
        const moved = cloud.map((entry) => (entry.key === 'a' ? { ...entry, version: 2 } : entry));
        const writes = [{ collection: 'c', key: 'a', text: '{"m":1}', times: '{"m":3}' }];
        expect(
          (await resolve('merge', 'new', { merge: merge({ writes, restsOn: { local, cloud: moved } }) })).outcome,
        ).toBe('resolved');
        expect(await named('{"c":7}')).toEqual({ outcome: 'written', version: 2 });
        const [entry] = (await store.readCollection({ owner: owner('cloud'), sessionId: null, collection: 'c' })) ?? [];
        expect(entry).toMatchObject({ key: 'a', text: '{"m":1}', version: 3, times: '{"m":3}' });
      });

      it('is carried out once, whatever is sent again', async () => {
        const first = await resolve('merge', 'new', { merge: merge() });
        const again = { writes: [{ collection: 'c', key: 'a', text: '{"m":9}' }] };
        expect(await resolve('merge', 'second', { merge: merge(again) })).toEqual(first);
        expect((await entriesOf('cloud'))?.[0]).toEqual(['a', '{"m":1}', 2]);
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
      });

      it('of two at once one is carried out', async () => {
        const one = (n: number) =>
          resolve('merge', `new-${n}`, {
            merge: merge({ writes: [{ collection: 'c', key: 'a', text: `{"m":${n}}` }] }),
          });
        const [first, second] = await Promise.all([one(1), one(2)]);
        expect(first).toEqual(second);
        expect((await entriesOf('cloud'))?.[0]?.[2]).toBe(2);
      });

      it('is stale where a side is not exactly what it rests on, and changes nothing', async () => {
        const { local, cloud } = merge().restsOn;
        const [first = { collection: '', key: '', version: 0 }] = cloud;
        const wrong = [
          { local, cloud: cloud.slice(1) },
          { local, cloud: [...cloud, { collection: 'c', key: 'z', version: 0 }] },
          { local, cloud: [{ ...first, version: 0 }, ...cloud.slice(1)] },
          { local, cloud: [first, first] },
          { local: [], cloud },
          { local: cloud, cloud: local },
        ];
        for (const restsOn of wrong) {
          expect(await resolve('merge', 'new', { merge: merge({ restsOn }) })).toEqual({ outcome: 'stale' });
        }
        expect(await resolve('merge')).toEqual({ outcome: 'stale' });
        await write('local', 'a', '{"l":9}');
        expect(await resolve('merge', 'new', { merge: merge() })).toEqual({ outcome: 'stale' });
        expect(await entriesOf('cloud')).toEqual([
          ['a', '{"c":1}', 1],
          ['b', '{"c":2}', 0],
        ]);
        expect(await snapshotsOf('cloud')).toEqual([['overwrite', 'cloud', 1]]);
        expect(await store.listSessions(owner('local'))).toHaveLength(1);
      });

      it('is refused as a whole where a collection would have too many entries', async () => {
        expect(await resolve('merge', 'new', { merge: merge({ quotas: quotas(2) }) })).toEqual({
          outcome: 'quota_exceeded',
          quota: 'entries',
          limit: 2,
          used: 2,
        });
        expect(await entriesOf('cloud')).toHaveLength(2);
        expect((await resolve('merge', 'new', { merge: merge({ quotas: quotas(3) }) })).outcome).toBe('resolved');
      });
    });

    it('is stale where an account is being deleted', async () => {
      await openSession(store, sessionOf('cloud', 's', key('name', 'ada')));
      await openTicket(ticketOf());
      const session = { ...owner('cloud'), sessionId: 's' };
      await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now });
      for (const choice of ['local', 'cloud', 'merge'] as const) {
        expect(await resolve(choice)).toEqual({ outcome: 'stale' });
      }
      expect(await readConflict()).toBeNull();
    });

    it('is stale where the credential was replaced because it might be known', async () => {
      await openTicket(ticketOf());
      const link = (await store.findLink(key('name', 'ada'))) as LinkRecord;
      await store.replaceCredential({ link, to: 'new', isSamePassword: false, session: null });
      expect(await resolve('local')).toEqual({ outcome: 'stale' });
    });

    it('is stale where the session has ended before the choice', async () => {
      await openTicket(ticketOf());
      await store.endSession({ ...owner('local'), sessionId: 'local-session' });
      expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
    });
  });
}
