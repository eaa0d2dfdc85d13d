import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkKey } from '../../../src/backend/stores/records.js';
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

/** Choices that an operator takes back. */
export function describeUndo(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, orphanedAt } = stepsOn(() => store);
  const now = 100;
  const undo = (
    accountId: string,
    choiceId: string,
    more: { now?: number; entryQuotas?: number; keyId?: string } = {},
  ) =>
    store.changeAsOperator({
      change: 'undoChoice',
      request: {
        owner: owner(accountId),
        choiceId,
        snapshot: snapshot('undone'),
        quotas: loginQuotas,
        entryQuotas: quotas(more.entryQuotas ?? 10),
        now: more.now ?? now + 10,
      },
      mark: mark({
        action: 'undo',
        auditId: `undo-${accountId}-${choiceId}`,
        otherAuditId: `other-${accountId}-${choiceId}`,
        ...(more.keyId === undefined ? {} : { keyId: more.keyId }),
      }),
    });
  /** The player of `local`, on the device `two`, shows the name of `cloud`, and chooses. */
  const choose = async (choice: 'local' | 'cloud' | 'merge', ticket: string = choice) => {
    const link = await store.findLink(key('name', 'ada'));
    await store.openTicket({
      ...key('name', 'ada'),
      ticket,
      linkRevision: link?.revision ?? 0,
      localId: 'local',
      sessionId: 'local-session',
      cloudId: 'cloud',
      device: 'two',
      expiresAt: now + 1_000,
      choice: null,
      resolvedSessionId: null,
    });
    const restsOn = {
      local: [{ collection: 'c', key: 'k', version: 0 }],
      cloud: [{ collection: 'c', key: 'k', version: 0 }],
    };
    const writes = [{ collection: 'c', key: 'k', text: '{"merged":1}' }];
    return store.resolveConflict({
      scope,
      ticket,
      device: 'two',
      choice,
      merge: choice === 'merge' ? { writes, restsOn, quotas: quotas(10) } : null,
      session: newSession(`${ticket}-session`),
      snapshots: [snapshot(`${ticket}-other`), snapshot(`${ticket}-own`)],
      quotas: loginQuotas,
      now,
    });
  };
  const write = (accountId: string, text: string) =>
    store.updateEntry({
      owner: owner(accountId),
      sessionId: null,
      collection: 'c',
      key: 'k',
      text,
      version: -1,
      snapshot: snapshot(`${accountId}-${text}`),
      quotas: quotas(10),
      now: 5,
    });
  const textOf = async (accountId: string) =>
    (await store.readCollection({ owner: owner(accountId), sessionId: null, collection: 'c' }))?.map(
      ({ text }) => text,
    );
  const leadsTo = async (link: LinkKey) => (await store.findLink(link))?.accountId;
  const choiceOf = (accountId: string, at = now) => store.readChoice({ owner: owner(accountId), now: at });
  const sessionsOf = async (accountId: string) =>
    (await store.listSessions(owner(accountId))).map(({ sessionId }) => sessionId);
  /** All that could change. */
  const picture = async () =>
    Promise.all(
      ['local', 'cloud'].map(async (id) => [
        await store.readProfile(owner(id)),
        await store.listSessions(owner(id)),
        await store.listSnapshots({ owner: owner(id), now }),
        await store.readAudit({ owner: owner(id), after: null, max: 9 }),
        await choiceOf(id),
      ]),
    );

  beforeEach(async () => {
    store = await create();
    await account('cloud', newLink('name', 'ada', { credential: 'hash' }));
    await account('local', newLink('device', 'two'));
    await write('cloud', '{"cloud":1}');
    await write('local', '{"local":1}');
    await openSession(store, sessionOf('local', 'local-session', key('device', 'two'), 'two'));
  });

  it('the choices of a game are listed by pages, the one that was made last first, as long as each can be taken back', async () => {
    const list = async (after: { at: number; id: string } | null = null, { at = now, max = 9 } = {}) =>
      (await store.listChoices({ scope, after, max, now: at })).map(({ accountId, madeAt }) => [accountId, madeAt]);
    expect(await list()).toEqual([]);
    await choose('cloud');
    const merge = async (from: string, into: string, at: number) => {
      await account(from, newLink('custom', `of-${from}`));
      await account(into, newLink('device', `of-${into}`));
      const snapshots = [snapshot(`${from}-other`), snapshot(`${from}-own`)] as const;
      const accounts = { owner: owner(from), into: owner(into), entries: 'keep', snapshots } as const;
      const request = { ...accounts, quotas: loginQuotas, entryQuotas: quotas(10), now: at };
      const ids = { auditId: `merge-${from}`, otherAuditId: `merge-into-${into}` };
      await store.changeAsOperator({ change: 'mergeAccounts', request, mark: mark(ids) });
    };
    await merge('a', 'one', now + 1);
    await merge('b', 'two', now + 1);
    const all = [
      ['two', now + 1],
      ['one', now + 1],
      ['cloud', now],
    ];
    expect(await list()).toEqual(all);
    expect(await list(null, { max: 2 })).toEqual(all.slice(0, 2));
    expect(await list({ at: now + 1, id: 'two' })).toEqual(all.slice(1));
    expect(await list({ at: now + 1, id: 'one' })).toEqual(all.slice(2));
    expect(await list({ at: now, id: 'cloud' })).toEqual([]);
    const [latest] = await store.listChoices({ scope, after: null, max: 1, now });
    expect(latest).toEqual(await choiceOf('two'));
    const elsewhere = { scope: { ...scope, environment: 2 as const }, after: null, max: 9, now };
    expect(await store.listChoices(elsewhere)).toEqual([]);
    expect([await list(null, { at: 4_999 }), await list(null, { at: 5_000 })]).toEqual([all, []]);
    await undo('cloud', 'cloud-other');
    expect(await list()).toEqual(all.slice(0, 2));
  });

  describe('a choice that is taken back', () => {
    it('local: the method leads to its former owner again, and what came from it ends', async () => {
      await choose('local');
      expect(await orphanedAt('cloud')).toBe(now);
      await openSession(store, sessionOf('local', 'elsewhere', key('name', 'ada'), 'three'));
      await openSession(store, sessionOf('local', 'on-two', key('name', 'ada'), 'two'));
      expect(await undo('local', 'local-other')).toMatchObject({ outcome: 'undone', sessions: 1, written: 0 });
      expect(await leadsTo(key('name', 'ada'))).toBe('cloud');
      expect((await store.findLink(key('name', 'ada')))?.credential).toBe('hash');
      expect([await orphanedAt('cloud'), await orphanedAt('local')]).toEqual([null, null]);
      expect(await sessionsOf('local')).toEqual(['local-session', 'on-two']);
    });

    it('cloud: the device leads to its former owner again, and the session on it ends', async () => {
      await choose('cloud');
      await openSession(store, sessionOf('cloud', 'elsewhere', key('name', 'ada'), 'three'));
      expect(await undo('cloud', 'cloud-other')).toMatchObject({ outcome: 'undone', sessions: 1, written: 0 });
      expect([await leadsTo(key('device', 'two')), await leadsTo(key('name', 'ada'))]).toEqual(['local', 'cloud']);
      expect(await orphanedAt('local')).toBeNull();
      expect(await sessionsOf('cloud')).toEqual(['elsewhere']);
    });

    it('merge: the entries are as they were as well, and what is overwritten is kept', async () => {
      await choose('merge');
      expect(await textOf('cloud')).toEqual(['{"merged":1}']);
      expect(await undo('cloud', 'merge-other')).toMatchObject({ outcome: 'undone', written: 1 });
      expect([await textOf('cloud'), await textOf('local')]).toEqual([['{"cloud":1}'], ['{"local":1}']]);
      expect(await leadsTo(key('device', 'two'))).toBe('local');
      const kept = await store.readSnapshot({ key: { ...owner('cloud'), snapshotId: 'undone' }, now });
      expect(kept).toMatchObject({ reason: 'restore', entries: [{ text: '{"merged":1}' }] });
    });

    it("changes and notes nothing with an operator's key that was taken away", async () => {
      await choose('merge');
      const before = await picture();
      expect(await undo('cloud', 'merge-other', { keyId: 'gone' })).toBe('no_key');
      expect(await picture()).toEqual(before);
    });

    it('of an operator: all that was moved leads back, with the entries', async () => {
      const request = {
        owner: owner('local'),
        into: owner('cloud'),
        entries: 'take',
        snapshots: [snapshot('other'), snapshot('own')],
        quotas: loginQuotas,
        entryQuotas: quotas(10),
        now,
      } as const;
      await store.changeAsOperator({ change: 'mergeAccounts', request, mark: mark() });
      expect(await choiceOf('cloud')).toMatchObject({ choice: 'support', fromId: 'local', snapshotId: 'own' });
      expect(await undo('cloud', 'other')).toMatchObject({ outcome: 'undone', written: 1 });
      expect([await textOf('cloud'), await leadsTo(key('device', 'two'))]).toEqual([['{"cloud":1}'], 'local']);
    });

    it.each([
      ['keep', 'keep', null],
      ['take', 'take', 'own-1'],
      ['keep', 'take', 'own-2'],
    ] as const)(
      'of an operator who merges twice (%s, then %s): all is as it was before the first',
      async (...given) => {
        const [first, second, own] = given;
        for (const [number, entries] of [first, second].entries()) {
          const snapshots = [snapshot(`other-${number + 1}`), snapshot(`own-${number + 1}`)] as const;
          const accounts = { owner: owner('local'), into: owner('cloud'), entries, snapshots } as const;
          const request = { ...accounts, quotas: loginQuotas, entryQuotas: quotas(10), now: now + number };
          const ids = { auditId: `merge-${number}`, otherAuditId: `merged-${number}` };
          await store.changeAsOperator({ change: 'mergeAccounts', request, mark: mark(ids) });
        }
        const moved = [{ method: 'device', subject: 'two' }];
        expect(await choiceOf('cloud')).toMatchObject({ choiceId: 'other-2', moved, snapshotId: own });
        expect(await undo('cloud', 'other-2')).toMatchObject({ outcome: 'undone' });
        expect([await textOf('cloud'), await leadsTo(key('device', 'two'))]).toEqual([['{"cloud":1}'], 'local']);
      },
    );

    it('is known until its snapshots expire, and in the log with what was before and after', async () => {
      await choose('merge');
      const known = {
        ...owner('cloud'),
        choiceId: 'merge-other',
        choice: 'merge',
        fromId: 'local',
        moved: [{ method: 'device', subject: 'two' }],
        snapshotId: 'merge-own',
        madeAt: now,
        expiresAt: 5_000,
      };
      expect([await choiceOf('cloud'), await choiceOf('local')]).toEqual([known, null]);
      expect([await choiceOf('cloud', 4_999), await choiceOf('cloud', 5_000)]).toEqual([known, null]);
      expect(await undo('cloud', 'merge-other', { now: 5_000 })).toEqual({ outcome: 'no_choice' });
      await undo('cloud', 'merge-other');
      expect(await choiceOf('cloud')).toBeNull();
      expect(await store.readAudit({ owner: owner('cloud'), after: null, max: 9 })).toMatchObject([
        {
          what: { choice: 'merge', id: 'merge-other', methods: ['device'] },
          before: { leadTo: 'cloud', sessions: 1, snapshot: 'undone' },
          after: { leadTo: 'local', written: 1 },
        },
      ]);
      // Whoever looks at the other account finds it as well.
      expect(await store.readAudit({ owner: owner('local'), after: null, max: 9 })).toMatchObject([
        { auditId: 'other-cloud-merge-other', owner: owner('local'), before: { leadTo: 'cloud' } },
      ]);
    });

    it('is the latest one, once, in its own account', async () => {
      await choose('local');
      const before = await picture();
      expect(await undo('local', 'another')).toEqual({ outcome: 'no_choice' });
      expect(await undo('cloud', 'local-other')).toEqual({ outcome: 'no_choice' });
      expect(await undo('none', 'local-other')).toEqual({ outcome: 'no_account' });
      expect(await picture()).toEqual(before);
      const both = await Promise.all([undo('local', 'local-other'), undo('local', 'local-other')]);
      expect(both.map((one) => (one === 'no_key' ? one : one.outcome)).sort()).toEqual(['no_choice', 'undone']);
    });

    it('is refused, and nothing changes, where the link leads elsewhere or is gone', async () => {
      await choose('local');
      await store.unlinkMethod({ owner: owner('local'), session: null, method: 'name' });
      const before = await picture();
      expect(await undo('local', 'local-other')).toEqual({ outcome: 'link_moved' });
      expect(await picture()).toEqual(before);
    });

    it('is refused where the former owner was removed for good, or has another link of the kind', async () => {
      await choose('local');
      await store.removeExpired({ now, orphanedBefore: now + 1, deletedBefore: 0, batch: 9 });
      expect(await undo('local', 'local-other')).toEqual({ outcome: 'former_gone' });
      await account('cloud', newLink('name', 'bob'));
      expect(await undo('local', 'local-other')).toEqual({ outcome: 'method_already_linked', method: 'name' });
      expect(await leadsTo(key('name', 'ada'))).toBe('local');
    });

    it('is refused where the entries are no longer kept, do not fit, or an account is banned', async () => {
      await choose('merge');
      const ban = { at: 10, until: null, reason: 'cheating' };
      await store.changeAsOperator({ change: 'banAccount', request: { owner: owner('local'), ban }, mark: mark() });
      expect(await undo('cloud', 'merge-other')).toEqual({ outcome: 'banned', ban });
      await store.changeAsOperator({ change: 'unbanAccount', request: { owner: owner('local'), now }, mark: mark() });
      const entry = { collection: 'c', key: 'k', text: '{}', version: -1, changedAt: 5 };
      for (const at of [0, 1]) {
        const one = { ...snapshot(`later-${at}`), max: 1 };
        await store.addSnapshot({ owner: owner('cloud'), sessionId: null, entry, snapshot: one, now });
      }
      const before = await picture();
      expect(await undo('cloud', 'merge-other')).toEqual({ outcome: 'no_snapshot' });
      expect(await picture()).toEqual(before);
    });

    it('is forgotten as it expires, and with its account', async () => {
      await choose('local');
      expect(await store.removeExpired({ now: 5_000, orphanedBefore: 0, deletedBefore: 0, batch: 99 })).toBe(3);
      expect(await choiceOf('local', 1)).toBeNull();
    });
  });
}
