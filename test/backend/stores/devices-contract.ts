import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkKey, LinkRecord, SessionRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  key,
  loginQuotas,
  newLink,
  newSession,
  openSession,
  owner,
  scope,
  sessionOf,
  snapshot,
  stepsOn,
} from './contract-records.js';

const name = key('name', 'ada');
const device = (subject: string) => key('device', subject);
const day = 86_400_000;

/** What an account knows of its devices, and of what leads to it: when it was used, and how it is taken away. */
export function describeDevices(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);

  const usedAt = async (accountId = 'a') =>
    Object.fromEntries(
      ((await store.readAccount(owner(accountId)))?.links ?? []).map((link) => [link.subject, link.lastUsedAt]),
    );
  const sessionsOf = async (accountId: string) =>
    (await store.listSessions(owner(accountId))).map(({ sessionId }) => sessionId);
  const linkDevice = (subject: string, now = 1, session: string | null = null) =>
    store.linkMethod({ quotas: loginQuotas, owner: owner('a'), session, link: newLink('device', subject), now });
  const at = (session: SessionRecord, openedAt: number) => ({ ...session, openedAt });
  const open = (sessionId: string, via: LinkKey, on = 'one', openedAt = 1) =>
    openSession(store, at(sessionOf('a', sessionId, via, on), openedAt));

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    await store.linkMethod({
      quotas: loginQuotas,
      owner: owner('a'),
      session: null,
      link: newLink('name', 'ada'),
      now: 1,
    });
    await linkDevice('two');
  });

  describe('the last use of a link', () => {
    it('is when it was linked, until it is used on another day', async () => {
      expect(await usedAt()).toEqual({ one: 1, ada: 1, two: 1 });
      await open('first', name, 'elsewhere', day - 1);
      expect(await usedAt()).toEqual({ one: 1, ada: 1, two: 1 });
      await open('second', name, 'elsewhere', day + 5);
      await open('third', name, 'elsewhere', day + 9);
      expect(await usedAt()).toEqual({ one: 1, ada: day + 5, two: 1 });
    });

    it('is that of the device that a session is on, too', async () => {
      await open('first', name, 'two', 2 * day);
      expect(await usedAt()).toEqual({ one: 1, ada: 2 * day, two: 2 * day });
      const session = sessionOf('a', 'first', name, 'two');
      await store.markUsed({ session, now: 3 * day + 7 });
      await store.markUsed({ session, now: 3 * day + 8 });
      await store.markUsed({ session: { ...session, device: 'one' }, now: day });
      expect(await usedAt()).toEqual({ one: day, ada: 3 * day + 7, two: 3 * day + 7 });
    });

    it('is new where it is shown once more, and where a choice makes use of it', async () => {
      await open('here', device('one'));
      const link = (await store.findLink(name)) as LinkRecord;
      const session = { ...owner('a'), sessionId: 'here' };
      await store.reauthenticate({ session, link, now: 2 * day });
      expect(await usedAt()).toEqual({ one: 2 * day, ada: 2 * day, two: 1 });
      await account('b', newLink('device', 'three'));
      await openSession(store, sessionOf('b', 'local', device('three'), 'three'));
      const ids = { localId: 'b', sessionId: 'local', cloudId: 'a', device: 'three', linkRevision: link.revision };
      const ticket = { ...name, ...ids, ticket: 'hash', expiresAt: 9 * day, choice: null, resolvedSessionId: null };
      await store.openTicket(ticket);
      const chosen = await store.resolveConflict({
        quotas: loginQuotas,
        ...{ scope, ticket: 'hash', device: 'three', choice: 'cloud', merge: null, now: 4 * day },
        session: newSession('chosen'),
        snapshots: [snapshot('one'), snapshot('two')],
      });
      expect(chosen.outcome).toBe('resolved');
      expect(await usedAt()).toEqual({ one: 2 * day, ada: 4 * day, two: 1, three: 4 * day });
    });

    it('is no more than a note: the link itself stays as it is', async () => {
      const link = await store.findLink(name);
      await open('first', name, 'two', 2 * day);
      expect(await store.findLink(name)).toEqual(link);
      expect(Object.keys(link ?? {})).not.toContain('lastUsedAt');
    });
  });

  describe('a device that is taken away', () => {
    const revoke = (subject: string, session: string | null = null, accountId = 'a') =>
      store.unlinkMethod({ owner: owner(accountId), session, method: 'device', device: subject });

    it('leads nowhere, and all sessions on it end, but for the one that asks', async () => {
      await open('asks', name, 'two');
      await open('by-device', device('two'), 'two');
      await open('by-name', name, 'two');
      await open('other', device('one'));
      expect(await revoke('two', 'asks')).toBe('unlinked');
      expect(await store.findLink(device('two'))).toBeNull();
      expect(await sessionsOf('a')).toEqual(['asks', 'other']);
      expect(Object.keys(await usedAt())).toEqual(['one', 'ada']);
      expect(await revoke('two', 'asks')).toBe('not_linked');
    });

    it('is none of another account, and no session of another account asks', async () => {
      await account('b', newLink('device', 'three'));
      await openSession(store, sessionOf('b', 'theirs', device('three'), 'three'));
      expect(await revoke('three')).toBe('not_linked');
      expect(await revoke('one', 'theirs')).toBe('no_session');
      expect(await revoke('three', 'theirs', 'b')).toBe('would_orphan');
      expect(await sessionsOf('b')).toEqual(['theirs']);
    });

    it('stays away, also where somebody signs in by it at the same time', async () => {
      const opened = [0, 1, 2, 3].map((index) => open(`s${index}`, device('two'), 'two'));
      await Promise.all([...opened.slice(0, 2), revoke('two'), ...opened.slice(2)]);
      expect(await store.findLink(device('two'))).toBeNull();
      expect(await sessionsOf('a')).toEqual([]);
    });
  });
}
