import { beforeEach, describe, expect, test } from 'vitest';
import type {
  LinkKey,
  NewLink,
  Owner,
  SessionRecord,
  Store,
  TicketRecord,
  WriteRequest,
} from '../../../src/backend/stores/store.js';

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
          account: { ...owner('a'), createdAt: 5, orphanedAt: null },
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
        await store.replaceCredential({ key: key('name', 'ada'), from: 'another', to: 'wrong' });
        expect((await store.findLink(key('name', 'ada')))?.credential).toBe('old');
        await store.replaceCredential({ key: key('name', 'ada'), from: 'old', to: 'new' });
        expect((await store.findLink(key('name', 'ada')))?.credential).toBe('new');
      });

      test('deletes an account: its links and sessions go, and it stays orphaned', async () => {
        await account('a', newLink('device', 'one'));
        await store.openSession(sessionOf('a', 's', key('device', 'one')));
        expect(await store.deleteAccount({ owner: owner('a'), now: 9 })).toBe(true);
        expect(await store.findLink(key('device', 'one'))).toBeNull();
        expect(await store.findSession({ ...owner('a'), sessionId: 's' })).toBeNull();
        expect(await orphanedAt('a')).toBe(9);
        expect(await store.deleteAccount({ owner: owner('nobody'), now: 9 })).toBe(false);
      });

      test('restores an orphaned account with a new link', async () => {
        await account('a', newLink('device', 'one'));
        await store.deleteAccount({ owner: owner('a'), now: 9 });
        await store.link({ owner: owner('a'), link: newLink('device', 'one'), now: 10 });
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
      const resolve = (choice: 'local' | 'cloud', sessionId = 'new', more: { device?: string; now?: number } = {}) =>
        store.resolveConflict({
          scope,
          ticket: 'hash',
          device: 'two',
          choice,
          session: newSession(sessionId),
          now,
          ...more,
        });

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
        expect(await store.resolveConflict({ ...elsewhere, choice: 'local', session: newSession('new'), now })).toEqual(
          { outcome: 'stale' },
        );
        expect((await resolve('local')).outcome).toBe('resolved');
      });

      test('is stale where the link has changed hands, or was made again', async () => {
        await store.openTicket(ticketOf());
        await store.relink({ owner: owner('local'), link: newLink('name', 'ada'), now: 2 });
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
        await store.relink({ owner: owner('cloud'), link: newLink('name', 'ada'), now: 3 });
        expect(await resolve('cloud')).toEqual({ outcome: 'stale' });
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
          maxEntries: 10,
          now: 5,
          ...more,
        });
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
        await store.deleteAccount({ owner: owner('a'), now: 9 });
        expect(await read()).toHaveLength(1);
      });

      test('are summed up', async () => {
        await write({ text: '{"é":1}', now: 5 });
        await write({ collection: 'd', key: 'x', text: '{"coins":3}', now: 8 });
        const wanted = [
          { collection: 'd', key: 'x' },
          { collection: 'd', key: 'none' },
        ];
        expect(await store.summarize({ owner: owner('a'), wanted })).toMatchObject({
          account: owner('a'),
          links: [key('device', 'one')],
          entries: 2,
          bytes: 8 + 11,
          changedAt: 8,
          wanted: [{ collection: 'd', key: 'x', text: '{"coins":3}' }],
        });
        expect(await store.summarize({ owner: owner('nobody'), wanted })).toBeNull();
      });

      test('sum up to nothing where there are none', async () => {
        const summary = await store.summarize({ owner: owner('a'), wanted: [] });
        expect(summary).toMatchObject({ entries: 0, bytes: 0, changedAt: null, wanted: [] });
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
      const remove = (now: number, batch = 100) => store.removeExpired({ now, orphanedBefore: now - 1_000, batch });

      test('removes an account that was orphaned long enough ago, with its entries', async () => {
        await account('a', newLink('device', 'one'));
        await account('b', newLink('device', 'two'));
        await store.deleteAccount({ owner: owner('a'), now: 100 });
        await remove(1_100);
        expect(await store.findAccount(owner('a'))).not.toBeNull();
        await remove(1_101);
        expect(await store.findAccount(owner('a'))).toBeNull();
        expect(await store.readCollection({ owner: owner('a'), collection: 'c' })).toBeNull();
        expect(await store.findAccount(owner('b'))).not.toBeNull();
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
