import { beforeEach, describe, expect, it } from 'vitest';
import type { UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import type { LinkRecord } from '../../../src/backend/stores/records.js';
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
  stepsOn,
} from './contract-records.js';

/** Who may write in an account, and who no longer may. */
export function describeWriteAccess(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, orphan, orphanedAt } = stepsOn(() => store);
  const ada = key('device', 'one');
  const entry = { collection: 'c', key: 'k', text: '{"lost":1}', version: -1, changedAt: 5 };

  const update = (sessionId: string | null, more: Partial<UpdateRequest> = {}) =>
    store.updateEntry({
      owner: owner('a'),
      sessionId,
      collection: 'c',
      key: 'k',
      text: '{"n":2}',
      version: 0,
      snapshot: snapshot('lost'),
      quotas: quotas(10),
      now: 6,
      ...more,
    });

  /** Each way to write in the account. All of them would succeed. */
  const writes: { [way: string]: (sessionId: string | null) => Promise<{ outcome: string }> } = {
    'an update': (sessionId) => update(sessionId),
    'a named update': (sessionId) => update(sessionId, { name: { device: 'd', write: '2' } }),
    "a device's first named update": (sessionId) => update(sessionId, { name: { device: 'new', write: '1' } }),
    'a write that comes again': (sessionId) => update(sessionId, { name: { device: 'd', write: '1' } }),
    'a forced write': (sessionId) => update(sessionId, { version: -1 }),
    'a named forced write': (sessionId) => update(sessionId, { version: -1, name: { device: 'd', write: '2' } }),
    'a new entry': (sessionId) => update(sessionId, { version: 'absent', key: 'new' }),
    'a forced new entry': (sessionId) => update(sessionId, { version: -1, key: 'new' }),
    'a snapshot': (sessionId) =>
      store.addSnapshot({ owner: owner('a'), sessionId, entry, snapshot: snapshot('given up'), now: 6 }),
    'a snapshot that comes again': (sessionId) =>
      store.addSnapshot({ owner: owner('a'), sessionId, entry, snapshot: snapshot('kept'), now: 6 }),
    'the return of a snapshot': (sessionId) =>
      store.restoreSnapshot({
        key: { ...owner('a'), snapshotId: 'kept' },
        sessionId,
        quotas: quotas(10),
        snapshot: snapshot('undone'),
        now: 6,
      }),
  };
  const ways = Object.entries(writes);

  /** All that a write could change. */
  const picture = async () => [
    await store.readProfile(owner('a')),
    await store.listSnapshots({ owner: owner('a'), now: 6 }),
  ];

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    await account('b', newLink('device', 'two'));
    await openSession(store, sessionOf('a', 'mine', ada));
    await openSession(store, sessionOf('a', 'tablet', ada));
    await openSession(store, sessionOf('b', 'stranger', key('device', 'two')));
    await update(null, { version: 'absent', text: '{"n":1}', name: { device: 'd', write: '1' } });
    await store.addSnapshot({ owner: owner('a'), sessionId: null, entry, snapshot: snapshot('kept'), now: 5 });
  });

  describe('a write', () => {
    it.each(ways)('is made for a session that lives, and for the back end: %s', async (_, write) => {
      expect((await write('mine')).outcome).toMatch(/^(written|kept|restored)$/);
      expect((await write(null)).outcome).toMatch(/^(written|kept|restored|mismatch)$/);
    });

    it.each(ways)(
      'is refused after the session has ended, and says nothing of what is stored: %s',
      async (_, write) => {
        await store.endSession({ ...owner('a'), sessionId: 'mine' });
        const before = await picture();
        expect(await write('mine')).toEqual({ outcome: 'no_session' });
        expect(await picture()).toEqual(before);
        expect((await write('tablet')).outcome).not.toBe('no_session');
      },
    );

    it.each(ways)('is refused to a session of another account: %s', async (_, write) => {
      const before = await picture();
      expect(await write('stranger')).toEqual({ outcome: 'no_session' });
      expect(await write('nobody')).toEqual({ outcome: 'no_session' });
      expect(await picture()).toEqual(before);
    });

    it.each(ways)('is refused in an account that is being deleted, to the back end as well: %s', async (_, write) => {
      const session = { ...owner('a'), sessionId: 'mine' };
      await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 7 });
      const before = await picture();
      expect(await write('mine')).toEqual({ outcome: 'no_session' });
      expect(await write('tablet')).toEqual({ outcome: 'no_session' });
      expect(await write(null)).toEqual({ outcome: 'deleted', deletedAt: 7 });
      expect(await picture()).toEqual(before);
      const link = (await store.findLink(key('recovery', 'code'))) as LinkRecord;
      await store.cancelDeletion({ link, device: newLink('device', 'one'), now: 8 });
      expect((await write(null)).outcome).not.toBe('deleted');
    });

    it.each(ways)('is made in an account that nothing leads to, for it may be restored: %s', async (_, write) => {
      await orphan('one', 9);
      expect(await orphanedAt('a')).toBe(9);
      expect((await write(null)).outcome).toMatch(/^(written|kept|restored)$/);
      expect(await orphanedAt('a')).toBe(9);
    });

    it('that no longer matches shows the stored value to nobody whose session has ended', async () => {
      await store.endSessions(owner('a'));
      for (const version of [7, 'absent'] as const) {
        expect(await update('mine', { version })).toEqual({ outcome: 'no_session' });
        expect(await update(null, { version })).toMatchObject({ outcome: 'mismatch', current: { text: '{"n":1}' } });
      }
    });

    it.each(['cloud', 'merge'] as const)('is refused to the session that the choice %s has ended', async (choice) => {
      // Another way in, so that the account is left and not an orphan.
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('recovery', 'code'),
        now: 2,
      });
      const { revision: linkRevision } = (await account('cloud', newLink('name', 'ada'))).link;
      await store.openTicket({
        ...key('name', 'ada'),
        ticket: 'hash',
        linkRevision,
        localId: 'a',
        sessionId: 'mine',
        cloudId: 'cloud',
        device: 'one',
        expiresAt: 1_000,
        choice: null,
        resolvedSessionId: null,
      });
      const restsOn = { local: [{ collection: 'c', key: 'k', version: 0 }], cloud: [] };
      const resolved = await store.resolveConflict({
        quotas: loginQuotas,
        scope,
        ticket: 'hash',
        device: 'one',
        choice,
        merge: choice === 'merge' ? { writes: [], restsOn, quotas: quotas(10) } : null,
        session: newSession('in-cloud'),
        snapshots: [snapshot('other'), snapshot('own')],
        now: 100,
      });
      expect(resolved.outcome).toBe('resolved');
      expect(await update('mine')).toEqual({ outcome: 'no_session' });
      expect(await update('tablet')).toEqual({ outcome: 'written', version: 1 });
      expect(await update('in-cloud', { owner: owner('cloud'), version: 'absent' })).toMatchObject({ version: 0 });
    });
  });
}
