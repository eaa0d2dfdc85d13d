import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorChange, OperatorChanges, OperatorMark } from '../../../src/backend/stores/operator-requests.js';
import type { LinkRecord } from '../../../src/backend/stores/records.js';
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
import { mark, operatorKey } from './operators-contract.js';

/** What operators change in an account, and what the log says of it. */
export function describeOperatorChanges(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, methodsOf } = stepsOn(() => store);
  const change = <Change extends OperatorChange>(
    name: Change,
    request: OperatorChanges[Change]['request'],
    by: Partial<OperatorMark> = {},
  ) => store.changeAsOperator({ change: name, request, mark: mark({ action: name, ...by }), deviceNames });
  /** How operators see the devices. */
  const deviceNames = new Map(['one', 'two', 'of b'].map((subject) => [subject, `shown ${subject}`]));
  const audit = (accountId = 'a') => store.readAudit({ owner: owner(accountId), after: null, max: 100 });
  const details = async () =>
    (await audit()).map(({ action, what, before, after }) => ({ action, what, before, after }));
  const sides = async (accountId = 'a') =>
    (await audit(accountId)).map(({ what, before, after }) => ({ what, before, after }));
  const write = (version: number, text: string, more: Partial<OperatorChanges['updateEntry']['request']> = {}) => ({
    owner: owner('a'),
    sessionId: null,
    collection: 'c',
    key: 'k',
    text,
    version,
    keepsFormer: true,
    snapshot: snapshot(`former-${version}`),
    quotas: quotas(10),
    now: 6,
    ...more,
  });
  /** All that a change could change. */
  const picture = async () => [
    await store.readProfile(owner('a')),
    await store.listSessions(owner('a')),
    await store.listSnapshots({ owner: owner('a'), now: 6 }),
    await audit(),
  ];

  /** Each change, as one that would be made. */
  const changes: { [what: string]: (by?: Partial<OperatorMark>) => Promise<unknown> } = {
    'an entry': (by) => change('updateEntry', write(0, '{"n":2}'), by),
    'the return of a snapshot': (by) =>
      change(
        'restoreSnapshot',
        {
          key: { ...owner('a'), snapshotId: 'kept' },
          sessionId: null,
          quotas: quotas(10),
          snapshot: snapshot('undone'),
          now: 6,
        },
        by,
      ),
    'the end of all sessions': (by) => change('endSessions', owner('a'), by),
    'the end of a link': (by) => change('unlinkMethod', { owner: owner('a'), session: null, method: 'name' }, by),
    'a deletion': (by) =>
      change(
        'deleteAccount',
        { session: { ...owner('a'), sessionId: null }, recovery: newLink('recovery', 'code'), now: 7 },
        by,
      ),
    'a device': (by) =>
      change('restoreAccount', { owner: owner('a'), link: newLink('device', 'new'), now: 8, quotas: loginQuotas }, by),
    'a sign-in code': (by) => change('makeSignInCode', { owner: owner('a'), hash: 'h', expiresAt: 100 }, by),
    'a ban': (by) => change('banAccount', { owner: owner('a'), ban: { at: 7, until: null, reason: 'cheating' } }, by),
    'a merge': (by) =>
      change(
        'mergeAccounts',
        {
          owner: owner('b'),
          into: owner('a'),
          entries: 'take',
          snapshots: [snapshot('of-b'), snapshot('of-a')],
          quotas: loginQuotas,
          entryQuotas: quotas(10),
          now: 7,
        },
        by,
      ),
    'a code': async (by) => {
      const link = (await store.findLink(key('name', 'ada'))) as LinkRecord;
      const code = { kind: 'support', hash: 'code', tries: 5, expiresAt: 100, mailAddress: null, now: 7 } as const;
      return change('makeCode', { link, ...code }, by);
    },
    'an export': (by) => change('noteExport', owner('a'), by),
  };
  /** Each change that ends another one: that one, and what would end it. */
  const ends: { [what: string]: [begin: keyof typeof changes, end: (by?: Partial<OperatorMark>) => Promise<unknown>] } =
    {
      'a deletion': ['a deletion', (by) => change('undelete', { owner: owner('a') }, by)],
      'a ban': ['a ban', (by) => change('unbanAccount', { owner: owner('a'), now: 8 }, by)],
    };
  const all = Object.entries(changes);

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    await account('b', newLink('device', 'of b'));
    await store.linkMethod({
      owner: owner('a'),
      session: null,
      link: newLink('name', 'ada'),
      now: 2,
      quotas: loginQuotas,
    });
    await openSession(store, sessionOf('a', 's', key('device', 'one')));
    await openSession(store, sessionOf('a', 't', key('name', 'ada')));
    await store.updateEntry({ ...write(-1, '{"n":1}'), keepsFormer: undefined });
    const entry = { collection: 'c', key: 'k', text: '{"n":0}', version: -1, changedAt: 5 };
    await store.addSnapshot({ owner: owner('a'), sessionId: null, entry, snapshot: snapshot('kept'), now: 5 });
  });

  describe('a change by an operator', () => {
    it.each(all)('is in the log of its account, once, with who did it: %s', async (_, make) => {
      await store.changeAsOperator({ change: 'addOperatorKey', request: operatorKey('k'), mark: mark() });
      await make({ keyId: 'k', keyName: 'grace', at: 50 });
      expect(await audit()).toMatchObject([{ keyId: 'k', keyName: 'grace', at: 50, owner: owner('a') }]);
      expect(await audit('b')).toEqual([]);
      expect(await store.readAudit({ owner: { ...owner('a'), environment: 1 }, after: null, max: 9 })).toEqual([]);
    });

    it.each(all)('changes and notes nothing with a key that was taken away: %s', async (_, make) => {
      const before = await picture();
      expect(await make({ keyId: 'gone' })).toBe('no_key');
      expect(await picture()).toEqual(before);
    });

    it.each(Object.entries(ends))('ends nothing with a key that was taken away: %s', async (_, [begin, end]) => {
      await changes[begin]?.();
      const before = await picture();
      expect(await end({ keyId: 'gone' })).toBe('no_key');
      expect(await picture()).toEqual(before);
      expect(await end()).not.toBe('no_key');
      expect(await picture()).not.toEqual(before);
    });

    it('makes no code that counts with a key that was taken away', async () => {
      await changes['a code']?.({ keyId: 'gone' });
      const asked = { link: key('name', 'ada'), kind: 'support', hashes: ['code'], to: 'new', now: 8 } as const;
      expect(await store.resetPassword(asked)).toBe('wrong_code');
      await changes['a code']?.();
      expect(await store.resetPassword(asked)).toBe('reset');
    });

    it('of an entry keeps what it overwrites, and says the versions and no value', async () => {
      expect(await change('updateEntry', write(0, '{"secret":2}'))).toEqual({ outcome: 'written', version: 1 });
      const found = await store.readSnapshot({ key: { ...owner('a'), snapshotId: 'former-0' }, now: 6 });
      expect(found?.entries).toMatchObject([{ text: '{"n":1}', version: 0 }]);
      const [noted] = await details();
      expect(noted).toEqual({
        action: 'updateEntry',
        what: { collection: 'c', key: 'k' },
        before: { version: 0, snapshot: 'former-0' },
        after: { version: 1, bytes: 12 },
      });
      expect(JSON.stringify(await audit())).not.toContain('secret');
    });

    it('that is refused is not in the log', async () => {
      const before = await picture();
      expect(await change('updateEntry', write(7, '{}'))).toMatchObject({ outcome: 'mismatch' });
      expect(await change('updateEntry', write(0, '{"n":12345}', { quotas: quotas(10, { values: 8 }) }))).toMatchObject(
        {
          outcome: 'quota_exceeded',
        },
      );
      expect(await change('endSessions', owner('none'))).toBeNull();
      expect(await change('undelete', { owner: owner('a') })).toBe('not_deleted');
      expect(await change('undelete', { owner: owner('none') })).toBe('no_account');
      expect(await change('noteExport', owner('none'))).toBe(false);
      expect(await change('unlinkMethod', { owner: owner('a'), session: null, method: 'custom' })).toBe('not_linked');
      expect(await picture()).toEqual(before);
    });

    it('ends sessions, and says how many there were', async () => {
      expect(await change('endSessions', owner('a'))).toBe(2);
      expect(await store.listSessions(owner('a'))).toEqual([]);
      expect(await details()).toMatchObject([{ before: { sessions: 2 }, after: { sessions: 0 } }]);
    });

    it('begins a deletion, which a second one does not touch, and takes it back', async () => {
      const remove = (subject: string, now: number) =>
        change('deleteAccount', {
          session: { ...owner('a'), sessionId: null },
          recovery: newLink('recovery', subject),
          now,
        });
      expect(await remove('code', 7)).toBe(7);
      expect(await store.listSessions(owner('a'))).toEqual([]);
      expect(await remove('another', 8)).toBeNull();
      expect((await methodsOf('a'))?.sort()).toEqual([
        ['name', 'ada'],
        ['recovery', 'code'],
      ]);
      expect((await store.readAccount(owner('a')))?.account).toMatchObject({ deletedAt: 7, deletedBy: null });
      expect(await change('undelete', { owner: owner('a') })).toBe('restored');
      expect((await store.readAccount(owner('a')))?.account).toMatchObject({ deletedAt: null, deletedBy: null });
      expect((await details()).map(({ action }) => action).sort()).toEqual(['deleteAccount', 'undelete']);
    });

    it('that takes a device away says which, and how many sessions ended', async () => {
      await store.linkMethod({
        owner: owner('a'),
        session: null,
        link: newLink('device', 'two'),
        now: 3,
        quotas: loginQuotas,
      });
      await openSession(store, sessionOf('a', 'u', key('device', 'two')));
      const device = { owner: owner('a'), session: null, method: 'device', device: 'two' } as const;
      expect(await change('unlinkMethod', device)).toBe('unlinked');
      expect(await sides()).toEqual([
        {
          what: { method: 'device', device: 'shown two' },
          before: { sessions: 3, methods: [{ method: 'device', device: 'shown two' }] },
          after: { sessions: 2, methods: [] },
        },
      ]);
    });

    it('that takes a login method away says whose it was, and how many sessions ended', async () => {
      const login = { ...newLink('social', '["wave","7"]'), label: 'wave' };
      await store.linkMethod({ owner: owner('a'), session: null, link: login, now: 3, quotas: loginQuotas });
      for (const [at, method] of (['name', 'social'] as const).entries())
        await change('unlinkMethod', { owner: owner('a'), session: null, method }, { at: 101 + at });
      expect(await sides()).toEqual([
        {
          what: { method: 'social' },
          before: { sessions: 1, methods: [{ method: 'social', label: 'wave', subject: '["wave","7"]' }] },
          after: { sessions: 1, methods: [] },
        },
        {
          what: { method: 'name' },
          before: { sessions: 2, methods: [{ method: 'name' }] },
          after: { sessions: 1, methods: [] },
        },
      ]);
    });

    it('that begins a deletion says what ended, and that there is a code; the end of it says that it has ended', async () => {
      await changes['a deletion']?.();
      expect(await sides()).toEqual([
        {
          what: {},
          before: { deletedAt: null, sessions: 2, methods: [{ method: 'device', device: 'shown one' }] },
          after: { deletedAt: 7, sessions: 0, methods: [{ method: 'recovery' }] },
        },
      ]);
      await change('undelete', { owner: owner('a') }, { at: 101 });
      expect((await sides())[0]).toEqual({
        what: {},
        before: { deletedAt: 7, sessions: 0 },
        after: { deletedAt: null, sessions: 0 },
      });
    });

    it('that gives an account to a device says what was lost, and is in the log of the account that had the device', async () => {
      await openSession(store, sessionOf('b', 'of b', key('device', 'of b')));
      const link = newLink('device', 'of b');
      const by = { otherAuditId: mark().auditId };
      await change('restoreAccount', { owner: owner('a'), link, now: 8, quotas: loginQuotas }, by);
      const methods = [{ method: 'device', device: 'shown of b' }];
      const what = { device: 'shown of b', from: 'b' };
      expect(await sides()).toEqual([{ what, before: { sessions: 2, methods: [] }, after: { sessions: 2, methods } }]);
      expect(await sides('b')).toEqual([
        {
          what,
          before: { orphanedAt: null, sessions: 1, methods },
          after: { orphanedAt: 8, sessions: 0, methods: [] },
        },
      ]);
      await change(
        'restoreAccount',
        { owner: owner('b'), link: newLink('device', 'two'), now: 9, quotas: loginQuotas },
        { at: 101, otherAuditId: mark().auditId },
      );
      expect((await sides('b'))[0]).toEqual({
        what: { device: 'shown two' },
        before: { orphanedAt: 8, sessions: 0, methods: [] },
        after: { orphanedAt: null, sessions: 0, methods: [{ method: 'device', device: 'shown two' }] },
      });
      expect(await audit()).toHaveLength(1);
    });

    it('that makes a code says until when the former one would have counted', async () => {
      const make = (expiresAt: number, at: number) =>
        change('makeSignInCode', { owner: owner('a'), hash: `until ${expiresAt}`, expiresAt }, { at });
      await make(200, 101);
      await make(300, 102);
      // The second one has ended.
      await make(400, 301);
      expect((await sides()).map(({ before, after }) => [before, after])).toEqual([
        [{ expiresAt: null }, { expiresAt: 400 }],
        [{ expiresAt: 200 }, { expiresAt: 300 }],
        [{ expiresAt: null }, { expiresAt: 200 }],
      ]);
    });

    it('is one of many at once: each write is made once, and each is in the log', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, n) => change('updateEntry', write(0, `{"n":${n + 5}}`))),
      );
      const written = outcomes.filter((one) => typeof one === 'object' && one.outcome === 'written');
      expect(written).toHaveLength(1);
      expect(await audit()).toHaveLength(1);
    });
  });
}
