import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkKey, LinkRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { accountDefaults } from '../../../src/protocol/gaps/accounts.js';
import {
  key,
  loginQuotas,
  meetAda,
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
const day = 86_400_000;
const quotas = { devices: 3, sessions: 3 };

/** How many devices and sessions an account may have. */
export function describeLoginQuotas(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);

  const devicesOf = async (accountId = 'a') =>
    ((await store.readAccount(owner(accountId)))?.links ?? [])
      .filter(({ method }) => method === 'device')
      .map(({ subject }) => subject);
  const sessionsOf = async (accountId = 'a') =>
    (await store.listSessions(owner(accountId))).map(({ sessionId }) => sessionId);
  const device = (subject: string) => newLink('device', subject);
  const linkDevice = (subject: string, now: number, session: string | null = null, allowed = quotas) =>
    store.linkMethod({ owner: owner('a'), session, link: device(subject), now, quotas: allowed });
  /** A session that was refreshed last at `usedAt`, in seconds. */
  async function open(sessionId: string, usedAt: number, { via = name as LinkKey, on = 'one', allowed = quotas } = {}) {
    const { revision = 0 } = (await store.findLink(via)) ?? {};
    const refreshTokens = [{ jti: `${sessionId}-0`, iat: usedAt, exp: usedAt + 10, usedAt: null }];
    const session = { ...sessionOf('a', sessionId, via, on), refreshTokens };
    return store.openSession({ session, linkRevision: revision, quotas: allowed });
  }

  beforeEach(async () => {
    store = await create();
    await account('a', device('one'));
    await store.linkMethod({
      quotas: loginQuotas,
      owner: owner('a'),
      session: null,
      link: newLink('name', 'ada'),
      now: 1,
    });
  });

  describe('a session too many', () => {
    it('ends the one that was refreshed longest ago, and never itself', async () => {
      for (const [id, usedAt] of [
        ['b', 30],
        ['c', 10],
        ['d', 20],
      ] as const)
        await open(id, usedAt);
      expect(await open('e', 5)).toBe(true);
      expect(await sessionsOf()).toEqual(['b', 'd', 'e']);
      // Of two that were refreshed at the same time the older one goes.
      await open('f', 30);
      await open('g', 40);
      expect(await sessionsOf()).toEqual(['b', 'f', 'g']);
      await open('h', 50);
      expect(await sessionsOf()).toEqual(['f', 'g', 'h']);
    });

    it('ends none where it is not opened', async () => {
      for (const id of ['b', 'c', 'd']) await open(id, 10);
      const session = sessionOf('a', 'late', name);
      expect(await store.openSession({ session, linkRevision: 77, quotas })).toBe(false);
      expect(await sessionsOf()).toEqual(['b', 'c', 'd']);
    });

    it('leaves as many as there may be, however many come at once', async () => {
      await Promise.all(Array.from({ length: 12 }, (_, index) => open(`s${index}`, index)));
      expect(await sessionsOf()).toHaveLength(3);
    });

    it('is the fifty-first, where fifty are allowed', async () => {
      for (let n = 0; n <= 50; n += 1) await open(`s${n}`, n + 1, { allowed: { devices: 50, sessions: 50 } });
      const left = await sessionsOf();
      expect([left.length, left[0], left.at(-1)]).toEqual([50, 's1', 's50']);
    });
  });

  describe('a device too many', () => {
    it('takes the place of the one that was unused for longest, whose sessions end', async () => {
      await linkDevice('two', 2);
      await linkDevice('three', 3);
      await open('on-one', 1, { via: key('device', 'one') });
      await open('on-two', 2, { via: key('device', 'two'), on: 'two' });
      await store.markUsed({ session: sessionOf('a', 'on-one', name, 'one'), now: 2 * day });
      expect((await linkDevice('four', 2 * day)).outcome).toBe('linked');
      expect(await devicesOf()).toEqual(['one', 'three', 'four']);
      expect(await sessionsOf()).toEqual(['on-one']);
      expect(await store.findLink(key('device', 'two'))).toBeNull();
      expect(await store.findLink(name)).not.toBeNull();
    });

    it('never takes that of the device that asks', async () => {
      await linkDevice('two', 2 * day);
      await linkDevice('three', 2 * day);
      await open('asks', 1, { on: 'one' });
      await linkDevice('four', 3 * day, 'asks');
      expect(await devicesOf()).toEqual(['one', 'three', 'four']);
      await linkDevice('five', 3 * day, 'asks', { devices: 1, sessions: 3 });
      expect(await devicesOf()).toEqual(['one', 'five']);
    });

    it('takes none where it is not linked', async () => {
      for (const subject of ['two', 'three']) await linkDevice(subject, 2);
      await account('b', device('taken'));
      expect((await linkDevice('taken', 3)).outcome).toBe('taken');
      expect((await linkDevice('four', 3, 'ended')).outcome).toBe('no_session');
      expect(await devicesOf()).toEqual(['one', 'two', 'three']);
    });

    it('leaves as many as there may be, however many come at once', async () => {
      await Promise.all(Array.from({ length: 12 }, (_, index) => linkDevice(`d${index}`, index + 2)));
      expect(await devicesOf()).toHaveLength(3);
    });

    it("is counted where an operator, the game's back end or a choice links it too", async () => {
      for (const subject of ['two', 'three']) await linkDevice(subject, 2);
      await store.restoreAccount({ owner: owner('a'), link: device('four'), now: 4, quotas });
      expect(await devicesOf()).toEqual(['two', 'three', 'four']);
      await store.restoreAccount({ owner: owner('a'), link: device('four'), now: 5, quotas });
      expect(await devicesOf()).toEqual(['two', 'three', 'four']);
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('custom', '7'),
        now: 5,
      });
      const custom = newLink('custom', '7');
      await store.ensureCustomAccount({ custom, device: device('five'), accountId: 'x', now: 5, quotas });
      expect(await devicesOf()).toEqual(['three', 'four', 'five']);

      await account('b', device('six'));
      const { revision } = (await store.findLink(key('device', 'six'))) as LinkRecord;
      await store.openSession({
        quotas: loginQuotas,
        session: sessionOf('b', 'local', key('device', 'six'), 'six'),
        linkRevision: revision,
      });
      for (const id of ['s1', 's2', 's3']) await open(id, 1);
      const link = (await store.findLink(name)) as LinkRecord;
      const ids = { localId: 'b', sessionId: 'local', cloudId: 'a', device: 'six', linkRevision: link.revision };
      await store.openTicket({ ...name, ...ids, ticket: 'hash', expiresAt: 99, choice: null, resolvedSessionId: null });
      await store.resolveConflict({
        ...{ scope, ticket: 'hash', device: 'six', choice: 'cloud', merge: null, now: 6, quotas },
        session: newSession('chosen'),
        snapshots: [snapshot('one'), snapshot('two')],
      });
      expect(await devicesOf()).toEqual(['four', 'five', 'six']);
      expect(await sessionsOf()).toEqual(['s2', 's3', 'chosen']);
    });
  });

  describe('a ticket too many', () => {
    it("takes the place of its account's oldest, and of no other account's", async () => {
      const max = accountDefaults.ticketsPerAccount;
      for (const id of ['b', 'c']) {
        await account(id, device(`of-${id}`));
        await openSession(store, sessionOf(id, `session-of-${id}`, key('device', `of-${id}`), id));
      }
      const meet = (localId: string, ticket: string, expiresAt: number) =>
        meetAda(store, { localId, sessionId: `session-of-${localId}`, device: localId, ticket, expiresAt });
      const isOpen = async (localId: string, ticket: string) =>
        (await store.findConflict({ scope, device: localId, ticket, now: 10 })) !== null;
      await meet('c', 'of another', 20);
      for (let number = 1; number <= max; number += 1) await meet('b', `b-${number}`, 100 + number);
      expect([await isOpen('b', 'b-1'), await isOpen('b', `b-${max}`)]).toEqual([true, true]);
      // The newest stays, also where its clock is behind the others'.
      await meet('b', 'late', 50);
      expect([await isOpen('b', 'late'), await isOpen('b', 'b-1'), await isOpen('b', 'b-2')]).toEqual([
        true,
        false,
        true,
      ]);
      await meet('b', 'next', 50);
      expect([await isOpen('b', 'next'), await isOpen('b', 'late'), await isOpen('b', 'b-2')]).toEqual([
        true,
        false,
        true,
      ]);
      expect(await isOpen('c', 'of another')).toBe(true);
    });

    it('leaves no more than so many, however many were opened at once', async () => {
      const max = accountDefaults.ticketsPerAccount;
      await account('b', device('two'));
      await openSession(store, sessionOf('b', 'local', key('device', 'two'), 'two'));
      const meet = (ticket: string, expiresAt: number) =>
        meetAda(store, { localId: 'b', sessionId: 'local', device: 'two', ticket, expiresAt });
      const tickets = Array.from({ length: 2 * max }, (_, number) => `t-${number}`);
      await Promise.all(tickets.map((ticket, number) => meet(ticket, 100 + number)));
      await meet('last', 500);
      const found = [...tickets, 'last'].map((ticket) => store.findConflict({ scope, device: 'two', ticket, now: 10 }));
      expect((await Promise.all(found)).filter((conflict) => conflict !== null)).toHaveLength(max);
    });
  });

  describe("a device that the game's back end names", () => {
    it('is not linked to an account that is being deleted, and takes the place of no other one there', async () => {
      const custom = newLink('custom', '7');
      await store.linkMethod({ owner: owner('a'), session: null, link: custom, now: 5, quotas });
      await open('asks', 1);
      const deletion = { session: { ...owner('a'), sessionId: 'asks' }, recovery: newLink('recovery', 'code'), now: 9 };
      expect(await store.deleteAccount(deletion)).toBe(9);
      const before = await store.readAccount(owner('a'));
      const ensure = (subject: string) =>
        store.ensureCustomAccount({ custom, device: device(subject), accountId: 'x', now: 10, quotas });
      for (const subject of ['one', 'four', 'five', 'six', 'seven']) {
        expect(await ensure(subject)).toMatchObject({ accountId: 'a', subject: '7' });
        expect(await store.findLink(key('device', subject))).toBeNull();
      }
      expect(await store.readAccount(owner('a'))).toEqual(before);
      expect(await store.readAccount(owner('x'))).toBeNull();
      const link = (await store.findLink(custom)) as LinkRecord;
      expect(await store.cancelDeletion({ link, device: device('one'), now: 11 })).toBe('restored');
      expect(await ensure('four')).toMatchObject({ accountId: 'a' });
      expect(await devicesOf()).toEqual(['one', 'four']);
    });
  });

  describe('to sign the others out', () => {
    const asking = { ...owner('a'), sessionId: 'asks' };
    const out = (unlinkSince: number, session = asking) =>
      store.signOutOthers({ session, next: newSession('next'), unlinkSince });
    const linksOf = async () =>
      ((await store.readAccount(owner('a')))?.links ?? []).map(({ method, subject }) => `${method} ${subject}`);

    beforeEach(async () => {
      await open('asks', 1);
      await linkDevice('old', 5, 'asks');
      for (const link of [device('new'), newLink('social', 'thief'), newLink('recovery', 'code')]) {
        await store.linkMethod({ quotas: loginQuotas, owner: owner('a'), session: 'asks', link, now: 10 });
      }
      await open('theirs', 20, { via: key('social', 'thief'), on: 'new' });
    });

    it('unlinks what was linked since, ends every session, and gives the player a new one', async () => {
      const before = (await store.findSession(asking)) as NonNullable<Awaited<ReturnType<Store['findSession']>>>;
      const checked = (await store.findLink(name)) as LinkRecord;
      const done = await out(10);
      const next = { ...before, ...newSession('next'), authenticatedAt: 1, revision: 0 };
      expect(done).toEqual({ outcome: 'signed_out', session: next });
      expect(await linksOf()).toEqual(['device one', 'name ada', 'device old']);
      for (const gone of [key('device', 'new'), key('social', 'thief'), key('recovery', 'code')]) {
        expect(await store.findLink(gone)).toBeNull();
      }
      expect(await store.listSessions(owner('a'))).toEqual([next]);
      // What is on its way by a link that stays has ended, too.
      const late = { session: sessionOf('a', 'late', name), linkRevision: checked.revision, quotas };
      expect(await store.openSession(late)).toBe(false);
      expect(await out(10)).toEqual({ outcome: 'no_session' });
    });

    it('keeps the method that was shown, however new it is', async () => {
      expect((await out(0)).outcome).toBe('signed_out');
      expect(await linksOf()).toEqual(['name ada']);
    });

    it('leaves no account without a way in', async () => {
      await store.unlinkMethod({ owner: owner('a'), session: 'asks', method: 'name' });
      const sessions = await sessionsOf();
      expect(await out(0)).toEqual({ outcome: 'would_orphan' });
      expect([await sessionsOf(), (await linksOf()).length]).toEqual([sessions, 5]);
      expect((await out(10)).outcome).toBe('signed_out');
      expect(await linksOf()).toEqual(['device one', 'device old']);
    });

    it('is for one of two who ask at once, and nothing that a session asks comes after it', async () => {
      const [mine, theirs, linked] = await Promise.all([
        out(10),
        store.signOutOthers({ session: { ...asking, sessionId: 'theirs' }, next: newSession('thief'), unlinkSince: 0 }),
        store.linkMethod({ quotas: loginQuotas, owner: owner('a'), session: 'theirs', link: device('late'), now: 11 }),
      ]);
      expect([mine.outcome, theirs.outcome].sort()).toEqual(['no_session', 'signed_out']);
      if (mine.outcome !== 'signed_out') return;
      expect(await sessionsOf()).toEqual(['next']);
      // Where it was linked before, it has gone with the others.
      expect(['linked', 'no_session']).toContain(linked.outcome);
      expect(await linksOf()).toEqual(['device one', 'name ada', 'device old']);
    });
  });
}
