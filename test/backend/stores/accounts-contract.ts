import { beforeEach, describe, expect, it } from 'vitest';
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
  untouched,
} from './contract-records.js';

/** Accounts, their links, their deletion, custom ids. */
export function describeAccounts(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account, methodsOf, orphan, orphanedAt } = stepsOn(() => store);

  beforeEach(async () => {
    store = await create();
  });

  describe('accounts and links', () => {
    it('makes one account for a subject, and finds it again', async () => {
      const made = await account('a', newLink('name', 'ada', { label: 'Ada', credential: 'hash' }), 5);
      expect(made).toEqual({
        created: true,
        link: {
          ...key('name', 'ada'),
          accountId: 'a',
          label: 'Ada',
          credential: 'hash',
          mailAddress: null,
          mailAddressAt: null,
          linkedAt: 5,
          revision: expect.any(Number),
        },
      });
      expect(await account('b', newLink('name', 'ada'), 6)).toEqual({ created: false, link: made.link });
      expect(await store.findLink(key('name', 'ada'))).toEqual(made.link);
      expect(await store.readAccount(owner('a'))).toEqual({
        account: { ...owner('a'), ...untouched, createdAt: 5, lastSeenAt: 5 },
        links: [{ ...made.link, lastUsedAt: 5 }],
      });
      expect(await store.readAccount(owner('b'))).toBeNull();
    });

    it('makes one account of a hundred at once with one subject', async () => {
      const ids = Array.from({ length: 100 }, (_, index) => `account-${index}`);
      const made = await Promise.all(ids.map((id) => account(id, newLink('device', 'one'))));
      expect(made.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(made.map(({ link }) => link.accountId)).size).toBe(1);
      const there = await Promise.all(ids.map((id) => store.readAccount(owner(id))));
      expect(there.filter((found) => found !== null)).toHaveLength(1);
    });

    it('keeps the first session with the account that it makes, and none where there was one', async () => {
      const link = newLink('device', 'one');
      const first = sessionOf('a', 's1', link);
      expect(await store.ensureAccount({ link, accountId: 'a', session: first, now: 1 })).toMatchObject({
        created: true,
      });
      expect(await store.findSession(first)).toEqual(first);
      const late = sessionOf('b', 's2', link);
      expect(await store.ensureAccount({ link, accountId: 'b', session: late, now: 1 })).toMatchObject({
        created: false,
      });
      expect(await store.findSession(late)).toBeNull();
      expect(await store.listSessions(owner('a'))).toEqual([first]);
    });

    it('keeps games and environments apart', async () => {
      await account('a', newLink('device', 'one'));
      expect(await store.findLink({ ...key('device', 'one'), environment: 1 })).toBeNull();
      expect(await store.findLink({ ...key('device', 'one'), gameId: 'another' })).toBeNull();
      expect(await store.readAccount({ ...owner('a'), environment: 2 })).toBeNull();
    });

    it('knows an account in its own game and environment alone', async () => {
      await account('a', newLink('device', 'one'));
      await openSession(store, sessionOf('a', 's', key('device', 'one')));
      const write = {
        sessionId: null,
        collection: 'c',
        key: 'k',
        text: '{}',
        version: -1,
        snapshot: snapshot('lost'),
        quotas: quotas(9),
        now: 2,
      };
      await store.updateEntry({ ...write, owner: owner('a') });
      const entry = { collection: 'c', key: 'k', text: '{}', version: 0, changedAt: 2 };
      const keep = { sessionId: null, entry, now: 2 };
      await store.addSnapshot({ ...keep, owner: owner('a'), snapshot: snapshot('kept') });
      const before = await store.readProfile(owner('a'));
      for (const elsewhere of [{ gameId: 'another' }, { environment: 1 as const }]) {
        const other = { ...owner('a'), ...elsewhere };
        expect(await store.readAccount(other)).toBeNull();
        expect(await store.readProfile(other)).toBeNull();
        expect(await store.readCollection({ owner: other, sessionId: null, collection: 'c' })).toBeNull();
        for (const version of [-1, 0]) {
          expect((await store.updateEntry({ ...write, version, owner: other })).outcome).toBe('no_account');
        }
        const kept = await store.addSnapshot({ ...keep, owner: other, snapshot: snapshot('x') });
        expect(kept).toEqual({ outcome: 'no_account' });
        expect(await store.listSnapshots({ owner: other, now: 2 })).toEqual([]);
        expect(await store.readSnapshot({ key: { ...other, snapshotId: 'kept' }, now: 2 })).toBeNull();
        expect(await store.listSessions(other)).toEqual([]);
        expect(await store.findSession({ ...other, sessionId: 's' })).toBeNull();
        const session = { ...sessionOf('a', 's', key('device', 'one')), ...elsewhere };
        expect(await store.updateSession(session)).toBe(false);
        await store.endSession({ ...other, sessionId: 's' });
        await store.endSessions(other);
        expect(
          await store.linkMethod({
            quotas: loginQuotas,
            owner: other,
            session: null,
            link: newLink('name', 'ada'),
            now: 3,
          }),
        ).toEqual({
          outcome: 'no_account',
        });
        expect(await store.unlinkMethod({ owner: other, session: null, method: 'device' })).toBe('not_linked');
      }
      expect(await store.readProfile(owner('a'))).toEqual(before);
      expect(await store.listSessions(owner('a'))).toHaveLength(1);
    });

    it('tells methods apart that share a subject', async () => {
      await account('a', newLink('name', 'x'));
      await account('b', newLink('custom', 'x'));
      expect((await store.findLink(key('name', 'x')))?.accountId).toBe('a');
      expect((await store.findLink(key('custom', 'x')))?.accountId).toBe('b');
    });

    it('keeps subjects and labels as they are, whatever is in them', async () => {
      const subjects = [
        'nul \u0000',
        'half \ud83d',
        'half \udE00',
        '"quoted" \\u0000',
        'é',
        'e\u0301',
        "';--",
        '',
        ' ',
      ];
      for (const [index, subject] of subjects.entries()) {
        const link = newLink('custom', subject, { label: subject });
        expect((await account(`a${index}`, link)).created).toBe(true);
      }
      for (const [index, subject] of subjects.entries()) {
        expect(await store.findLink(key('custom', subject))).toMatchObject({ accountId: `a${index}`, label: subject });
        expect((await store.readAccount(owner(`a${index}`)))?.links).toMatchObject([{ subject, label: subject }]);
      }
    });

    it('links a free subject, and says who has a taken one', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      const linked = await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('name', 'ada'),
        now: 7,
      });
      expect(linked).toMatchObject({ outcome: 'linked', link: { accountId: 'a', linkedAt: 7 } });
      for (const id of ['a', 'b']) {
        const again = await store.linkMethod({
          quotas: loginQuotas,
          owner: owner(id),
          session: null,
          link: newLink('name', 'ada'),
          now: 8,
        });
        expect(again).toMatchObject({ outcome: 'taken', link: { accountId: 'a', linkedAt: 7 } });
      }
      expect(await methodsOf('a')).toEqual([
        ['device', 'one'],
        ['name', 'ada'],
      ]);
    });

    it('links one subject to one of many accounts at once', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `account-${index}`);
      for (const id of ids) await account(id, newLink('device', id));
      const outcomes = await Promise.all(
        ids.map((id) =>
          store.linkMethod({
            quotas: loginQuotas,
            owner: owner(id),
            session: null,
            link: newLink('name', 'ada'),
            now: 2,
          }),
        ),
      );
      expect(outcomes.filter(({ outcome }) => outcome === 'linked')).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'taken')).toHaveLength(19);
    });

    it('links one name, one identity, one network and one custom id to an account, at once too', async () => {
      await account('a', newLink('device', 'one'));
      for (const method of ['name', 'identity', 'social', 'custom'] as const) {
        const outcomes = await Promise.all(
          ['x', 'y'].map((subject) =>
            store.linkMethod({
              quotas: loginQuotas,
              owner: owner('a'),
              session: null,
              link: newLink(method, `${method}-${subject}`),
              now: 2,
            }),
          ),
        );
        expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['linked', 'method_already_linked']);
      }
    });

    it('links several devices to an account', async () => {
      await account('a', newLink('device', 'one'));
      const second = await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('device', 'two'),
        now: 2,
      });
      expect(second.outcome).toBe('linked');
    });

    it('links nothing to an account that is not there', async () => {
      const outcome = await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('nobody'),
        session: null,
        link: newLink('name', 'ada'),
        now: 2,
      });
      expect(outcome).toEqual({ outcome: 'no_account' });
      expect(await store.findLink(key('name', 'ada'))).toBeNull();
    });

    it('unlinks a method, but never the last way in', async () => {
      await account('a', newLink('device', 'one'));
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('name', 'ada'),
        now: 2,
      });
      expect(await store.unlinkMethod({ owner: owner('a'), session: null, method: 'identity' })).toBe('not_linked');
      expect(await store.unlinkMethod({ owner: owner('a'), session: null, method: 'name' })).toBe('unlinked');
      expect(await store.findLink(key('name', 'ada'))).toBeNull();
      expect(await store.unlinkMethod({ owner: owner('a'), session: null, method: 'device' })).toBe('would_orphan');
      expect(await methodsOf('a')).toEqual([['device', 'one']]);
    });

    it('leaves one of two ways in where both are unlinked at once', async () => {
      await account('a', newLink('device', 'one'));
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('name', 'ada'),
        now: 2,
      });
      const outcomes = await Promise.all(
        (['device', 'name'] as const).map((method) => store.unlinkMethod({ owner: owner('a'), session: null, method })),
      );
      expect(outcomes.sort()).toEqual(['unlinked', 'would_orphan']);
    });

    it('ends all sessions of one account at once', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      for (const id of ['s', 't']) await openSession(store, sessionOf('a', id, key('device', 'one')));
      await openSession(store, sessionOf('b', 'u', key('device', 'two')));
      await store.endSessions(owner('a'));
      expect(await store.listSessions(owner('a'))).toEqual([]);
      expect(await store.listSessions(owner('b'))).toHaveLength(1);
      expect(await store.listSessions(owner('nobody'))).toEqual([]);
    });

    it('restores an orphaned account with a new link', async () => {
      await account('a', newLink('device', 'one'));
      await orphan('one', 9);
      expect(await orphanedAt('a')).toBe(9);
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('device', 'new'),
        now: 10,
      });
      expect(await orphanedAt('a')).toBeNull();
    });

    it('relinks a subject from whoever has it, and orphans what it leaves', async () => {
      await account('a', newLink('device', 'one'));
      await account('b', newLink('device', 'two'));
      expect(
        await store.restoreAccount({ quotas: loginQuotas, owner: owner('b'), link: newLink('device', 'one'), now: 4 }),
      ).toBe(true);
      expect((await store.findLink(key('device', 'one')))?.accountId).toBe('b');
      expect(await orphanedAt('a')).toBe(4);
      expect(
        await store.restoreAccount({ quotas: loginQuotas, owner: owner('b'), link: newLink('device', 'one'), now: 5 }),
      ).toBe(true);
      expect(await orphanedAt('b')).toBeNull();
      expect(
        await store.restoreAccount({
          quotas: loginQuotas,
          owner: owner('nobody'),
          link: newLink('device', 'one'),
          now: 5,
        }),
      ).toBe(false);
    });
  });

  describe('deletion', () => {
    const remove = (sessionId = 's', code = 'code', now = 9) =>
      store.deleteAccount({ session: { ...owner('a'), sessionId }, recovery: newLink('recovery', code), now });
    const restore = async () => {
      const link = (await store.findLink(key('name', 'ada'))) as LinkRecord;
      return store.cancelDeletion({ link, device: newLink('device', 'one'), now: 20 });
    };
    const deletedAt = async () => (await store.readAccount(owner('a')))?.account.deletedAt;

    beforeEach(async () => {
      await account('a', newLink('device', 'one'));
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('name', 'ada'),
        now: 2,
      });
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('recovery', 'former'),
        now: 2,
      });
      await openSession(store, sessionOf('a', 's', key('name', 'ada')));
      await openSession(store, sessionOf('a', 't', key('device', 'one')));
    });

    it('ends the sessions, frees the devices and keeps the other links', async () => {
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

    it('is for a session that lives, and may be asked for again by that one alone', async () => {
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

    it('lets nobody in, and nothing be linked', async () => {
      await remove();
      expect(await openSession(store, sessionOf('a', 'new', key('name', 'ada')))).toBe(false);
      const link = await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('device', 'new'),
        now: 10,
      });
      expect(link).toEqual({ outcome: 'no_account' });
      const replaced = { owner: owner('a'), link: newLink('recovery', 'x'), session: 's', now: 10 };
      expect(await store.replaceLink(replaced)).toBe(false);
      expect(await store.findLink(key('device', 'new'))).toBeNull();
    });

    it('is taken back, with the device where that leads nowhere', async () => {
      expect(await restore()).toBe('not_deleted');
      await remove();
      expect(await restore()).toBe('restored');
      expect(await deletedAt()).toBeNull();
      expect((await store.findLink(key('device', 'one')))?.accountId).toBe('a');
      expect(await openSession(store, sessionOf('a', 'new', key('name', 'ada')))).toBe(true);
      await remove('new');
      await account('b', newLink('device', 'one'));
      expect(await restore()).toBe('restored');
      expect((await store.findLink(key('device', 'one')))?.accountId).toBe('b');
      expect(await remove('new')).toBeNull();
    });

    it('is taken back by an operator who relinks a device', async () => {
      await remove();
      expect(
        await store.restoreAccount({ quotas: loginQuotas, owner: owner('a'), link: newLink('device', 'two'), now: 10 }),
      ).toBe(true);
      expect(await deletedAt()).toBeNull();
    });
  });

  describe('custom ids', () => {
    const ensure = (custom: string, device: string, accountId: string) =>
      store.ensureCustomAccount({
        quotas: loginQuotas,
        custom: newLink('custom', custom),
        device: newLink('device', device),
        accountId,
        now: 3,
      });

    it('link to the account of the device', async () => {
      await account('a', newLink('device', 'one'));
      expect(await ensure('player', 'one', 'new')).toMatchObject({ ...key('custom', 'player'), accountId: 'a' });
      expect(await store.readAccount(owner('new'))).toBeNull();
    });

    it('get an account of their own where the device has another custom id', async () => {
      await ensure('first', 'one', 'a');
      expect(await ensure('second', 'one', 'b')).toMatchObject({ accountId: 'b' });
      expect((await store.findLink(key('device', 'one')))?.accountId).toBe('a');
      expect(await methodsOf('b')).toEqual([['custom', 'second']]);
    });

    it.each(['name', 'identity', 'social'] as const)(
      "get an account of their own where the device's account has a %s: it is somebody's",
      async (method) => {
        await account('a', newLink('device', 'one'));
        await store.linkMethod({
          quotas: loginQuotas,
          owner: owner('a'),
          session: null,
          link: newLink(method, 'ada'),
          now: 2,
        });
        expect(await ensure('player', 'one', 'b')).toMatchObject({ accountId: 'b' });
        expect(await methodsOf('b')).toEqual([['custom', 'player']]);
        expect((await store.findLink(key('device', 'one')))?.accountId).toBe('a');
        // Again, and from elsewhere, it stays theirs.
        expect(await ensure('player', 'one', 'x')).toMatchObject({ accountId: 'b' });
        expect(await ensure('player', 'two', 'x')).toMatchObject({ accountId: 'b' });
      },
    );

    it('link to the account of a device whose guest has a recovery code', async () => {
      await account('a', newLink('device', 'one'));
      await store.linkMethod({
        quotas: loginQuotas,
        owner: owner('a'),
        session: null,
        link: newLink('recovery', 'code'),
        now: 2,
      });
      expect(await ensure('player', 'one', 'new')).toMatchObject({ accountId: 'a' });
    });

    it('take a device that leads nowhere with them', async () => {
      await ensure('player', 'one', 'a');
      expect(await ensure('player', 'two', 'x')).toMatchObject({ accountId: 'a' });
      expect((await store.findLink(key('device', 'two')))?.accountId).toBe('a');
    });

    it('decide the account, and leave the device where it leads elsewhere', async () => {
      await ensure('player', 'one', 'a');
      await account('b', newLink('device', 'two'));
      expect(await ensure('player', 'two', 'x')).toMatchObject({ accountId: 'a' });
      expect((await store.findLink(key('device', 'two')))?.accountId).toBe('b');
    });

    it('make one account of fifty at once', async () => {
      const made = await Promise.all(Array.from({ length: 50 }, (_, index) => ensure('player', 'one', `n-${index}`)));
      expect(new Set(made.map(({ accountId }) => accountId)).size).toBe(1);
    });
  });
}
