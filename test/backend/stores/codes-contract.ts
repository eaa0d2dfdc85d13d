import { beforeEach, describe, expect, it } from 'vitest';
import type { MakeCodeRequest, ResetPasswordRequest } from '../../../src/backend/stores/code-requests.js';
import type { LinkRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { key, loginQuotas, newLink, openSession, owner, sessionOf, stepsOn } from './contract-records.js';
import { mark } from './operators-contract.js';

const name = key('name', 'ada');

/** One-time codes of a link, and what a right one sets. */
export function describeCodes(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);

  const link = async () => (await store.findLink(name)) as LinkRecord;
  const make = async (more: Partial<MakeCodeRequest> = {}) =>
    store.makeCode({
      ...{ link: await link(), kind: 'reset', hash: 'right', tries: 5, expiresAt: 100, mailAddress: null, now: 1 },
      ...more,
    });
  const reset = (hash: string, more: Partial<ResetPasswordRequest> = {}) =>
    store.resetPassword({ link: name, kind: 'reset', hashes: ['by another key', hash], to: 'new', now: 2, ...more });
  const credential = async () => (await link()).credential;
  const sessions = async () => (await store.listSessions(owner('a'))).map(({ sessionId }) => sessionId);

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    const linked = { owner: owner('a'), session: null, link: newLink('name', 'ada', { credential: 'old' }), now: 1 };
    await store.linkMethod({ ...linked, quotas: loginQuotas });
    await openSession(store, sessionOf('a', 'by-name', name));
    await openSession(store, sessionOf('a', 'by-device', key('device', 'one'), 'one'));
  });

  it('a right code sets the credential once, and ends all sessions', async () => {
    const before = await link();
    expect(await make()).toBe('made');
    expect(await reset('right')).toBe('reset');
    expect(await credential()).toBe('new');
    expect(await sessions()).toEqual([]);
    expect(await reset('right', { to: 'newer' })).toBe('repeated');
    expect(await reset('wrong', { to: 'newer' })).toBe('wrong_code');
    expect(await credential()).toBe('new');
    const session = sessionOf('a', 'late', name);
    expect(await store.openSession({ session, linkRevision: before.revision, quotas: loginQuotas })).toBe(false);
    const device = await store.findLink(key('device', 'one'));
    expect(device?.revision).not.toBe(before.revision);
  });

  it('a code that was used is worth nothing once its password is another one', async () => {
    await make();
    await reset('right');
    await openSession(store, sessionOf('a', 'again', name));
    expect(await reset('right', { to: 'newer' })).toBe('repeated');
    expect([await credential(), await sessions()]).toEqual(['new', ['again']]);
    await store.replaceCredential({ link: await link(), to: 'other', isSamePassword: false, session: null });
    expect(await reset('right', { to: 'newer' })).toBe('wrong_code');
    expect(await credential()).toBe('other');
  });

  it('a wrong code changes nothing, and the fifth one ends the right one', async () => {
    await make();
    for (let tries = 0; tries < 4; tries += 1) expect(await reset('wrong')).toBe('wrong_code');
    expect([await credential(), await sessions()]).toEqual(['old', ['by-name', 'by-device']]);
    await make();
    for (let tries = 0; tries < 5; tries += 1) expect(await reset('wrong')).toBe('wrong_code');
    expect(await reset('right')).toBe('wrong_code');
    expect(await credential()).toBe('old');
  });

  it('of many tries at once no more than the tries are compared', async () => {
    await make({ tries: 3 });
    const hashes = Array.from({ length: 20 }, (_, at) => (at < 12 ? `wrong-${at}` : 'right'));
    const done = await Promise.all(hashes.map((hash) => reset(hash)));
    expect(done.filter((is) => is === 'reset').length).toBeLessThanOrEqual(1);
    await make({ tries: 3 });
    await Promise.all(hashes.slice(0, 12).map((hash) => reset(hash)));
    expect(await reset('right')).toBe('wrong_code');
  });

  it('a code that nobody can guess is used up by no tries', async () => {
    await make({ kind: 'support', tries: null });
    for (let tries = 0; tries < 12; tries += 1) await reset('wrong', { kind: 'support' });
    expect(await reset('right')).toBe('wrong_code');
    expect(await reset('right', { kind: 'support' })).toBe('reset');
  });

  it('the second code of a kind takes the place of the first, and none of another kind', async () => {
    await make({ hash: 'first' });
    await make({ kind: 'support', hash: 'told', tries: null });
    await make({ hash: 'second' });
    expect(await reset('first')).toBe('wrong_code');
    expect(await reset('told')).toBe('wrong_code');
    expect(await reset('told', { kind: 'support' })).toBe('reset');
    expect(await reset('second')).toBe('wrong_code');
  });

  it('a code counts until it expires, and is removed then', async () => {
    await make();
    expect(await reset('right', { now: 100 })).toBe('wrong_code');
    expect(await reset('right', { now: 99 })).toBe('reset');
    await make({ now: 100, expiresAt: 200 });
    const sweep = (now: number) => store.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 10 });
    expect([await sweep(199), await sweep(200)]).toEqual([0, 1]);
  });

  const ends: { [what: string]: () => Promise<unknown> } = {
    'another password': async () =>
      store.replaceCredential({ link: await link(), to: 'other', isSamePassword: false, session: null }),
    'a sign-out everywhere': () => store.endSessions(owner('a')),
    async 'another owner'() {
      await account('b', newLink('custom', 'b'));
      const moved = { owner: owner('b'), link: newLink('name', 'ada'), now: 1, quotas: loginQuotas };
      await store.restoreAccount(moved);
    },
    'a deletion': () =>
      store.deleteAccount({
        session: { ...owner('a'), sessionId: null },
        recovery: newLink('recovery', 'code'),
        now: 3,
      }),
    'the end of the link': () => store.unlinkMethod({ owner: owner('a'), session: null, method: 'name' }),
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`${what} ends a code, and the link that was seen gets none`, async () => {
      const before = await link();
      await make();
      await end();
      const after = await store.findLink(name);
      expect(await reset('right')).toBe('wrong_code');
      expect(await make({ link: before })).toBe('link_changed');
      expect(await reset('right')).toBe('wrong_code');
      expect(await store.findLink(name)).toEqual(after);
    });
  }

  it('a deleted account gets no code', async () => {
    const session = { ...owner('a'), sessionId: null };
    await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 3 });
    expect(await make()).toBe('link_changed');
  });

  it('of two right codes at once one resets', async () => {
    await make();
    const done = await Promise.all([reset('right', { to: 'one' }), reset('right', { to: 'two' })]);
    expect(done.toSorted()).toEqual(['repeated', 'reset']);
    expect(await credential()).toBe(done[0] === 'reset' ? 'one' : 'two');
  });

  describe('of an operator', () => {
    it('is in the log without the code', async () => {
      const request = {
        ...{ link: await link(), kind: 'support' as const, hash: 'right', tries: null },
        ...{ expiresAt: 100, mailAddress: null, now: 1 },
      };
      const by = mark({ action: 'makeResetCode' });
      expect(await store.changeAsOperator({ change: 'makeCode', request, mark: by })).toBe('made');
      const log = await store.readAudit({ owner: owner('a'), after: null, max: 10 });
      expect(log).toMatchObject([{ what: { method: 'name', kind: 'support' }, after: { expiresAt: 100 } }]);
      expect(JSON.stringify(log)).not.toContain('right');
      expect(await reset('right', { kind: 'support' })).toBe('reset');
    });
  });
}
