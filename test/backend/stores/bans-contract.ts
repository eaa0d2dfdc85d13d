import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorChange, OperatorChanges } from '../../../src/backend/stores/operator-requests.js';
import type { BanRecord } from '../../../src/backend/stores/records.js';
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
import { mark } from './operators-contract.js';

/** What keeps a banned player out, and for how long. */
export function describeBans(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, methodsOf } = stepsOn(() => store);
  let marks = 0;
  const change = <Change extends OperatorChange>(name: Change, request: OperatorChanges[Change]['request']) => {
    marks += 1;
    return store.changeAsOperator({
      change: name,
      request,
      mark: mark({ action: name, auditId: `e-${marks}`, at: marks }),
    });
  };
  const banned = (until: number | null, at = 10): BanRecord => ({ at, until, reason: 'cheating' });
  const ban = (accountId: string, until: number | null, at = 10) =>
    change('banAccount', { owner: owner(accountId), ban: banned(until, at) });
  const unban = (accountId: string, now: number) => change('unbanAccount', { owner: owner(accountId), now });
  const signIn = (accountId: string, sessionId: string, openedAt: number) =>
    openSession(store, { ...sessionOf(accountId, sessionId, key('name', accountId)), openedAt });
  const sessionsOf = async (accountId: string) =>
    (await store.listSessions(owner(accountId))).map(({ sessionId }) => sessionId);
  const audit = async (accountId: string) =>
    (await store.readAudit({ owner: owner(accountId), after: null, max: 100 })).map(({ before, after }) => [
      before,
      after,
    ]);

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('name', 'a'));
    await account('b', newLink('name', 'b'));
  });

  describe('a ban', () => {
    it('ends all sessions, and lets none begin until it ends', async () => {
      await signIn('a', 's', 1);
      await signIn('a', 't', 1);
      await signIn('b', 'u', 1);
      expect(await ban('a', 100)).toEqual({ before: null, sessions: 2 });
      expect([await sessionsOf('a'), await sessionsOf('b')]).toEqual([[], ['u']]);
      expect((await store.readAccount(owner('a')))?.account.ban).toEqual(banned(100));
      expect((await store.readAccount(owner('b')))?.account.ban).toBeNull();
      expect(await signIn('a', 'v', 99)).toBe(false);
      expect(await sessionsOf('a')).toEqual([]);
      expect(await signIn('a', 'v', 100)).toBe(true);
      expect(await sessionsOf('a')).toEqual(['v']);
    });

    it('for good ends by nothing but an operator', async () => {
      await ban('a', null);
      expect((await store.readAccount(owner('a')))?.account.ban).toEqual(banned(null));
      expect(await signIn('a', 's', 8_000_000_000_000_000)).toBe(false);
      expect(await unban('a', 50)).toEqual(banned(null));
      expect((await store.readAccount(owner('a')))?.account.ban).toBeNull();
      expect(await signIn('a', 's', 51)).toBe(true);
    });

    it('takes the place of an earlier one, and is in the log with what was before', async () => {
      await ban('a', 100);
      expect(await ban('a', 200, 20)).toEqual({ before: banned(100), sessions: 0 });
      expect(await ban('a', 300, 250)).toEqual({ before: null, sessions: 0 });
      await unban('a', 260);
      expect(await audit('a')).toEqual([
        [{ ban: banned(300, 250) }, { ban: null }],
        [
          { ban: null, sessions: 0 },
          { ban: banned(300, 250), sessions: 0 },
        ],
        [
          { ban: banned(100), sessions: 0 },
          { ban: banned(200, 20), sessions: 0 },
        ],
        [
          { ban: null, sessions: 0 },
          { ban: banned(100), sessions: 0 },
        ],
      ]);
    });

    it('is ended only where there is one, and else nothing is noted', async () => {
      expect(await unban('a', 5)).toBe('not_banned');
      expect([await unban('none', 5), await ban('none', 9)]).toEqual(['no_account', null]);
      await ban('b', 100);
      expect(await unban('b', 100)).toBe('not_banned');
      expect([await audit('a'), await audit('none')]).toEqual([[], []]);
      expect(await audit('b')).toHaveLength(1);
    });

    it('leaves no session, whichever of many sign-ins come before it and after it', async () => {
      const opened = Array.from({ length: 8 }, (_, n) => signIn('a', `s-${n}`, 20));
      await Promise.all([...opened.slice(0, 4), ban('a', null), ...opened.slice(4)]);
      expect(await sessionsOf('a')).toEqual([]);
    });

    it('ends a refresh that is under way', async () => {
      await signIn('a', 's', 1);
      const session = (await store.findSession({ ...owner('a'), sessionId: 's' })) as NonNullable<
        Awaited<ReturnType<Store['findSession']>>
      >;
      await Promise.all([store.updateSession(session), ban('a', null)]);
      expect(await sessionsOf('a')).toEqual([]);
      expect(await store.updateSession({ ...session, revision: 1 })).toBe(false);
    });

    it("keeps a custom id from a banned guest's account, and a device from a banned account", async () => {
      await account('guest', newLink('device', 'one'));
      await ban('guest', 100);
      const ensure = (custom: string, device: string, now: number) =>
        store.ensureCustomAccount({
          custom: newLink('custom', custom),
          device: newLink('device', device),
          accountId: `of-${custom}`,
          now,
          quotas: loginQuotas,
        });
      expect((await ensure('4', 'one', 50)).accountId).toBe('of-4');
      expect(await methodsOf('guest')).toEqual([['device', 'one']]);
      await ban('of-4', 100);
      expect((await ensure('4', 'two', 50)).accountId).toBe('of-4');
      expect(await store.findLink(key('device', 'two'))).toBeNull();
      expect((await ensure('5', 'one', 100)).accountId).toBe('guest');
    });

    it("goes on to let the game's back end read and write, and takes no save away", async () => {
      await ban('a', null);
      const entry = { collection: 'c', key: 'k', text: '{"n":1}' };
      const write = { ...entry, owner: owner('a'), snapshot: snapshot('lost'), quotas: quotas(10), now: 20 };
      expect(await store.updateEntry({ ...write, sessionId: null, version: -1 })).toMatchObject({ version: 0 });
      expect(await store.updateEntry({ ...write, sessionId: 's', version: 0 })).toEqual({ outcome: 'no_session' });
      expect(await store.readCollection({ owner: owner('a'), sessionId: null, collection: 'c' })).toHaveLength(1);
    });
  });

  describe('a choice in a conflict of a banned player', () => {
    /** A conflict of `local`, a guest, who has shown the name of `a`. */
    async function conflict() {
      await account('local', newLink('device', 'one'));
      await openSession(store, sessionOf('local', 's', key('device', 'one'), 'one'));
      const { revision = 0 } = (await store.findLink(key('name', 'a'))) ?? {};
      const ids = { localId: 'local', sessionId: 's', cloudId: 'a', device: 'one' };
      const open = { choice: null, resolvedSessionId: null, linkRevision: revision, expiresAt: 1_000 };
      await store.openTicket({ ...key('name', 'a'), ...ids, ...open, ticket: 'hash' });
      return (choice: 'local' | 'cloud' | 'merge', now: number) =>
        store.resolveConflict({
          ...{ scope, ticket: 'hash', device: 'one', choice, now, quotas: loginQuotas },
          merge: choice === 'merge' ? { writes: [], restsOn: { local: [], cloud: [] }, quotas: quotas(10) } : null,
          session: { ...newSession('next'), openedAt: now },
          snapshots: [snapshot('other'), snapshot('own')],
        });
    }

    it.each([
      ['local', 'a'],
      ['cloud', 'a'],
      ['merge', 'a'],
      ['cloud', 'local'],
    ] as const)('is refused and changes nothing: %s, with %s banned', async (choice, who) => {
      const resolve = await conflict();
      await ban(who, 100);
      const sides = { scope, ticket: 'hash', device: 'one', now: 50 };
      expect([await store.findConflict(sides), await store.readConflictSides(sides)]).toEqual([null, null]);
      expect(await resolve(choice, 50)).toEqual({ outcome: 'banned', ban: banned(100) });
      expect(await sessionsOf('a')).toEqual([]);
      expect([await methodsOf('local'), await methodsOf('a')]).toEqual([[['device', 'one']], [['name', 'a']]]);
      expect(await store.listSnapshots({ owner: owner('a'), now: 50 })).toEqual([]);
    });

    it('is carried out once the ban has ended', async () => {
      const resolve = await conflict();
      await ban('a', 100);
      expect(await resolve('cloud', 100)).toMatchObject({ outcome: 'resolved' });
      expect(await sessionsOf('a')).toEqual(['next']);
    });

    it('leaves no session there, whichever comes first', async () => {
      const resolve = await conflict();
      const [resolved] = await Promise.all([resolve('cloud', 50), ban('a', null)]);
      expect(['resolved', 'banned']).toContain(resolved.outcome);
      expect(await sessionsOf('a')).toEqual([]);
      expect(await resolve('cloud', 60)).toMatchObject({ outcome: 'banned' });
    });
  });

  it('banned players are in a list, by when the ban ends, as long as it lasts', async () => {
    for (const id of ['c', 'd', 'e']) await account(id, newLink('name', id));
    await ban('a', 100);
    await ban('b', 300);
    await ban('c', null);
    await ban('d', null);
    const page = async (now: number, after: { at: number; id: string } | null = null, max = 10) =>
      (await store.listAccounts({ scope, list: 'banned', after, max, now })).map((one) => one.account.accountId);
    expect(await page(50)).toEqual(['d', 'c', 'b', 'a']);
    expect(await page(100)).toEqual(['d', 'c', 'b']);
    expect(await page(50, { at: 300, id: 'b' })).toEqual(['a']);
    expect(await page(50, null, 1)).toEqual(['d']);
    await unban('d', 50);
    expect(await page(300)).toEqual(['c']);
  });
}
