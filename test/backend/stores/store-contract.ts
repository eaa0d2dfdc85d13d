import { beforeEach, describe, expect, test } from 'vitest';
import type {
  LinkKey,
  MergeRecord,
  NewLink,
  Owner,
  SessionRecord,
  TicketRecord,
  WriteRequest,
} from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';

const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
const scope = { gameId, environment: 0 as const };
const minute = 60_000;

const owner = (accountId: string): Owner => ({ ...scope, accountId });
const key = (method: LinkKey['method'], subject: string): LinkKey => ({ ...scope, method, subject });
const newLink = (method: LinkKey['method'], subject: string, more: Partial<NewLink> = {}): NewLink => ({
  ...key(method, subject),
  label: null,
  credential: null,
  ...more,
});
const token = (jti: string) => ({ jti, iat: 1, exp: 10_000, usedAt: null });
const newSession = (sessionId: string) => ({
  sessionId,
  openedAt: 1,
  expiresAt: 10_000_000,
  refreshTokens: [token(`${sessionId}-0`)],
});
const snapshot = (snapshotId: string, more: { expiresAt?: number; max?: number } = {}) => ({
  snapshotId,
  expiresAt: 5_000,
  max: 100,
  ...more,
});
const sessionOf = (accountId: string, sessionId: string, via: LinkKey, device = 'device-a'): SessionRecord => ({
  ...owner(accountId),
  ...newSession(sessionId),
  method: via.method,
  subject: via.subject,
  device,
  revision: 0,
});

/** What every store has to hold, whatever it is made of. `create` gives an empty one. */
export function describeStore(name: string, create: () => Store | Promise<Store>): void {
  describe(`the store ${name}`, () => {
    let store: Store;

    beforeEach(async () => {
      store = await create();
    });

    const account = (accountId: string, link: NewLink, now = 1) => store.ensureAccount({ link, accountId, now });
    const methodsOf = async (accountId: string) =>
      (await store.findAccount(owner(accountId)))?.links.map((link) => [link.method, link.subject]);
    /** Leaves an account whose only link is this device. */
    const orphan = (device: string, now: number) =>
      store
        .ensureAccount({ link: newLink('custom', 'elsewhere'), accountId: 'elsewhere', now })
        .then(() => store.relink({ owner: owner('elsewhere'), link: newLink('device', device), now }));
    const orphanedAt = async (accountId: string) => (await store.findAccount(owner(accountId)))?.account.orphanedAt;

    describe('accounts and links', () => {
      test('makes one account for a subject, and finds it again', async () => {
        const made = await account('a', newLink('name', 'ada', { label: 'Ada', credential: 'hash' }), 5);
        expect(made).toEqual({
          created: true,
          link: { ...key('name', 'ada'), accountId: 'a', label: 'Ada', credential: 'hash', linkedAt: 5 },
        });
        expect(await account('b', newLink('name', 'ada'), 6)).toEqual({ created: false, link: made.link });
        expect(await store.findLink(key('name', 'ada'))).toEqual(made.link);
        expect(await store.findAccount(owner('a'))).toEqual({
          account: { ...owner('a'), createdAt: 5, orphanedAt: null, deletedAt: null, deletedBy: null },
          links: [made.link],
        });
        expect(await store.findAccount(owner('b'))).toBeNull();
      });

      test('makes one account of a hundred at once with one subject', async () => {
        const ids = Array.from({ length: 100 }, (_, index) => `account-${index}`);
        const made = await Promise.all(ids.map((id) => account(id, newLink('device', 'one'))));
        expect(made.filter(({ created }) => created)).toHaveLength(1);
        expect(new Set(made.map(({ link }) => link.accountId)).size).toBe(1);
        const there = await Promise.all(ids.map((id) => store.findAccount(owner(id))));
        expect(there.filter((found) => found !== null)).toHaveLength(1);
      });

      test('keeps games and environments apart', async () => {
        await account('a', newLink('device', 'one'));
        expect(await store.findLink({ ...key('device', 'one'), environment: 1 })).toBeNull();
        expect(await store.findLink({ ...key('device', 'one'), gameId: 'another' })).toBeNull();
        expect(await store.findAccount({ ...owner('a'), environment: 2 })).toBeNull();
      });

      test('tells methods apart that share a subject', async () => {
        await account('a', newLink('name', 'x'));
        await account('b', newLink('custom', 'x'));
        expect((await store.findLink(key('name', 'x')))?.accountId).toBe('a');
        expect((await store.findLink(key('custom', 'x')))?.accountId).toBe('b');
      });

      test('links a free subject, and says who has a taken one', async () => {
        await account('a', newLink('device', 'one'));
        await account('b', newLink('device', 'two'));
        const linked = await store.link({ owner: owner('a'), link: newLink('name', 'ada'), now: 7 });
        expect(linked).toMatchObject({ outcome: 'linked', link: { accountId: 'a', linkedAt: 7 } });
        for (const id of ['a', 'b']) {
          const again = await store.link({ owner: owner(id), link: newLink('name', 'ada'), now: 8 });
          expect(again).toMatchObject({ outcome: 'taken', link: { accountId: 'a', linkedAt: 7 } });
        }
        expect(await methodsOf('a')).toEqual([
          ['device', 'one'],
          ['name', 'ada'],
        ]);
      });

      test('links one subject to one of many accounts at once', async () => {
        const ids = Array.from({ length: 20 }, (_, index) => `account-${index}`);
        for (const id of ids) await account(id, newLink('device', id));
        const outcomes = await Promise.all(
          ids.map((id) => store.link({ owner: owner(id), link: newLink('name', 'ada'), now: 2 })),
        );
        expect(outcomes.filter(({ outcome }) => outcome === 'linked')).toHaveLength(1);
        expect(outcomes.filter(({ outcome }) => outcome === 'taken')).toHaveLength(19);
      });

      test('links one name, one identity, one network and one custom id to an account, at once too', async () => {
        await account('a', newLink('device', 'one'));
        for (const method of ['name', 'identity', 'social', 'custom'] as const) {
          const outcomes = await Promise.all(
            ['x', 'y'].map((subject) =>
              store.link({ owner: owner('a'), link: newLink(method, `${method}-${subject}`), now: 2 }),
            ),
          );
          expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['linked', 'method_already_linked']);
        }
      });

      test('links several devices to an account', async () => {
        await account('a', newLink('device', 'one'));
        const second = await store.link({ owner: owner('a'), link: newLink('device', 'two'), now: 2 });
        expect(second.outcome).toBe('linked');
      });

      test('links nothing to an account that is not there', async () => {
        const outcome = await store.link({ owner: owner('nobody'), link: newLink('name', 'ada'), now: 2 });
        expect(outcome).toEqual({ outcome: 'no_account' });
        expect(await store.findLink(key('name', 'ada'))).toBeNull();
      });

      test('unlinks a method, but never the last way in', async () => {
        await account('a', newLink('device', 'one'));
        await store.link({ owner: owner('a'), link: newLink('name', 'ada'), now: 2 });
        expect(await store.unlink({ owner: owner('a'), method: 'identity' })).toBe('not_linked');
        expect(await store.unlink({ owner: owner('a'), method: 'name' })).toBe('unlinked');
        expect(await store.findLink(key('name', 'ada'))).toBeNull();
        expect(await store.unlink({ owner: owner('a'), method: 'device' })).toBe('would_orphan');
        expect(await methodsOf('a')).toEqual([['device', 'one']]);
      });

      test('leaves one of two ways in where both are unlinked at once', async () => {
        await account('a', newLink('device', 'one'));
        await store.link({ owner: owner('a'), link: newLink('name', 'ada'), now: 2 });
        const outcomes = await Promise.all(
          (['device', 'name'] as const).map((method) => store.unlink({ owner: owner('a'), method })),
        );
        expect(outcomes.sort()).toEqual(['unlinked', 'would_orphan']);
      });

      test('replaces a credential only where it is still the one given', async () => {
        await account('a', newLink('name', 'ada', { credential: 'old' }));
        const replace = (from: string, to: string) =>
          store.replaceCredential({ key: key('name', 'ada'), from, to, keepSession: null });
        expect(await replace('another', 'wrong')).toBe(false);
        expect((await store.findLink(key('name', 'ada')))?.credential).toBe('old');
        const outcomes = await Promise.all(['new', 'newer'].map((to) => replace('old', to)));
        expect(outcomes.sort()).toEqual([false, true]);
        expect((await store.findLink(key('name', 'ada')))?.credential).toMatch(/^new/);
      });

      test('ends what came from an old credential where that is asked for, but for one session', async () => {
        await account('a', newLink('name', 'ada', { credential: 'old' }));
        await store.link({ owner: owner('a'), link: newLink('device', 'one'), now: 2 });
        await store.openSession(sessionOf('a', 'kept', key('name', 'ada')));
        await store.openSession(sessionOf('a', 'ended', key('name', 'ada')));
        await store.openSession(sessionOf('a', 'by-device', key('device', 'one')));
        const replace = (from: string, to: string, keepSession: string | null) =>
          store.replaceCredential({ key: key('name', 'ada'), from, to, keepSession });
        await replace('old', 'rehashed', null);
        expect(await store.listSessions(owner('a'))).toHaveLength(3);
        await replace('wrong', 'new', 'kept');
        expect(await store.listSessions(owner('a'))).toHaveLength(3);
        await replace('rehashed', 'new', 'kept');
        const left = await store.listSessions(owner('a'));
        expect(left.map(({ sessionId }) => sessionId)).toEqual(['kept', 'by-device']);
      });

      test('replaces the links of a method, and ends what came from them', async () => {
        await account('a', newLink('recovery', 'old'));
        await store.openSession(sessionOf('a', 'kept', key('recovery', 'old')));
        await store.openSession(sessionOf('a', 'ended', key('recovery', 'old')));
        const replace = (accountId: string, subject: string) =>
          store.replaceLink({
            owner: owner(accountId),
            link: newLink('recovery', subject),
            keepSession: 'kept',
            now: 3,
          });
        expect(await replace('a', 'new')).toBe(true);
        expect(await methodsOf('a')).toEqual([['recovery', 'new']]);
        expect(await store.findLink(key('recovery', 'old'))).toBeNull();
        expect(await orphanedAt('a')).toBeNull();
        expect((await store.listSessions(owner('a'))).map(({ sessionId }) => sessionId)).toEqual(['kept']);
        await account('b', newLink('device', 'two'));
        expect(await replace('b', 'new')).toBe(false);
        expect((await store.findLink(key('recovery', 'new')))?.accountId).toBe('a');
        expect(await replace('nobody', 'other')).toBe(false);
      });

      test('ends all sessions of one account at once', async () => {
        await account('a', newLink('device', 'one'));
        await account('b', newLink('device', 'two'));
        for (const id of ['s', 't']) await store.openSession(sessionOf('a', id, key('device', 'one')));
        await store.openSession(sessionOf('b', 'u', key('device', 'two')));
        await store.endSessions(owner('a'));
        expect(await store.listSessions(owner('a'))).toEqual([]);
        expect(await store.listSessions(owner('b'))).toHaveLength(1);
        expect(await store.listSessions(owner('nobody'))).toEqual([]);
      });

      test('restores an orphaned account with a new link', async () => {
        await account('a', newLink('device', 'one'));
        await orphan('one', 9);
        expect(await orphanedAt('a')).toBe(9);
        await store.link({ owner: owner('a'), link: newLink('device', 'new'), now: 10 });
        expect(await orphanedAt('a')).toBeNull();
      });

      test('relinks a subject from whoever has it, and orphans what it leaves', async () => {
        await account('a', newLink('device', 'one'));
        await account('b', newLink('device', 'two'));
        expect(await store.relink({ owner: owner('b'), link: newLink('device', 'one'), now: 4 })).toBe(true);
        expect((await store.findLink(key('device', 'one')))?.accountId).toBe('b');
        expect(await orphanedAt('a')).toBe(4);
        expect(await store.relink({ owner: owner('b'), link: newLink('device', 'one'), now: 5 })).toBe(true);
        expect(await orphanedAt('b')).toBeNull();
        expect(await store.relink({ owner: owner('nobody'), link: newLink('device', 'one'), now: 5 })).toBe(false);
      });
    });

    describe('deletion', () => {
      const remove = (sessionId = 's', code = 'code', now = 9) =>
        store.deleteAccount({ session: { ...owner('a'), sessionId }, recovery: newLink('recovery', code), now });
      const restore = (device = 'one') =>
        store.restoreAccount({ owner: owner('a'), device: newLink('device', device), now: 20 });
      const deletedAt = async () => (await store.findAccount(owner('a')))?.account.deletedAt;

      beforeEach(async () => {
        await account('a', newLink('device', 'one'));
        await store.link({ owner: owner('a'), link: newLink('name', 'ada'), now: 2 });
        await store.link({ owner: owner('a'), link: newLink('recovery', 'former'), now: 2 });
        await store.openSession(sessionOf('a', 's', key('name', 'ada')));
        await store.openSession(sessionOf('a', 't', key('device', 'one')));
      });

      test('ends the sessions, frees the devices and keeps the other links', async () => {
        expect(await remove()).toBe(9);
        expect(await deletedAt()).toBe(9);
        expect(await store.listSessions(owner('a'))).toEqual([]);
        expect(await methodsOf('a')).toEqual([
          ['name', 'ada'],
          ['recovery', 'code'],
        ]);
        expect(await store.findLink(key('device', 'one'))).toBeNull();
        expect(await store.findLink(key('recovery', 'former'))).toBeNull();
        expect(await orphanedAt('a')).toBeNull();
      });

      test('is for a session that lives, and may be asked for again by that one alone', async () => {
        expect(await remove('nobody')).toBeNull();
        expect(await deletedAt()).toBeNull();
        expect(await remove('s')).toBe(9);
        expect(await remove('t', 'other', 10)).toBeNull();
        expect(await remove('s', 'second', 10)).toBe(9);
        expect(await methodsOf('a')).toEqual([
          ['name', 'ada'],
          ['recovery', 'second'],
        ]);
      });

      test('lets nobody in, and nothing be linked', async () => {
        await remove();
        expect(await store.openSession(sessionOf('a', 'new', key('name', 'ada')))).toBe(false);
        const link = await store.link({ owner: owner('a'), link: newLink('device', 'new'), now: 10 });
        expect(link).toEqual({ outcome: 'no_account' });
        const replaced = { owner: owner('a'), link: newLink('recovery', 'x'), keepSession: 's', now: 10 };
        expect(await store.replaceLink(replaced)).toBe(false);
        expect(await store.findLink(key('device', 'new'))).toBeNull();
      });

      test('is taken back, with the device where that leads nowhere', async () => {
        expect(await restore()).toBe(false);
        await remove();
        expect(await restore()).toBe(true);
        expect(await deletedAt()).toBeNull();
        expect((await store.findLink(key('device', 'one')))?.accountId).toBe('a');
        expect(await store.openSession(sessionOf('a', 'new', key('name', 'ada')))).toBe(true);
        await remove('new');
        await account('b', newLink('device', 'one'));
        expect(await restore()).toBe(true);
        expect((await store.findLink(key('device', 'one')))?.accountId).toBe('b');
        expect(await remove('new')).toBeNull();
      });

      test('is taken back by an operator who relinks a device', async () => {
        await remove();
        expect(await store.relink({ owner: owner('a'), link: newLink('device', 'two'), now: 10 })).toBe(true);
        expect(await deletedAt()).toBeNull();
      });
    });

    describe('custom ids', () => {
      const ensure = (custom: string, device: string, accountId: string) =>
        store.ensureCustomAccount({
          custom: newLink('custom', custom),
          device: newLink('device', device),
          accountId,
          now: 3,
        });

      test('link to the account of the device', async () => {
        await account('a', newLink('device', 'one'));
        expect(await ensure('player', 'one', 'new')).toEqual({ accountId: 'a' });
        expect(await store.findAccount(owner('new'))).toBeNull();
      });

      test('get an account of their own where the device has another custom id', async () => {
        await ensure('first', 'one', 'a');
        expect(await ensure('second', 'one', 'b')).toEqual({ accountId: 'b' });
        expect((await store.findLink(key('device', 'one')))?.accountId).toBe('a');
        expect(await methodsOf('b')).toEqual([['custom', 'second']]);
      });

      test('take a device that leads nowhere with them', async () => {
        await ensure('player', 'one', 'a');
        expect(await ensure('player', 'two', 'x')).toEqual({ accountId: 'a' });
        expect((await store.findLink(key('device', 'two')))?.accountId).toBe('a');
      });

      test('decide the account, and leave the device where it leads elsewhere', async () => {
        await ensure('player', 'one', 'a');
        await account('b', newLink('device', 'two'));
        expect(await ensure('player', 'two', 'x')).toEqual({ accountId: 'a' });
        expect((await store.findLink(key('device', 'two')))?.accountId).toBe('b');
      });

      test('make one account of fifty at once', async () => {
        const made = await Promise.all(Array.from({ length: 50 }, (_, index) => ensure('player', 'one', `n-${index}`)));
        expect(new Set(made.map(({ accountId }) => accountId)).size).toBe(1);
      });
    });

    describe('sessions', () => {
      const via = key('device', 'one');

      test('open, are found, and end', async () => {
        await account('a', newLink('device', 'one'));
        const session = sessionOf('a', 's', via);
        expect(await store.openSession(session)).toBe(true);
        expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toEqual(session);
        expect(await store.findSession({ ...owner('b'), sessionId: 's' })).toBeNull();
        await store.endSession({ ...owner('a'), sessionId: 's' });
        await store.endSession({ ...owner('a'), sessionId: 's' });
        expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toBeNull();
      });

      test('do not open where the way in leads elsewhere or nowhere', async () => {
        await account('a', newLink('device', 'one'));
        expect(await store.openSession(sessionOf('b', 's', via))).toBe(false);
        expect(await store.openSession(sessionOf('a', 's', key('name', 'nobody')))).toBe(false);
        expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toBeNull();
      });

      test('change only from the revision that was read', async () => {
        await account('a', newLink('device', 'one'));
        const session = sessionOf('a', 's', via);
        await store.openSession(session);
        const changed = { ...session, refreshTokens: [...session.refreshTokens, token('s-1')] };
        const outcomes = await Promise.all(Array.from({ length: 20 }, () => store.updateSession(changed)));
        expect(outcomes.filter(Boolean)).toHaveLength(1);
        expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toEqual({ ...changed, revision: 1 });
        await store.endSession({ ...owner('a'), sessionId: 's' });
        expect(await store.updateSession({ ...changed, revision: 1 })).toBe(false);
      });

      test('are copies: changing one that was read changes nothing', async () => {
        await account('a', newLink('device', 'one'));
        await store.openSession(sessionOf('a', 's', via));
        const read = await store.findSession({ ...owner('a'), sessionId: 's' });
        read?.refreshTokens.push(token('planted'));
        const link = await store.findLink(via);
        if (link !== null) link.accountId = 'planted';
        expect((await store.findSession({ ...owner('a'), sessionId: 's' }))?.refreshTokens).toHaveLength(1);
        expect((await store.findLink(via))?.accountId).toBe('a');
      });
    });

    describe('conflicts', () => {
      const now = 100;
      const ticketOf = (more: Partial<TicketRecord> = {}): TicketRecord => ({
        ...key('name', 'ada'),
        ticket: 'hash',
        linkedAt: 1,
        localId: 'local',
        sessionId: 'local-session',
        cloudId: 'cloud',
        device: 'two',
        expiresAt: now + minute,
        choice: null,
        resolvedSessionId: null,
        ...more,
      });
      const resolve = (
        choice: 'local' | 'cloud' | 'merge',
        sessionId = 'new',
        more: { device?: string; now?: number; merge?: MergeRecord } = {},
      ) =>
        store.resolveConflict({
          scope,
          ticket: 'hash',
          device: 'two',
          choice,
          merge: null,
          session: newSession(sessionId),
          lost: [snapshot(`${sessionId}-other`), snapshot(`${sessionId}-own`)],
          now,
          ...more,
        });
      const readConflict = (more: { device?: string; now?: number } = {}) =>
        store.readConflict({ scope, ticket: 'hash', device: 'two', now, ...more });
      const write = (accountId: string, entry: string, text: string) =>
        store.writeEntry({
          owner: owner(accountId),
          collection: 'c',
          key: entry,
          text,
          version: -1,
          lost: snapshot(`write-${text}`),
          maxEntries: 10,
          now: 5,
        });
      const entriesOf = async (accountId: string) =>
        (await store.readCollection({ owner: owner(accountId), collection: 'c' }))?.map((entry) => [
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
        await store.link({ owner: owner('cloud'), link: newLink('device', 'one'), now: 1 });
        await account('local', newLink('device', 'two'));
        await store.openSession(sessionOf('local', 'local-session', key('device', 'two'), 'two'));
      });

      test('local moves the method and ends what came from it on devices not linked to its old owner', async () => {
        await store.openSession(sessionOf('cloud', 'own-device', key('name', 'ada'), 'one'));
        await store.openSession(sessionOf('cloud', 'strange-device', key('name', 'ada'), 'three'));
        await store.openSession(sessionOf('cloud', 'other-method', key('device', 'one'), 'three'));
        await store.openTicket(ticketOf());
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

      test('local orphans an owner whom nothing else leads to', async () => {
        await store.unlink({ owner: owner('cloud'), method: 'device' });
        await store.openTicket(ticketOf());
        await resolve('local');
        expect(await orphanedAt('cloud')).toBe(now);
      });

      test('local changes nothing where the account has another link of the method', async () => {
        await store.link({ owner: owner('local'), link: newLink('name', 'bob'), now: 2 });
        await store.openTicket(ticketOf());
        expect(await resolve('local')).toEqual({ outcome: 'method_already_linked' });
        expect((await store.findLink(key('name', 'ada')))?.accountId).toBe('cloud');
        expect((await resolve('cloud')).outcome).toBe('resolved');
      });

      test("cloud opens the owner's session, ends this device's, and moves its link", async () => {
        await store.openTicket(ticketOf());
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

      test('cloud leaves a device that leads to a third account', async () => {
        await account('third', newLink('device', 'three'));
        await store.openTicket(ticketOf({ device: 'three' }));
        const resolved = await resolve('cloud', 'new', { device: 'three' });
        expect(resolved.outcome).toBe('resolved');
        expect((await store.findLink(key('device', 'three')))?.accountId).toBe('third');
        expect(await orphanedAt('local')).toBeNull();
      });

      test('the same choice again has the same outcome; the other one is stale', async () => {
        for (const [choice, other] of [
          ['local', 'cloud'],
          ['cloud', 'local'],
        ] as const) {
          store = await create();
          await account('cloud', newLink('name', 'ada'));
          await account('local', newLink('device', 'two'));
          await store.openSession(sessionOf('local', 'local-session', key('device', 'two'), 'two'));
          await store.openTicket(ticketOf());
          const first = await resolve(choice, 'first');
          expect(await resolve(choice, 'second')).toEqual(first);
          expect(await resolve(other, 'third')).toEqual({ outcome: 'stale' });
        }
      });

      test('of both choices at once one is carried out', async () => {
        await store.openTicket(ticketOf());
        const outcomes = await Promise.all([resolve('local'), resolve('cloud'), resolve('local'), resolve('cloud')]);
        expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['resolved', 'resolved', 'stale', 'stale']);
      });

      test('is stale with an unknown ticket, after its end, and from another device', async () => {
        expect(await resolve('local')).toEqual({ outcome: 'stale' });
        await store.openTicket(ticketOf());
        expect(await resolve('local', 'new', { now: now + minute })).toEqual({ outcome: 'stale' });
        expect(await resolve('local', 'new', { device: 'one' })).toEqual({ outcome: 'stale' });
        const elsewhere = { scope: { gameId, environment: 1 as const }, ticket: 'hash', device: 'two' };
        const request = { merge: null, session: newSession('new'), lost: [snapshot('x'), snapshot('y')] as const, now };
        const outcome = await store.resolveConflict({ ...elsewhere, ...request, choice: 'local' });
        expect(outcome).toEqual({ outcome: 'stale' });
        for (const wrong of [{ now: now + minute }, { device: 'one' }]) expect(await readConflict(wrong)).toBeNull();
        expect(await store.readConflict({ ...elsewhere, now })).toBeNull();
        expect((await resolve('local')).outcome).toBe('resolved');
      });

      test('is stale where the link has changed hands, or was made again', async () => {
        await store.openTicket(ticketOf());
        await store.relink({ owner: owner('local'), link: newLink('name', 'ada'), now: 2 });
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
        await store.relink({ owner: owner('cloud'), link: newLink('name', 'ada'), now: 3 });
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
      });

      test('shows both sides while it is open', async () => {
        await write('local', 'a', '{"l":1}');
        await write('cloud', 'b', '{"c":1}');
        expect(await readConflict()).toBeNull();
        await store.openTicket(ticketOf());
        expect(await readConflict()).toEqual({
          local: [{ collection: 'c', key: 'a', text: '{"l":1}', version: 0, changedAt: 5 }],
          cloud: [{ collection: 'c', key: 'b', text: '{"c":1}', version: 0, changedAt: 5 }],
        });
        await resolve('cloud');
        expect(await readConflict()).toBeNull();
      });

      test('what lost is kept by the account that is reached', async () => {
        await write('local', 'a', '{"l":1}');
        await write('cloud', 'a', '{"c":1}');
        await write('cloud', 'b', '{"c":2}');
        await store.openTicket(ticketOf());
        await resolve('local');
        expect(await snapshotsOf('local')).toEqual([['local', 'cloud', 2]]);
        expect(await snapshotsOf('cloud')).toEqual([]);
        const found = await store.findSnapshot({ key: { ...owner('local'), snapshotId: 'new-other' }, now });
        expect(found?.entries.map(({ key: name, text }) => [name, text])).toEqual([
          ['a', '{"c":1}'],
          ['b', '{"c":2}'],
        ]);
      });

      test('where nothing lost there is nothing to keep', async () => {
        await write('cloud', 'a', '{"c":1}');
        await store.openTicket(ticketOf());
        await resolve('cloud');
        expect(await snapshotsOf('cloud')).toEqual([]);
      });

      describe('by merge', () => {
        const merge = (more: Partial<MergeRecord> = {}): MergeRecord => ({
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
          maxEntries: 10,
          ...more,
        });

        beforeEach(async () => {
          await write('local', 'a', '{"l":1}');
          await write('local', 'n', '{"l":2}');
          await write('cloud', 'a', '{"c":0}');
          await write('cloud', 'a', '{"c":1}');
          await write('cloud', 'b', '{"c":2}');
          await store.openTicket(ticketOf());
        });

        test('writes into the owner, keeps both sides, and goes on as cloud', async () => {
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

        test('is carried out once, whatever is sent again', async () => {
          const first = await resolve('merge', 'new', { merge: merge() });
          const again = { writes: [{ collection: 'c', key: 'a', text: '{"m":9}' }] };
          expect(await resolve('merge', 'second', { merge: merge(again) })).toEqual(first);
          expect((await entriesOf('cloud'))?.[0]).toEqual(['a', '{"m":1}', 2]);
          expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
        });

        test('of two at once one is carried out', async () => {
          const one = (n: number) =>
            resolve('merge', `new-${n}`, {
              merge: merge({ writes: [{ collection: 'c', key: 'a', text: `{"m":${n}}` }] }),
            });
          const [first, second] = await Promise.all([one(1), one(2)]);
          expect(first).toEqual(second);
          expect((await entriesOf('cloud'))?.[0]?.[2]).toBe(2);
        });

        test('is stale where a side is not exactly what it rests on, and changes nothing', async () => {
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

        test('is refused as a whole where a collection would have too many entries', async () => {
          expect(await resolve('merge', 'new', { merge: merge({ maxEntries: 2 }) })).toEqual({ outcome: 'full' });
          expect(await entriesOf('cloud')).toHaveLength(2);
          expect((await resolve('merge', 'new', { merge: merge({ maxEntries: 3 }) })).outcome).toBe('resolved');
        });
      });

      test('is stale where an account is being deleted', async () => {
        await store.openSession(sessionOf('cloud', 's', key('name', 'ada')));
        await store.openTicket(ticketOf());
        const session = { ...owner('cloud'), sessionId: 's' };
        await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now });
        for (const choice of ['local', 'cloud', 'merge'] as const) {
          expect(await resolve(choice)).toEqual({ outcome: 'stale' });
        }
        expect(await readConflict()).toBeNull();
      });

      test('is stale where the credential was replaced because it might be known', async () => {
        await store.openTicket(ticketOf());
        await store.replaceCredential({ key: key('name', 'ada'), from: 'hash', to: 'new', keepSession: '' });
        expect(await resolve('local')).toEqual({ outcome: 'stale' });
      });

      test('is stale where the session has ended, before the choice or after it', async () => {
        await store.openTicket(ticketOf());
        await store.endSession({ ...owner('local'), sessionId: 'local-session' });
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
        await store.openSession(sessionOf('local', 'local-session', key('device', 'two'), 'two'));
        await resolve('cloud');
        await store.endSession({ ...owner('cloud'), sessionId: 'new' });
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
      });
    });

    describe('entries', () => {
      const write = (more: Partial<WriteRequest> = {}) =>
        store.writeEntry({
          owner: owner('a'),
          collection: 'c',
          key: 'k',
          text: '{"n":1}',
          version: -1,
          lost: snapshot(`lost-${++writes}`),
          maxEntries: 10,
          now: 5,
          ...more,
        });
      let writes = 0;
      const read = (collection = 'c') => store.readCollection({ owner: owner('a'), collection });

      beforeEach(async () => {
        await account('a', newLink('device', 'one'));
      });

      test('are made by -1 with version 0, and rise by one', async () => {
        expect(await write()).toEqual({ outcome: 'written', version: 0 });
        expect(await write()).toEqual({ outcome: 'written', version: 1 });
        expect(await write({ version: 1, text: '{"n":2}', now: 6 })).toEqual({ outcome: 'written', version: 2 });
        expect(await read()).toEqual([{ key: 'k', text: '{"n":2}', version: 2, changedAt: 6 }]);
      });

      test('stay as they are on a mismatch, which carries them', async () => {
        expect(await write({ version: 0 })).toEqual({ outcome: 'mismatch', current: null });
        expect(await read()).toEqual([]);
        await write();
        const current = { key: 'k', text: '{"n":1}', version: 0, changedAt: 5 };
        expect(await write({ version: 1, text: '{}' })).toEqual({ outcome: 'mismatch', current });
        expect(await read()).toEqual([current]);
      });

      test('are created by `absent` once, of fifty at once too', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, (_, n) => write({ version: 'absent', text: `{"n":${n}}` })),
        );
        expect(outcomes.filter(({ outcome }) => outcome === 'written')).toEqual([{ outcome: 'written', version: 0 }]);
        expect(outcomes.filter(({ outcome }) => outcome === 'mismatch')).toHaveLength(49);
        const [current] = (await read()) ?? [];
        expect(await write({ version: 'absent', text: '{}' })).toEqual({ outcome: 'mismatch', current });
      });

      test('lose no update of fifty at once', async () => {
        await write();
        const outcomes = await Promise.all(Array.from({ length: 50 }, () => write({ version: 0 })));
        expect(outcomes.filter(({ outcome }) => outcome === 'written')).toHaveLength(1);
        const forced = await Promise.all(Array.from({ length: 50 }, () => write()));
        const versions = forced.map((outcome) => ('version' in outcome ? outcome.version : null));
        expect([...versions].sort((left, right) => Number(left) - Number(right))).toEqual(
          Array.from({ length: 50 }, (_, index) => index + 2),
        );
      });

      test('come in the order of their UTF-8 bytes', async () => {
        const keys = ['z', 'Z', 'é', '\uFFFD', '\u{1F600}', 'a', 'ab', '10', '9', ' '];
        for (const entry of keys) await write({ key: entry });
        const utf8 = (text: string) => Buffer.from(text, 'utf8');
        const expected = [...keys].sort((left, right) => Buffer.compare(utf8(left), utf8(right)));
        expect((await read())?.map((entry) => entry.key)).toEqual(expected);
      });

      test('come back as they were written', async () => {
        const text = '{"b" : 1.0,\n "a":"\\u0000\\ud83d\\ude00😀", "b":1e2}';
        await write({ text });
        expect((await read())?.[0]?.text).toBe(text);
      });

      test('are limited in number, which does not concern those that are there', async () => {
        for (let index = 0; index < 10; index += 1) await write({ key: `k${index}` });
        expect(await write({ key: 'one-more' })).toEqual({ outcome: 'full' });
        expect(await write({ key: 'k3' })).toEqual({ outcome: 'written', version: 1 });
        expect(await write({ key: 'one-more', collection: 'other' })).toEqual({ outcome: 'written', version: 0 });
        expect(await read()).toHaveLength(10);
      });

      test('are apart for each account, environment and collection', async () => {
        await account('b', newLink('device', 'two'));
        await write();
        expect(await read('other')).toEqual([]);
        expect(await store.readCollection({ owner: owner('b'), collection: 'c' })).toEqual([]);
        expect(await store.readCollection({ owner: { ...owner('a'), environment: 1 }, collection: 'c' })).toBeNull();
        expect(await write({ owner: owner('nobody') })).toEqual({ outcome: 'no_account' });
      });

      test('survive while their account is orphaned', async () => {
        await write();
        await orphan('one', 9);
        expect(await read()).toHaveLength(1);
      });

      test('are read as a whole, with the account', async () => {
        await write({ collection: 'd', key: 'x', text: '{"coins":3}', now: 8 });
        await write({ key: 'b' });
        await write({ key: 'a' });
        expect(await store.readProfile(owner('a'))).toMatchObject({
          account: owner('a'),
          links: [key('device', 'one')],
          entries: [
            { collection: 'c', key: 'a', text: '{"n":1}', version: 0, changedAt: 5 },
            { collection: 'c', key: 'b', text: '{"n":1}', version: 0, changedAt: 5 },
            { collection: 'd', key: 'x', text: '{"coins":3}', version: 0, changedAt: 8 },
          ],
        });
        expect(await store.readProfile(owner('nobody'))).toBeNull();
      });
    });

    describe('snapshots', () => {
      let made = 0;
      const write = (text: string, more: Partial<WriteRequest> = {}) =>
        store.writeEntry({
          owner: owner('a'),
          collection: 'c',
          key: 'k',
          text,
          version: -1,
          lost: snapshot(`snap-${++made}`),
          maxEntries: 10,
          now: 5,
          ...more,
        });
      const list = (now = 6) => store.listSnapshots({ owner: owner('a'), now });
      const find = (snapshotId: string, accountId = 'a', now = 6) =>
        store.findSnapshot({ key: { ...owner(accountId), snapshotId }, now });
      const add = (snapshotId: string, more: { expiresAt?: number; max?: number } = {}, now = 5) => {
        const entry = { collection: 'c', key: 'k', text: '{"lost":1}', version: -1, changedAt: now };
        return store.addSnapshot({ owner: owner('a'), entry, lost: snapshot(snapshotId, more), now });
      };
      const restore = (snapshotId: string, more: { accountId?: string; maxEntries?: number; now?: number } = {}) =>
        store.restoreSnapshot({
          key: { ...owner(more.accountId ?? 'a'), snapshotId },
          maxEntries: more.maxEntries ?? 10,
          lost: snapshot(`undo-${++made}`),
          now: more.now ?? 6,
        });
      const read = async () =>
        (await store.readCollection({ owner: owner('a'), collection: 'c' }))?.map((entry) => [
          entry.key,
          entry.text,
          entry.version,
        ]);

      beforeEach(async () => {
        made = 0;
        await account('a', newLink('device', 'one'));
        await account('b', newLink('device', 'two'));
      });

      test('are left by a forced write that changed the text, and by no other', async () => {
        await write('{"é":1}', { version: 'absent' });
        await write('{"é":1}');
        await write('{"é":2}', { version: 1 });
        await write('{"é":3}', { version: 0 });
        expect(await list()).toEqual([]);
        await write('{"é":3}', { lost: snapshot('mine') });
        const info = {
          ...owner('a'),
          snapshotId: 'mine',
          createdAt: 5,
          expiresAt: 5_000,
          reason: 'overwrite',
          fromId: 'a',
        };
        expect(await list()).toEqual([{ ...info, entries: 1, bytes: 8 }]);
        expect(await find('mine')).toEqual({
          ...info,
          entries: [{ collection: 'c', key: 'k', text: '{"é":2}', version: 2, changedAt: 5 }],
        });
      });

      test('are found by their account alone, until their end', async () => {
        expect(await add('mine')).toBe(true);
        expect((await find('mine'))?.entries[0]?.text).toBe('{"lost":1}');
        expect(await find('mine', 'b')).toBeNull();
        expect(await find('mine', 'a', 5_000)).toBeNull();
        expect(await list(5_000)).toEqual([]);
        expect(await restore('mine', { accountId: 'b' })).toEqual({ outcome: 'no_snapshot' });
        expect(await restore('mine', { now: 5_000 })).toEqual({ outcome: 'no_snapshot' });
        expect(await find('none')).toBeNull();
        expect(await store.listSnapshots({ owner: owner('nobody'), now: 6 })).toEqual([]);
        const entry = { collection: 'c', key: 'k', text: '{}', version: -1, changedAt: 1 };
        expect(await store.addSnapshot({ owner: owner('nobody'), entry, lost: snapshot('x'), now: 5 })).toBe(false);
      });

      test('come newest first, and are limited: single entries go first, then the oldest', async () => {
        await write('{"n":1}');
        await write('{"n":2}', { lost: snapshot('first') });
        await restore('first');
        await add('second', { max: 3 });
        expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch', 'restore', 'overwrite']);
        await add('third', { max: 3 });
        await add('fourth', { max: 3 });
        expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch', 'mismatch', 'restore']);
        await add('fifth', { max: 1 });
        expect((await list()).map(({ snapshotId }) => snapshotId)).toEqual(['fifth']);
      });

      test('are written back as new versions, and what that overwrites is kept', async () => {
        await write('{"n":1}');
        await write('{"n":2}', { lost: snapshot('first') });
        await write('{}', { key: 'other' });
        expect(await restore('first')).toEqual({
          outcome: 'restored',
          entries: [{ collection: 'c', key: 'k', version: 2 }],
        });
        expect(await read()).toEqual([
          ['k', '{"n":1}', 2],
          ['other', '{}', 0],
        ]);
        const [newest] = await list();
        expect(newest?.reason).toBe('restore');
        expect((await find(newest?.snapshotId ?? ''))?.entries).toMatchObject([{ text: '{"n":2}', version: 1 }]);
      });

      test('change nothing where they are written back a second time', async () => {
        await write('{"n":1}');
        await write('{"n":2}', { lost: snapshot('first') });
        const once = await restore('first');
        const kept = await list();
        expect(await restore('first')).toEqual(once);
        expect(await list()).toEqual(kept);
        const many = await Promise.all(Array.from({ length: 10 }, () => restore('first')));
        expect(new Set(many.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
      });

      test('are written back as a whole or not at all', async () => {
        await add('mine');
        for (const name of ['x', 'y']) await write('{}', { key: name });
        expect(await restore('mine', { maxEntries: 2 })).toEqual({ outcome: 'full' });
        expect(await read()).toHaveLength(2);
        expect((await list()).map(({ reason }) => reason)).toEqual(['mismatch']);
      });

      test('are copies: changing one that was read changes nothing', async () => {
        await add('mine');
        const found = await find('mine');
        if (found?.entries[0] !== undefined) found.entries[0].text = 'planted';
        expect((await find('mine'))?.entries[0]?.text).toBe('{"lost":1}');
      });
    });

    describe('nonces', () => {
      const claim = (nonce: string, more: { gameId?: string; now?: number; max?: number } = {}) =>
        store.claimNonce({ gameId, nonce, expiresAt: 1_000, now: 10, max: 3, ...more });

      test('are claimed once by game, of fifty at once too', async () => {
        const claims = await Promise.all(Array.from({ length: 50 }, () => claim('n')));
        expect(claims.filter((outcome) => outcome === 'claimed')).toHaveLength(1);
        expect(claims.filter((outcome) => outcome === 'reused')).toHaveLength(49);
        expect(await claim('n', { gameId: 'another' })).toBe('claimed');
      });

      test('are never forgotten before their end, not even when there are too many', async () => {
        for (const nonce of ['a', 'b', 'c']) expect(await claim(nonce)).toBe('claimed');
        expect(await claim('d')).toBe('full');
        expect(await claim('a')).toBe('reused');
        expect(await claim('d', { now: 1_000 })).toBe('claimed');
      });
    });

    describe('tries', () => {
      const count = (now: number, lockMaxMs: number | null = null) =>
        store.countAttempt({ key: 'k', tries: 3, windowMs: minute, lockMaxMs, now });

      test('are allowed up to a number in a window', async () => {
        const waits = await Promise.all([1, 2, 3, 4, 5].map(() => count(0)));
        expect(waits).toEqual([0, 0, 0, minute, minute]);
        expect(await count(minute)).toBe(0);
      });

      test('lock for twice as long each time, up to a limit', async () => {
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

      test('are taken back one by one, or all', async () => {
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

      test('removes an account that was orphaned long enough ago, with its entries', async () => {
        await account('a', newLink('device', 'one'));
        await account('b', newLink('device', 'two'));
        await orphan('one', 100);
        await remove(1_100);
        expect(await store.findAccount(owner('a'))).not.toBeNull();
        await remove(1_101);
        expect(await store.findAccount(owner('a'))).toBeNull();
        expect(await store.readCollection({ owner: owner('a'), collection: 'c' })).toBeNull();
        expect(await store.findAccount(owner('b'))).not.toBeNull();
      });

      test('removes a deleted account after its grace, with its links', async () => {
        await account('a', newLink('name', 'ada'));
        await store.openSession(sessionOf('a', 's', key('name', 'ada')));
        const session = { ...owner('a'), sessionId: 's' };
        await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 100 });
        await remove(600);
        expect(await store.findLink(key('name', 'ada'))).not.toBeNull();
        await remove(601);
        expect(await store.findAccount(owner('a'))).toBeNull();
        expect(await store.findLink(key('name', 'ada'))).toBeNull();
        expect(await store.findLink(key('recovery', 'code'))).toBeNull();
        expect((await account('b', newLink('name', 'ada'))).created).toBe(true);
      });

      test('removes snapshots that have ended, and no others', async () => {
        await account('a', newLink('device', 'one'));
        const entry = { collection: 'c', key: 'k', text: '{}', version: -1, changedAt: 1 };
        for (const [id, expiresAt] of [
          ['ended', 50],
          ['kept', 51],
        ] as const) {
          await store.addSnapshot({ owner: owner('a'), entry, lost: snapshot(id, { expiresAt }), now: 1 });
        }
        expect(await remove(50)).toBe(1);
        const left = await store.listSnapshots({ owner: owner('a'), now: 1 });
        expect(left.map(({ snapshotId }) => snapshotId)).toEqual(['kept']);
      });

      test('removes what has ended, in batches, and nothing that has not', async () => {
        await account('a', newLink('device', 'one'));
        await store.openSession({ ...sessionOf('a', 'ended', key('device', 'one')), expiresAt: 50 });
        await store.openSession({ ...sessionOf('a', 'alive', key('device', 'one')), expiresAt: 51 });
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
  });
}
