import { beforeEach, describe, expect, it } from 'vitest';
import type { CountKind } from '../../../src/backend/stores/count-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import type { ConflictChoice } from '../../../src/protocol/conflict.js';
import { days } from '../../../src/protocol/gaps/units.js';
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

const day = days(1);

/** What is counted by days, in the step that does it. */
export function describeCounts(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);
  const counted = (from: number, to = from, of = scope) => store.readCounts({ scope: of, from, to });
  /** What was counted on a day, by kinds. */
  const on = async (one: number): Promise<{ [kind in CountKind]?: number }> =>
    Object.fromEntries((await counted(one)).map(({ kind, n }) => [kind, n]));
  const signIn = (accountId: string, sessionId: string, openedAt: number) =>
    openSession(store, { ...sessionOf(accountId, sessionId, key('name', accountId), 'elsewhere'), openedAt });

  beforeEach(async () => {
    store = await create();
  });

  it('has each account that is made, once, on its day', async () => {
    const first = { link: newLink('device', 'a'), accountId: 'a', session: sessionOf('a', 's', key('device', 'a')) };
    for (const now of [day + 5, 2 * day]) await store.ensureAccount({ ...first, now });
    // Who is taken over from elsewhere was not here yet.
    await account('b', newLink('name', 'b'), 2 * day - 1);
    const at = { now: 3 * day, quotas: loginQuotas };
    const custom = { custom: newLink('custom', 'c'), device: newLink('device', 'c'), accountId: 'c' };
    for (let times = 0; times < 2; times += 1) await store.ensureCustomAccount({ ...custom, ...at });
    // A guest who gets an id of the game's own is none that is made.
    const guest = { custom: newLink('custom', 'd'), device: newLink('device', 'a'), accountId: 'd' };
    await store.ensureCustomAccount({ ...guest, ...at });
    expect(await counted(0, 9)).toEqual([
      { day: 1, kind: 'active', n: 1 },
      { day: 1, kind: 'new', n: 2 },
      { day: 1, kind: 'sign_in_device', n: 1 },
      { day: 3, kind: 'active', n: 1 },
      { day: 3, kind: 'new', n: 1 },
    ]);
    expect(await counted(0, 9, { ...scope, gameId: '00000000-0000-4000-8000-000000000000' })).toEqual([]);
    expect(await store.readCounts({ scope: { ...scope, environment: 2 }, from: 0, to: 9 })).toEqual([]);
    expect(await counted(2)).toEqual([]);
  });

  it('has an account once on each day that somebody comes to it, and each sign-in', async () => {
    await account('a', newLink('name', 'a'), 5);
    for (const [index, at] of [day, day + 1, 2 * day - 1, 3 * day].entries()) await signIn('a', `s-${index}`, at);
    const session = sessionOf('a', 's-0', key('name', 'a'), 'elsewhere');
    for (const now of [3 * day + 1, 4 * day, 4 * day + 1, 1]) await store.markUsed({ session, now });
    expect([await on(0), await on(1), await on(2), await on(3), await on(4)]).toEqual([
      { new: 1 },
      { active: 1, sign_in_name: 3 },
      {},
      { active: 1, sign_in_name: 1 },
      { active: 1 },
    ]);
  });

  it('has an account to which somebody comes by what was linked on this day', async () => {
    await account('a', newLink('name', 'a'), 5);
    const link = newLink('device', 'fresh');
    await store.restoreAccount({ owner: owner('a'), link, now: day, quotas: loginQuotas });
    await openSession(store, { ...sessionOf('a', 's', key('device', 'fresh'), 'fresh'), openedAt: day + 1 });
    expect(await on(1)).toEqual({ active: 1, sign_in_device: 1 });
    expect((await store.readAccount(owner('a')))?.account.lastSeenAt).toBe(day + 1);
  });

  it('has nothing that was not done', async () => {
    await account('a', newLink('name', 'a'), 5);
    const session = { ...sessionOf('a', 's', key('name', 'a')), openedAt: day };
    expect(await store.openSession({ session, linkRevision: 99_999, quotas: loginQuotas })).toBe(false);
    const ban = { at: 5, until: null, reason: 'x' };
    const mark = { auditId: 'e', keyId: null, keyName: 'x', action: 'x', at: 5, expiresAt: 9 };
    await store.changeAsOperator({ change: 'banAccount', request: { owner: owner('a'), ban }, mark });
    expect(await openSession(store, session)).toBe(false);
    await store.markUsed({ session: { ...session, accountId: 'nobody' }, now: day });
    expect(await counted(1)).toEqual([]);
  });

  it.each(['local', 'cloud', 'merge'] as const)(
    'has a conflict, and the choice %s once, with the session that begins by it',
    async (choice) => {
      await account('cloud', newLink('name', 'cloud'), 5);
      await account('local', newLink('device', 'local'), 5);
      await openSession(store, sessionOf('local', 's', key('device', 'local'), 'local'));
      const link = await store.findLink(key('name', 'cloud'));
      const sides = { localId: 'local', sessionId: 's', cloudId: 'cloud', device: 'local' };
      const state = { expiresAt: 9 * day, choice: null, resolvedSessionId: null };
      const ticket = { ...key('name', 'cloud'), ...sides, ...state, ticket: 'hash' };
      const open = (linkRevision: number) => store.openTicket({ ...ticket, linkRevision, openedAt: 2 * day });
      expect([await open(99_999), await open(link?.revision ?? -1)]).toEqual(['link_changed', 'opened']);
      const choose = async (asked: ConflictChoice) =>
        (
          await store.resolveConflict({
            ...{ scope, ticket: 'hash', device: 'local', choice: asked, now: 3 * day, quotas: loginQuotas },
            merge: asked === 'merge' ? { writes: [], restsOn: { local: [], cloud: [] }, quotas: quotas(10) } : null,
            session: newSession('next'),
            snapshots: [snapshot('x'), snapshot('y')],
          })
        ).outcome;
      const other = choice === 'local' ? 'cloud' : 'local';
      expect([await choose(choice), await choose(choice), await choose(other)]).toEqual([
        'resolved',
        'resolved',
        'stale',
      ]);
      expect(await on(2)).toEqual({ conflict: 1 });
      expect(await on(3)).toEqual({
        [`choice_${choice}`]: 1,
        ...(choice === 'local' ? {} : { active: 1, sign_in_name: 1 }),
      });
    },
  );

  describe('many at once', () => {
    it('are all counted, and an account once', async () => {
      const ids = Array.from({ length: 16 }, (_, index) => `many-${index.toString(16)}`);
      await Promise.all(ids.map((id) => account(id, newLink('name', id), 5)));
      const sessions = ids.flatMap((id) => Array.from({ length: 3 }, (_, index) => ({ id, index })));
      await Promise.all(sessions.map(({ id, index }) => signIn(id, `s-${index}`, day + index)));
      expect(await on(0)).toEqual({ new: 16 });
      expect(await on(1)).toEqual({ active: 16, sign_in_name: 48 });
    });
  });
}
