import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkKey, LinkRecord } from '../../../src/backend/stores/records.js';
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
const device = key('device', 'one');

/** What a checked credential allows, and until when. */
export function describeCredentials(create: () => Store | Promise<Store>): void {
  describe('credentials', () => testCredentials(create));
}

function testCredentials(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, methodsOf, orphanedAt } = stepsOn(() => store);

  const link = async (of: LinkKey) => (await store.findLink(of)) as LinkRecord;
  const revisionOf = async (of: LinkKey) => (await link(of)).revision;
  const sessionsOf = async (accountId: string) =>
    (await store.listSessions(owner(accountId))).map(({ sessionId }) => sessionId);
  const change = (checked: LinkRecord, to: string, session: string | null = null) =>
    store.replaceCredential({ link: checked, to, isSamePassword: false, session });
  const ticketOf = (checked: LinkRecord, sessionId = 'by-device-two') => ({
    ...name,
    ticket: 'hash',
    linkRevision: checked.revision,
    localId: 'b',
    sessionId,
    cloudId: 'a',
    device: 'two',
    expiresAt: 1_000,
    choice: null,
    resolvedSessionId: null,
  });
  const choose = (choice: 'local' | 'cloud') =>
    store.resolveConflict({
      quotas: loginQuotas,
      scope,
      ticket: 'hash',
      device: 'two',
      choice,
      merge: null,
      session: newSession('chosen'),
      snapshots: [snapshot('one'), snapshot('two')],
      now: 100,
    });

  /** Whatever takes back what a link has allowed. */
  const ends: { [what: string]: () => Promise<unknown> } = {
    'another credential': async () => change(await link(name), 'new'),
    'a sign-out everywhere': () => store.endSessions(owner('a')),
    async 'a new link'() {
      await store.unlinkMethod({ owner: owner('a'), session: null, method: 'name' });
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('name', 'ada'),
        now: 1,
      });
    },
    async 'a move there and back'() {
      for (const id of ['b', 'a'])
        await store.restoreAccount({ quotas: loginQuotas, owner: owner(id), link: newLink('name', 'ada'), now: 1 });
    },
    async 'a deletion that was taken back'() {
      const session = { ...owner('a'), sessionId: 'by-device' };
      await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 5 });
      await store.cancelDeletion({
        link: await link(key('recovery', 'code')),
        device: newLink('device', 'one'),
        now: 6,
      });
    },
  };

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    await store.linkMethod({
      quotas: loginQuotas,
      owner: owner('a'),
      session: null,
      link: newLink('name', 'ada', { credential: 'old' }),
      now: 1,
    });
    await account('b', newLink('device', 'two'));
    await openSession(store, sessionOf('a', 'by-device', device));
    await openSession(store, sessionOf('a', 'by-name', name));
    await openSession(store, sessionOf('b', 'by-device-two', key('device', 'two'), 'two'));
  });

  describe('what was checked against a link', () => {
    it.each(Object.entries(ends))('holds no longer after %s', async (_, end) => {
      const checked = await link(name);
      await store.openTicket(ticketOf(checked));
      await end();
      const left = [await sessionsOf('a'), await sessionsOf('b')];
      expect(await revisionOf(name)).not.toBe(checked.revision);
      const session = sessionOf('a', 'late', name);
      expect(await store.openSession({ quotas: loginQuotas, session, linkRevision: checked.revision })).toBe(false);
      for (const isSamePassword of [true, false]) {
        const late = { link: checked, to: 'late', isSamePassword, session: null };
        expect(await store.replaceCredential(late)).toBe('link_changed');
      }
      expect(await store.openTicket({ ...ticketOf(checked), ticket: 'late' })).toBe('link_changed');
      for (const choice of ['local', 'cloud'] as const) expect(await choose(choice)).toEqual({ outcome: 'stale' });
      expect(await store.readConflictSides({ scope, ticket: 'hash', device: 'two', now: 100 })).toBeNull();
      expect([await sessionsOf('a'), await sessionsOf('b')]).toEqual(left);
      expect((await link(name)).credential).not.toBe('late');
    });

    it.each(Object.entries(ends))('takes no deletion back after %s', async (_, end) => {
      const checked = await link(name);
      await end();
      await openSession(store, sessionOf('a', 'last', device));
      const session = { ...owner('a'), sessionId: 'last' };
      expect(await store.deleteAccount({ session, recovery: newLink('recovery', 'second'), now: 7 })).toBe(7);
      const cancel = (by: LinkRecord) => store.cancelDeletion({ link: by, device: newLink('device', 'new'), now: 8 });
      expect(await cancel(checked)).toBe('link_changed');
      expect((await store.readAccount(owner('a')))?.account.deletedAt).toBe(7);
      expect(await store.findLink(key('device', 'new'))).toBeNull();
      expect(await cancel(await link(name))).toBe('restored');
    });

    it('holds where the same password was hashed in another way', async () => {
      const checked = await link(name);
      const again = { link: checked, to: 'rehashed', isSamePassword: true, session: null };
      expect(await store.replaceCredential(again)).toBe('replaced');
      expect(await link(name)).toEqual({ ...checked, credential: 'rehashed' });
      const rehashed = { ...checked, credential: 'rehashed', lastUsedAt: 1 };
      expect((await store.readAccount(owner('a')))?.links).toContainEqual(rehashed);
      const session = sessionOf('a', 'late', name);
      expect(await store.openSession({ quotas: loginQuotas, session, linkRevision: checked.revision })).toBe(true);
      expect(await sessionsOf('a')).toEqual(['by-device', 'by-name', 'late']);
      expect(await change(checked, 'new')).toBe('replaced');
    });

    it('is read alike by the subject and with the account', async () => {
      for (const end of Object.values(ends)) {
        await store.endSessions(owner('a'));
        await openSession(store, sessionOf('a', 'by-device', device));
        await end();
        const details = await store.readAccount(owner('a'));
        for (const { lastUsedAt, ...found } of details?.links ?? []) {
          expect(await store.findLink(found)).toEqual(found);
          expect(lastUsedAt).toBeGreaterThanOrEqual(found.linkedAt);
        }
        expect(details?.links.length).toBeGreaterThan(1);
      }
    });

    it('loses against one of two changes at once, and so do twenty sign-ins', async () => {
      const checked = await link(name);
      const signIns = Array.from({ length: 20 }, (_, index) =>
        store.openSession({
          quotas: loginQuotas,
          session: sessionOf('a', `s${index}`, name),
          linkRevision: checked.revision,
        }),
      );
      const changes = await Promise.all(['new', 'newer'].map((to) => change(checked, to, 'by-device')));
      await Promise.all(signIns);
      expect(changes.sort()).toEqual(['link_changed', 'replaced']);
      expect((await link(name)).credential).toMatch(/^new/);
      expect(await sessionsOf('a')).toEqual(['by-device']);
    });

    it('loses against a sign-out everywhere at the same time', async () => {
      const checked = await link(name);
      const open = (index: number) =>
        store.openSession({
          quotas: loginQuotas,
          session: sessionOf('a', `s${index}`, name),
          linkRevision: checked.revision,
        });
      await Promise.all([open(0), open(1), store.endSessions(owner('a')), open(2), open(3)]);
      expect(await sessionsOf('a')).toEqual([]);
    });
  });

  describe('a session that has ended', () => {
    it('asks for nothing', async () => {
      const asking = { owner: owner('a'), session: 'ended', now: 3 };
      const before = await store.readAccount(owner('a'));
      expect(await store.linkMethod({ quotas: loginQuotas, ...asking, link: newLink('device', 'new') })).toEqual({
        outcome: 'no_session',
      });
      expect(await store.unlinkMethod({ ...asking, method: 'name' })).toBe('no_session');
      expect(await store.replaceLink({ ...asking, link: newLink('recovery', 'new') })).toBe(false);
      expect(await change(await link(name), 'new', 'ended')).toBe('no_session');
      expect(await store.openTicket(ticketOf(await link(name), 'ended'))).toBe('no_session');
      expect(await choose('cloud')).toEqual({ outcome: 'stale' });
      expect(await store.readAccount(owner('a'))).toEqual(before);
      // A session of another account is none of this one's.
      expect(await store.unlinkMethod({ ...asking, session: 'by-device-two', method: 'name' })).toBe('no_session');
    });
  });

  describe('the sessions that came from a link', () => {
    it('end with another credential, but for the one that asks', async () => {
      await openSession(store, sessionOf('a', 'asks', name));
      expect(await change(await link(name), 'new', 'asks')).toBe('replaced');
      expect(await sessionsOf('a')).toEqual(['by-device', 'asks']);
      expect(await change(await link(name), 'newer')).toBe('replaced');
      expect(await sessionsOf('a')).toEqual(['by-device']);
    });

    it('end where it is unlinked, but for the one that asks', async () => {
      await openSession(store, sessionOf('a', 'asks', name));
      const asking = { owner: owner('a'), session: 'asks', method: 'name' as const };
      expect(await store.unlinkMethod(asking)).toBe('unlinked');
      expect(await sessionsOf('a')).toEqual(['by-device', 'asks']);
    });

    it('stay where it cannot be unlinked', async () => {
      await store.unlinkMethod({ owner: owner('a'), session: 'by-device', method: 'name' });
      const asking = { owner: owner('a'), session: 'by-device', method: 'device' as const };
      await openSession(store, sessionOf('a', 'other', device));
      expect(await store.unlinkMethod(asking)).toBe('would_orphan');
      expect(await sessionsOf('a')).toEqual(['by-device', 'other']);
    });

    it('end where its kind is replaced, but for the one that asks', async () => {
      const replace = (accountId: string, subject: string, session: string) =>
        store.replaceLink({ owner: owner(accountId), session, link: newLink('recovery', subject), now: 3 });
      expect(await replace('a', 'old', 'by-device')).toBe(true);
      for (const id of ['asks', 'ended']) await openSession(store, sessionOf('a', id, key('recovery', 'old')));
      expect(await replace('a', 'new', 'asks')).toBe(true);
      expect(await methodsOf('a')).toContainEqual(['recovery', 'new']);
      expect(await store.findLink(key('recovery', 'old'))).toBeNull();
      expect(await sessionsOf('a')).toEqual(['by-device', 'by-name', 'asks']);
      expect(await replace('b', 'new', 'by-device-two')).toBe(false);
      expect((await link(key('recovery', 'new'))).accountId).toBe('a');
      expect(await replace('nobody', 'other', 'nobody')).toBe(false);
    });

    it('end where it is replaced in an account that nothing else leads to', async () => {
      await account('c', newLink('recovery', 'old'));
      for (const id of ['asks', 'ended']) await openSession(store, sessionOf('c', id, key('recovery', 'old')));
      const asking = { owner: owner('c'), session: 'asks', link: newLink('recovery', 'new'), now: 3 };
      expect(await store.replaceLink(asking)).toBe(true);
      expect(await sessionsOf('c')).toEqual(['asks']);
      expect(await orphanedAt('c')).toBeNull();
    });

    it('end where an operator makes it lead elsewhere, and the others stay', async () => {
      await store.restoreAccount({ quotas: loginQuotas, owner: owner('b'), link: newLink('device', 'one'), now: 4 });
      expect(await sessionsOf('a')).toEqual(['by-name']);
      expect(await orphanedAt('a')).toBeNull();
      expect(await sessionsOf('b')).toEqual(['by-device-two']);
      // It leads there already.
      await openSession(store, sessionOf('b', 'again', device));
      await store.restoreAccount({ quotas: loginQuotas, owner: owner('b'), link: newLink('device', 'one'), now: 4 });
      expect(await sessionsOf('b')).toEqual(['by-device-two', 'again']);
    });
  });

  describe('an account that nothing leads to any more', () => {
    it('has no session after an operator has taken its last link', async () => {
      await store.restoreAccount({ quotas: loginQuotas, owner: owner('a'), link: newLink('device', 'two'), now: 4 });
      expect(await orphanedAt('b')).toBe(4);
      expect(await sessionsOf('b')).toEqual([]);
    });

    it('has no session after the choice that has left it', async () => {
      await openSession(store, sessionOf('b', 'another', key('device', 'two'), 'three'));
      await store.openTicket(ticketOf(await link(name)));
      expect((await choose('cloud')).outcome).toBe('resolved');
      expect(await orphanedAt('b')).toBe(100);
      expect(await sessionsOf('b')).toEqual([]);
    });
  });
}
