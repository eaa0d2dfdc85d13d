import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  gameId,
  key,
  loginQuotas,
  minute,
  newLink,
  openSession,
  owner,
  sessionOf,
  snapshot,
  stepsOn,
  token,
} from './contract-records.js';

/** What ends by itself: sessions, nonces, tries, and all that is kept for a time. */
export function describeTime(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, orphan } = stepsOn(() => store);

  beforeEach(async () => {
    store = await create();
  });

  describe('sessions', () => {
    const via = key('device', 'one');

    it('open, are found, and end', async () => {
      await account('a', newLink('device', 'one'));
      const session = sessionOf('a', 's', via);
      expect(await openSession(store, session)).toBe(true);
      expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toEqual(session);
      expect(await store.findSession({ ...owner('b'), sessionId: 's' })).toBeNull();
      await store.endSession({ ...owner('a'), sessionId: 's' });
      await store.endSession({ ...owner('a'), sessionId: 's' });
      expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toBeNull();
    });

    it('do not open where the way in leads elsewhere or nowhere', async () => {
      await account('a', newLink('device', 'one'));
      expect(await openSession(store, sessionOf('b', 's', via))).toBe(false);
      expect(await openSession(store, sessionOf('a', 's', key('name', 'nobody')))).toBe(false);
      expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toBeNull();
    });

    it('change only from the revision that was read', async () => {
      await account('a', newLink('device', 'one'));
      const session = sessionOf('a', 's', via);
      await openSession(store, session);
      const changed = { ...session, refreshTokens: [...session.refreshTokens, token('s-1')] };
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.updateSession(changed)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toEqual({ ...changed, revision: 1 });
      await store.endSession({ ...owner('a'), sessionId: 's' });
      expect(await store.updateSession({ ...changed, revision: 1 })).toBe(false);
    });

    it('are copies: changing one that was read changes nothing', async () => {
      await account('a', newLink('device', 'one'));
      await openSession(store, sessionOf('a', 's', via));
      const read = await store.findSession({ ...owner('a'), sessionId: 's' });
      read?.refreshTokens.push(token('planted'));
      const link = await store.findLink(via);
      if (link !== null) link.accountId = 'planted';
      expect((await store.findSession({ ...owner('a'), sessionId: 's' }))?.refreshTokens).toHaveLength(1);
      expect((await store.findLink(via))?.accountId).toBe('a');
    });
  });

  describe('devices', () => {
    const knows = (accountId: string, device: string) => store.knowsDevice({ owner: owner(accountId), device });

    it('know an account by their link and by its sessions, as long as these are there', async () => {
      await account('a', newLink('device', 'one'));
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('name', 'ada'),
        now: 1,
      });
      expect([await knows('a', 'one'), await knows('a', 'two'), await knows('a', 'ada')]).toEqual([true, false, false]);
      await openSession(store, sessionOf('a', 's', key('name', 'ada'), 'two'));
      expect([await knows('a', 'one'), await knows('a', 'two')]).toEqual([true, true]);
      await store.endSessions(owner('a'));
      await store.unlinkMethod({ owner: owner('a'), session: null, method: 'device' });
      expect([await knows('a', 'one'), await knows('a', 'two')]).toEqual([false, false]);
    });

    it('know no account but their own, in no other environment, and none that is not there', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      await openSession(store, sessionOf('a', 's', key('device', 'one'), 'three'));
      for (const device of ['one', 'three']) {
        expect(await knows('b', device)).toBe(false);
        expect(await knows('nobody', device)).toBe(false);
        expect(await store.knowsDevice({ owner: { ...owner('a'), environment: 1 }, device })).toBe(false);
      }
    });
  });

  describe('nonces', () => {
    const claim = (nonce: string, more: { gameId?: string; now?: number; max?: number } = {}) =>
      store.claimNonce({ gameId, nonce, expiresAt: 1_000, now: 10, max: 3, ...more });

    it('are claimed once by game, of fifty at once too', async () => {
      const claims = await Promise.all(Array.from({ length: 50 }, () => claim('n')));
      expect(claims.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
      expect(claims.filter((outcome) => outcome === 'reused')).toHaveLength(49);
      expect(await claim('n', { gameId: 'another' })).toBe('claimed');
    });

    it('are never forgotten before their end, not even when there are too many', async () => {
      for (const nonce of ['a', 'b', 'c']) expect(await claim(nonce)).toBe('claimed');
      expect(await claim('d')).toBe('full');
      expect(await claim('a')).toBe('reused');
      expect(await claim('d', { now: 1_000 })).toBe('claimed');
    });

    it('are known to whoever asks for them, until their end and in their game alone', async () => {
      const isClaimed = (nonce: string, more: { gameId?: string; now?: number } = {}) =>
        store.isNonceClaimed({ gameId, nonce, now: 10, ...more });
      expect(await isClaimed('n')).toBe(false);
      await claim('n');
      expect(await isClaimed('n', { now: 999 })).toBe(true);
      expect(await isClaimed('n', { now: 1_000 })).toBe(false);
      expect(await isClaimed('other')).toBe(false);
      expect(await isClaimed('n', { gameId: 'another' })).toBe(false);
    });
  });

  describe('tries', () => {
    const count = (now: number, lockMaxMs: number | null = null) =>
      store.countAttempt({ key: 'k', tries: 3, windowMs: minute, lockMaxMs, now });

    it('are allowed up to a number in a window', async () => {
      const waits = await Promise.all([1, 2, 3, 4, 5].map(() => count(0)));
      expect(waits.sort((left, right) => left - right)).toEqual([0, 0, 0, minute, minute]);
      expect(await count(minute)).toBe(0);
    });

    it('lock for twice as long each time, up to a limit', async () => {
      let now = 0;
      const locks = [];
      for (let round = 0; round < 6; round += 1) {
        for (let attempt = 0; attempt < 3; attempt += 1) expect(await count(now, 15 * minute)).toBe(0);
        const wait = await count(now, 15 * minute);
        locks.push(wait / minute);
        now += wait;
      }
      expect(locks).toEqual([1, 2, 4, 8, 15, 15]);
    });

    it('are allowed again as soon as one is taken back, also where too many have come', async () => {
      for (let attempt = 0; attempt < 3; attempt += 1) await count(0);
      expect(await count(0)).toBe(minute);
      await store.forgiveAttempt({ key: 'k', forget: 'one' });
      expect(await count(1)).toBe(0);
      expect(await count(1)).toBe(minute - 1);
    });

    it.each([
      [minute, null],
      [15 * minute, 15 * minute],
    ])('make nobody wait longer than %i ms where the clock was ahead before', async (longest, lockMaxMs) => {
      const ahead = 365 * 24 * 60 * minute;
      for (let attempt = 0; attempt < 4; attempt += 1) await count(ahead, lockMaxMs);
      expect(await count(0, lockMaxMs)).toBeLessThanOrEqual(longest);
      expect(await count(longest, lockMaxMs)).toBe(0);
    });

    it('are taken back one by one, or all', async () => {
      for (let attempt = 0; attempt < 3; attempt += 1) await count(0);
      await store.forgiveAttempt({ key: 'k', forget: 'one' });
      expect(await count(0)).toBe(0);
      expect(await count(0)).toBeGreaterThan(0);
      await store.forgiveAttempt({ key: 'k', forget: 'all' });
      expect(await count(0)).toBe(0);
    });
  });

  describe('retention', () => {
    const remove = (now: number, batch = 100) =>
      store.removeExpired({ now, orphanedBefore: now - 1_000, deletedBefore: now - 500, batch });

    it('removes an account that was orphaned long enough ago, with its entries', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      await orphan('one', 100);
      await remove(1_100);
      expect(await store.readAccount(owner('a'))).not.toBeNull();
      await remove(1_101);
      expect(await store.readAccount(owner('a'))).toBeNull();
      expect(await store.readCollection({ owner: owner('a'), sessionId: null, collection: 'c' })).toBeNull();
      expect(await store.readAccount(owner('b'))).not.toBeNull();
    });

    it('removes a deleted account after its grace, with its links', async () => {
      await account('a', newLink('name', 'ada'));
      await openSession(store, sessionOf('a', 's', key('name', 'ada')));
      const session = { ...owner('a'), sessionId: 's' };
      await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 100 });
      await remove(600);
      expect(await store.findLink(key('name', 'ada'))).not.toBeNull();
      await remove(601);
      expect(await store.readAccount(owner('a'))).toBeNull();
      expect(await store.findLink(key('name', 'ada'))).toBeNull();
      expect(await store.findLink(key('recovery', 'code'))).toBeNull();
      expect((await account('b', newLink('name', 'ada'))).created).toBe(true);
    });

    it('removes snapshots that have ended, and no others', async () => {
      await account('a', newLink('device', 'one'));
      const entry = { collection: 'c', key: 'k', text: '{}', version: -1, changedAt: 1 };
      for (const [id, expiresAt] of [
        ['ended', 50],
        ['kept', 51],
      ] as const) {
        await store.addSnapshot({
          owner: owner('a'),
          sessionId: null,
          entry,
          snapshot: snapshot(id, { expiresAt }),
          now: 1,
        });
      }
      expect(await remove(50)).toBe(1);
      const left = await store.listSnapshots({ owner: owner('a'), now: 1 });
      expect(left.map(({ snapshotId }) => snapshotId)).toEqual(['kept']);
    });

    it('removes what has ended, in batches, and nothing that has not', async () => {
      await account('a', newLink('device', 'one'));
      await openSession(store, { ...sessionOf('a', 'ended', key('device', 'one')), expiresAt: 50 });
      await openSession(store, { ...sessionOf('a', 'alive', key('device', 'one')), expiresAt: 51 });
      for (const nonce of ['x', 'y', 'z']) {
        await store.claimNonce({ gameId, nonce, expiresAt: 50, now: 1, max: 10 });
      }
      expect(await remove(50, 2)).toBe(2);
      expect(await remove(50, 2)).toBe(2);
      expect(await remove(50, 2)).toBe(0);
      expect(await store.findSession({ ...owner('a'), sessionId: 'alive' })).not.toBeNull();
      expect(await store.findSession({ ...owner('a'), sessionId: 'ended' })).toBeNull();
    });
  });
}
