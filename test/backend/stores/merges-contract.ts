import { beforeEach, describe, expect, it } from 'vitest';
import type { MergeAccountsRequest } from '../../../src/backend/stores/choice-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  key,
  loginQuotas,
  newLink,
  openSession,
  owner,
  quotas,
  sessionOf,
  snapshot,
  stepsOn,
} from './contract-records.js';
import { mark } from './operators-contract.js';

/** Two accounts that an operator makes one of. */
export function describeMerges(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, methodsOf, orphanedAt } = stepsOn(() => store);
  const now = 100;
  const merge = (more: Partial<MergeAccountsRequest> = {}, keyId: string | null = null) =>
    store.changeAsOperator({
      change: 'mergeAccounts',
      request: {
        owner: owner('a'),
        into: owner('b'),
        entries: 'keep',
        snapshots: [snapshot('other'), snapshot('own')],
        quotas: loginQuotas,
        entryQuotas: quotas(10),
        now,
        ...more,
      },
      mark: mark({ action: 'merge', keyId }),
    });
  const link = (accountId: string, method: Parameters<typeof newLink>[0], subject: string) =>
    store.linkMethod({
      quotas: loginQuotas,
      owner: owner(accountId),
      session: null,
      link: newLink(method, subject, { credential: `hash of ${subject}` }),
      now: 2,
    });
  const write = (accountId: string, entry: string, text: string) =>
    store.updateEntry({
      owner: owner(accountId),
      sessionId: null,
      collection: 'c',
      key: entry,
      text,
      version: -1,
      snapshot: snapshot(`${accountId}-${entry}-${text}`),
      quotas: quotas(10),
      now: 5,
    });
  const entriesOf = async (accountId: string) =>
    (await store.readCollection({ owner: owner(accountId), sessionId: null, collection: 'c' }))?.map((one) => [
      one.key,
      one.text,
    ]);
  const snapshotsOf = async (accountId: string) => {
    const kept = await store.listSnapshots({ owner: owner(accountId), now });
    return kept.map(({ snapshotId, reason, fromId, entries }) => [snapshotId, reason, fromId, entries]);
  };
  const audit = async (accountId: string) => store.readAudit({ owner: owner(accountId), after: null, max: 9 });
  /** All that could change. */
  const picture = async () =>
    Promise.all(
      ['a', 'b'].map(async (id) => [
        await store.readProfile(owner(id)),
        await store.listSessions(owner(id)),
        await snapshotsOf(id),
        await audit(id),
      ]),
    );

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    await account('b', newLink('device', 'two'));
    await link('a', 'name', 'ada');
    await link('a', 'custom', 'user-7');
    await link('b', 'social', 'steam');
    await write('a', 'mine', '{"a":1}');
    await write('a', 'both', '{"a":2}');
    await write('b', 'both', '{"b":3}');
    await write('b', 'own', '{"b":4}');
    await openSession(store, sessionOf('a', 'of-a', key('name', 'ada'), 'one'));
    await openSession(store, sessionOf('b', 'of-b', key('device', 'two'), 'two'));
  });

  describe('a merge by an operator', () => {
    it('makes all links lead to the other account, and ends the sessions of the first, which is an orphan', async () => {
      const outcome = await merge();
      const moved = expect.arrayContaining(['name', 'custom', 'device']);
      expect(outcome).toEqual({ outcome: 'merged', moved, customId: 'user-7', sessions: 1, written: 0 });
      for (const one of [key('device', 'one'), key('name', 'ada'), key('custom', 'user-7')]) {
        expect(await store.findLink(one)).toMatchObject({ accountId: 'b', linkedAt: now });
      }
      expect((await store.findLink(key('name', 'ada')))?.credential).toBe('hash of ada');
      expect([await methodsOf('a'), (await methodsOf('b'))?.length]).toEqual([[], 5]);
      expect([await orphanedAt('a'), await orphanedAt('b')]).toEqual([now, null]);
      expect(await store.listSessions(owner('a'))).toEqual([]);
      expect((await store.listSessions(owner('b'))).map(({ sessionId }) => sessionId)).toEqual(['of-b']);
    });

    it('keeps the entries of the other account, and those of the first in a snapshot there', async () => {
      await merge();
      expect(await entriesOf('b')).toEqual([
        ['both', '{"b":3}'],
        ['own', '{"b":4}'],
      ]);
      expect(await snapshotsOf('b')).toEqual([['other', 'cloud', 'a', 2]]);
      expect(await entriesOf('a')).toHaveLength(2);
    });

    it('takes the entries of the first, entry by entry, and keeps all that was there in a snapshot', async () => {
      expect(await merge({ entries: 'take' })).toMatchObject({ outcome: 'merged', written: 2 });
      expect(await entriesOf('b')).toEqual([
        ['both', '{"a":2}'],
        ['mine', '{"a":1}'],
        ['own', '{"b":4}'],
      ]);
      expect(await snapshotsOf('b')).toEqual([
        ['other', 'merge', 'a', 2],
        ['own', 'merge', 'b', 2],
      ]);
      const own = await store.readSnapshot({ key: { ...owner('b'), snapshotId: 'own' }, now });
      expect(own?.entries.map(({ text }) => text)).toEqual(['{"b":3}', '{"b":4}']);
    });

    it('is in the log of the account that the player has since, with what was before and after', async () => {
      await merge({ entries: 'take' });
      expect(await audit('b')).toMatchObject([
        {
          what: { from: 'a', entries: 'take' },
          before: { leadTo: 'a', sessions: 1, snapshot: 'own' },
          after: { leadTo: 'b', written: 2, snapshot: 'other' },
        },
      ]);
      expect(JSON.stringify(await audit('b'))).not.toMatch(/ada|user-7|hash|"one"/);
    });

    it('changes and notes nothing where it is refused', async () => {
      const before = await picture();
      expect(await merge({}, 'gone')).toBe('no_key');
      expect(await merge({ into: owner('none') })).toEqual({ outcome: 'no_account' });
      expect(await merge({ owner: owner('none') })).toEqual({ outcome: 'no_account' });
      const full = await merge({ entries: 'take', entryQuotas: quotas(2) });
      expect(full).toMatchObject({ outcome: 'quota_exceeded', quota: 'entries', limit: 2 });
      expect(await picture()).toEqual(before);
    });

    it.each(['name', 'custom', 'social', 'identity', 'recovery'] as const)(
      'is refused where both have a link of the kind %s',
      async (method) => {
        if (method === 'social' || method === 'identity' || method === 'recovery') await link('a', method, 'mine');
        if (method !== 'social') await link('b', method, 'theirs');
        const before = await picture();
        expect(await merge()).toEqual({ outcome: 'method_already_linked', method });
        expect(await picture()).toEqual(before);
      },
    );

    it('is refused while one is banned or being deleted', async () => {
      const ban = { at: 10, until: null, reason: 'cheating' };
      for (const id of ['a', 'b']) {
        await store.changeAsOperator({ change: 'banAccount', request: { owner: owner(id), ban }, mark: mark() });
        expect(await merge()).toEqual({ outcome: 'banned', ban });
        await store.changeAsOperator({ change: 'unbanAccount', request: { owner: owner(id), now }, mark: mark() });
        const session = { ...owner(id), sessionId: null };
        const request = { session, recovery: newLink('recovery', `code of ${id}`), now };
        await store.changeAsOperator({ change: 'deleteAccount', request, mark: mark() });
        expect(await merge()).toEqual({ outcome: 'deleted' });
        await store.changeAsOperator({ change: 'undelete', request: { owner: owner(id) }, mark: mark() });
        await store.unlinkMethod({ owner: owner(id), session: null, method: 'recovery' });
      }
      expect(await merge()).toMatchObject({ outcome: 'merged' });
    });

    it('makes room for the devices, and takes the entries of an account that nothing leads to', async () => {
      await link('a', 'device', 'three');
      await merge({ quotas: { ...loginQuotas, devices: 2 } });
      const devices = (await methodsOf('b'))?.filter(([method]) => method === 'device');
      expect(devices?.map(([, subject]) => subject).sort()).toEqual(['one', 'three']);
      expect(await store.findLink(key('device', 'two'))).toBeNull();
      expect(await merge({ entries: 'take', snapshots: [snapshot('3'), snapshot('4')] })).toMatchObject({
        moved: [],
        written: 2,
      });
    });

    it('of two at once, in either direction, leaves one account with everything', async () => {
      const back = merge({ owner: owner('b'), into: owner('a'), snapshots: [snapshot('5'), snapshot('6')] });
      await Promise.all([merge(), back]);
      const counts = [(await methodsOf('a'))?.length, (await methodsOf('b'))?.length];
      expect(counts.sort()).toEqual([0, 5]);
      const [orphans] = [[await orphanedAt('a'), await orphanedAt('b')].filter((at) => at !== null)];
      expect(orphans).toEqual([now]);
    });
  });
}
