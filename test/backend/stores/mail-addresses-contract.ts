import { beforeEach, describe, expect, it } from 'vitest';
import type { MakeCodeRequest } from '../../../src/backend/stores/code-requests.js';
import type { LinkRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  key,
  loginQuotas,
  newLink,
  newSession,
  openSession,
  owner,
  quotas,
  sessionOf,
  snapshot,
  stepsOn,
} from './contract-records.js';
import { mark } from './operators-contract.js';

const name = key('name', 'ada');
const [home, work] = ['Ada@mail.example', 'ada@work.example'];

/** The e-mail address of a name: it counts once its code was shown, and goes where the name goes. */
export function describeMailAddresses(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);

  const link = async () => (await store.findLink(name)) as LinkRecord;
  const send = async (mailAddress: string | null, hash: string, more: Partial<MakeCodeRequest> = {}) =>
    store.makeCode({
      ...{ link: await link(), kind: 'verify', hash, tries: 5, expiresAt: 100, mailAddress, now: 1 },
      ...more,
    });
  const verify = (hash: string, { session = 'by-name', accountId = 'a', now = 2 } = {}) =>
    store.verifyMailAddress({ session: { ...owner(accountId), sessionId: session }, link: name, hashes: [hash], now });
  const remove = (session = 'by-name') => store.removeMailAddress({ owner: owner('a'), session });
  const reset = (hash: string) => store.resetPassword({ link: name, kind: 'reset', hashes: [hash], to: 'new', now: 2 });
  /** As the name leads by it, and as its account has it. */
  const addresses = async (accountId = 'a') => {
    const links = (await store.readAccount(owner(accountId)))?.links ?? [];
    return [(await link()).mailAddress, links.find(({ method }) => method === 'name')?.mailAddress];
  };
  const verified = async (mailAddress: string) => {
    await send(mailAddress, mailAddress);
    return verify(mailAddress);
  };

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    const linked = { owner: owner('a'), session: null, link: newLink('name', 'ada', { credential: 'old' }), now: 1 };
    await store.linkMethod({ ...linked, quotas: loginQuotas });
    await openSession(store, sessionOf('a', 'by-name', name));
  });

  it('comes with a name that is taken over from elsewhere, new account or not', async () => {
    const eve = newLink('name', 'eve', { mailAddress: home });
    await store.ensureAccount({ link: eve, accountId: 'e', now: 1 });
    const bob = newLink('name', 'bob', { mailAddress: work });
    await account('b', newLink('custom', 'b-1'));
    await store.linkMethod({ owner: owner('b'), session: null, link: bob, now: 1, quotas: loginQuotas });
    for (const [subject, accountId, mailAddress] of [
      ['eve', 'e', home],
      ['bob', 'b', work],
    ] as const) {
      expect((await store.findLink(key('name', subject)))?.mailAddress).toBe(mailAddress);
      const { links = [] } = (await store.readAccount(owner(accountId))) ?? {};
      expect(links.find(({ method }) => method === 'name')?.mailAddress).toBe(mailAddress);
    }
  });

  it('counts by its code alone, once, and the former one until then', async () => {
    expect(await addresses()).toEqual([null, null]);
    const before = await link();
    await send(home, 'right');
    expect(await addresses()).toEqual([null, null]);
    expect(await verify('wrong')).toEqual({ outcome: 'wrong_code' });
    expect(await verify('right')).toEqual({ outcome: 'verified', before, mailAddress: home });
    expect(await addresses()).toEqual([home, home]);
    expect(await verify('right')).toEqual({ outcome: 'repeated' });
    await send(work, 'second');
    expect(await addresses()).toEqual([home, home]);
    expect(await verify('second')).toMatchObject({ before: { mailAddress: home }, mailAddress: work });
    expect(await addresses()).toEqual([work, work]);
    expect(await verify('right')).toEqual({ outcome: 'wrong_code' });
  });

  it('is verified by no code that was sent to another address', async () => {
    await send(home, 'to home');
    await send(work, 'to work');
    expect(await verify('to home')).toEqual({ outcome: 'wrong_code' });
    expect(await addresses()).toEqual([null, null]);
    expect(await verify('to work')).toMatchObject({ mailAddress: work });
  });

  it('takes five tries, until the code expires', async () => {
    await send(home, 'right');
    for (let tries = 0; tries < 5; tries += 1) await verify('wrong');
    expect(await verify('right')).toEqual({ outcome: 'wrong_code' });
    await send(home, 'right');
    expect(await verify('right', { now: 100 })).toEqual({ outcome: 'wrong_code' });
    const sweep = (now: number) => store.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 10 });
    expect([await sweep(99), await sweep(100)]).toEqual([0, 1]);
    await send(home, 'right');
    await Promise.all(Array.from({ length: 12 }, (_, at) => verify(`wrong-${at}`)));
    expect(await verify('right')).toEqual({ outcome: 'wrong_code' });
  });

  it('is verified for a session of its account alone that lives', async () => {
    await send(home, 'right');
    expect(await verify('right', { session: 'none' })).toEqual({ outcome: 'no_session' });
    await account('b', newLink('device', 'two'));
    await openSession(store, sessionOf('b', 'other', key('device', 'two'), 'two'));
    expect(await verify('right', { accountId: 'b', session: 'other' })).toEqual({ outcome: 'wrong_code' });
    expect(await remove('none')).toEqual({ outcome: 'no_session' });
    expect(await addresses()).toEqual([null, null]);
    expect(await store.removeMailAddress({ owner: owner('b'), session: 'other' })).toEqual({ outcome: 'not_linked' });
    expect(await verify('right')).toMatchObject({ outcome: 'verified' });
  });

  it('that changes or goes ends the codes that were sent to the former one', async () => {
    await verified(home);
    const seen = await link();
    await send(null, 'a reset', { kind: 'reset' });
    await verified(work);
    expect(await reset('a reset')).toBe('wrong_code');
    expect(await send(null, 'late', { kind: 'reset', link: seen })).toBe('link_changed');
    await send(null, 'a reset', { kind: 'reset' });
    await send(home, 'pending');
    expect(await remove()).toMatchObject({ outcome: 'removed', before: { mailAddress: work } });
    expect(await reset('a reset')).toBe('wrong_code');
    expect(await verify('pending')).toEqual({ outcome: 'wrong_code' });
    expect(await addresses()).toEqual([null, null]);
    expect(await remove()).toMatchObject({ before: { mailAddress: null } });
  });

  it('sets no password by its code, and is verified by no code for a password', async () => {
    await send(home, 'right');
    expect(await reset('right')).toBe('wrong_code');
    await send(null, 'a reset', { kind: 'reset' });
    expect(await verify('a reset')).toEqual({ outcome: 'wrong_code' });
    expect((await link()).credential).toBe('old');
  });

  const ends: { [what: string]: () => Promise<unknown> } = {
    'another password': async () =>
      store.replaceCredential({ link: await link(), to: 'other', isSamePassword: false, session: 'by-name' }),
    async 'a sign-out everywhere'() {
      await store.endSessions(owner('a'));
      await openSession(store, sessionOf('a', 'by-name', name));
    },
    'a right code for a password': async () => {
      await send(null, 'a reset', { kind: 'reset' });
      await reset('a reset');
      await openSession(store, sessionOf('a', 'by-name', name));
    },
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`stays with ${what}, which ends the code of another address`, async () => {
      await verified(home);
      await send(work, 'pending');
      await end();
      expect(await verify('pending')).toEqual({ outcome: 'wrong_code' });
      expect(await addresses()).toEqual([home, home]);
    });
  }

  describe('when all others are signed out and what came since is taken away', () => {
    const signOutOthers = (unlinkSince: number) => {
      const session = { ...owner('a'), sessionId: 'by-name' };
      return store.signOutOthers({ session, next: newSession('next'), unlinkSince });
    };
    const times = async () => {
      const links = (await store.readAccount(owner('a')))?.links ?? [];
      return [(await link()).mailAddressAt, links.find(({ method }) => method === 'name')?.mailAddressAt];
    };

    it('goes where it was verified since, and stays where it was verified before', async () => {
      await send(home, 'right', { expiresAt: 1_000 });
      await verify('right', { now: 40 });
      expect(await times()).toEqual([40, 40]);
      expect(await signOutOthers(41)).toMatchObject({ outcome: 'signed_out' });
      expect([await addresses(), await times()]).toEqual([
        [home, home],
        [40, 40],
      ]);
      await openSession(store, sessionOf('a', 'by-name', name));
      expect(await signOutOthers(40)).toMatchObject({ outcome: 'signed_out' });
      expect([await addresses(), await times()]).toEqual([
        [null, null],
        [null, null],
      ]);
    });

    it('takes the codes with it that were sent there, and one that is not verified yet', async () => {
      await verified(home);
      await send(null, 'a reset', { kind: 'reset' });
      await send(work, 'pending');
      await signOutOthers(2);
      expect(await reset('a reset')).toBe('wrong_code');
      await openSession(store, sessionOf('a', 'by-name', name));
      expect(await verify('pending')).toEqual({ outcome: 'wrong_code' });
      expect(await addresses()).toEqual([null, null]);
    });

    it('goes where nobody knows since when it is there', async () => {
      const linked = { owner: owner('a'), session: null, now: 1, quotas: loginQuotas };
      await store.unlinkMethod({ owner: owner('a'), session: null, method: 'name' });
      await store.linkMethod({ ...linked, link: newLink('name', 'ada', { mailAddress: home }) });
      expect([await addresses(), await times()]).toEqual([
        [home, home],
        [null, null],
      ]);
      await openSession(store, sessionOf('a', 'by-name', name));
      await signOutOthers(1_000);
      expect(await addresses()).toEqual([null, null]);
    });

    it('is as old as it was where its name came from another account', async () => {
      await send(home, 'right', { expiresAt: 1_000 });
      await verify('right', { now: 40 });
      await account('b', newLink('custom', 'b'));
      await store.restoreAccount({ owner: owner('b'), link: newLink('name', 'ada'), now: 60, quotas: loginQuotas });
      await store.restoreAccount({ owner: owner('a'), link: newLink('name', 'ada'), now: 70, quotas: loginQuotas });
      expect(await times()).toEqual([40, 40]);
    });
  });

  it('goes with its name to another account', async () => {
    await verified(home);
    await account('b', newLink('custom', 'b'));
    await store.restoreAccount({ owner: owner('b'), link: newLink('name', 'ada'), now: 3, quotas: loginQuotas });
    expect(await addresses('b')).toEqual([home, home]);
    await account('c', newLink('custom', 'c'));
    await store.unlinkMethod({ owner: owner('b'), session: null, method: 'custom' });
    const merged = await store.changeAsOperator({
      change: 'mergeAccounts',
      request: {
        ...{ owner: owner('b'), into: owner('c'), entries: 'keep', now: 4 },
        ...{ snapshots: [snapshot('other'), snapshot('own')], quotas: loginQuotas, entryQuotas: quotas(10) },
      },
      mark: mark({ action: 'merge' }),
    });
    expect(merged).toMatchObject({ outcome: 'merged' });
    expect(await addresses('c')).toEqual([home, home]);
    expect((await store.listAccounts({ scope: name, list: 'newest', after: null, max: 1, now: 5 }))[0]).toMatchObject({
      links: [{ mailAddress: null }, { mailAddress: home }],
    });
    expect(JSON.stringify(await store.readAudit({ owner: null, after: null, max: 10 }))).not.toContain(home);
  });

  it('goes with the end of its name, and waits with a deletion that is taken back', async () => {
    await verified(home);
    const session = { ...owner('a'), sessionId: 'by-name' };
    await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 3 });
    expect(await verify('x')).toEqual({ outcome: 'no_session' });
    expect(await addresses()).toEqual([home, home]);
    await store.cancelDeletion({ link: await link(), device: newLink('device', 'one'), now: 4 });
    expect(await addresses()).toEqual([home, home]);
    await store.unlinkMethod({ owner: owner('a'), session: null, method: 'name' });
    const linked = { owner: owner('a'), session: null, link: newLink('name', 'ada'), now: 5, quotas: loginQuotas };
    expect(await store.linkMethod(linked)).toMatchObject({ link: { mailAddress: null } });
    expect(await addresses()).toEqual([null, null]);
  });

  it('is no way into an account: nothing is found by it', async () => {
    await verified(home);
    for (const method of ['name', 'identity', 'social', 'custom'] as const) {
      expect(await store.findLink(key(method, home))).toBeNull();
      expect(await store.findLink(key(method, home.toLowerCase()))).toBeNull();
    }
  });
}
