import { beforeEach, describe, expect, it } from 'vitest';
import type { SignInByCodeRequest } from '../../../src/backend/stores/code-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { key, loginQuotas, newLink, newSession, owner, scope, sessionOf, stepsOn } from './contract-records.js';
import { mark } from './operators-contract.js';

/** Codes by which an operator lets a player into an account once, on a device that does not lead there. */
export function describeSignInCodes(create: () => Store | Promise<Store>): void {
  let store: Store;
  let sessions = 0;
  const { account, methodsOf, orphan, orphanedAt } = stepsOn(() => store);

  const make = (hash: string, { accountId = 'a', expiresAt = 100 } = {}) =>
    store.changeAsOperator({
      change: 'makeSignInCode',
      request: { owner: owner(accountId), hash, expiresAt },
      mark: mark({ action: 'makeSignInCode' }),
    });
  const signIn = (hash: string, device = 'new', more: Partial<SignInByCodeRequest> = {}) => {
    sessions += 1;
    const { method, subject } = key('recovery', 'shown');
    return store.signInByCode({
      scope,
      hashes: ['by another key', hash],
      usedHashes: [`${hash} on ${device}`, `by another key on ${device}`],
      session: { ...scope, ...newSession(`by-code-${sessions}`), method, subject, device, revision: 0 },
      device: newLink('device', device),
      quotas: loginQuotas,
      now: 2,
      ...more,
    });
  };
  const outcome = async (...asked: Parameters<typeof signIn>) => (await signIn(...asked)).outcome;
  const sessionIds = async (accountId = 'a') =>
    (await store.listSessions(owner(accountId))).map(({ sessionId }) => sessionId);

  beforeEach(async () => {
    store = await create();
    sessions = 0;
    await account('a', newLink('device', 'gone'));
  });

  it('a right code opens a session of its account, and links the device', async () => {
    expect(await make('right')).toBe('made');
    const done = await signIn('right');
    expect(done).toMatchObject({
      outcome: 'opened',
      session: { ...owner('a'), sessionId: 'by-code-1', device: 'new' },
    });
    expect(await store.listSessions(owner('a'))).toMatchObject([{ sessionId: 'by-code-1', method: 'recovery' }]);
    expect(await methodsOf('a')).toEqual([
      ['device', 'gone'],
      ['device', 'new'],
    ]);
  });

  it('counts once, and on the device that has used it again', async () => {
    await make('right');
    expect(await outcome('right')).toBe('opened');
    expect(await outcome('right', 'other')).toBe('wrong_code');
    expect(await outcome('right')).toBe('opened');
    expect(await outcome('right')).toBe('opened');
    expect(await methodsOf('a')).toHaveLength(2);
    expect(await sessionIds()).toEqual(['by-code-1', 'by-code-3', 'by-code-4']);
  });

  it('of many devices at once lets one in', async () => {
    await make('right');
    const done = await Promise.all(['one', 'two', 'three', 'four'].map((device) => outcome('right', device)));
    expect(done.toSorted()).toEqual(['opened', 'wrong_code', 'wrong_code', 'wrong_code']);
    expect(await methodsOf('a')).toHaveLength(2);
  });

  it('lets the device in that asks twice at once', async () => {
    await make('right');
    expect(await Promise.all([outcome('right'), outcome('right')])).toEqual(['opened', 'opened']);
    expect(await methodsOf('a')).toHaveLength(2);
  });

  it('is any other than the latest of its account worth nothing', async () => {
    await make('first');
    await make('second');
    await account('b', newLink('device', 'of b'));
    await make('other', { accountId: 'b' });
    expect(await outcome('first')).toBe('wrong_code');
    expect(await outcome('wrong')).toBe('wrong_code');
    expect(await signIn('second')).toMatchObject({ session: { accountId: 'a' } });
    expect(await signIn('other')).toMatchObject({ session: { accountId: 'b' } });
  });

  it('counts until it expires, and is removed then', async () => {
    await make('right');
    expect(await outcome('right', 'new', { now: 100 })).toBe('wrong_code');
    const sweep = (now: number) => store.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 10 });
    expect([await sweep(99), await sweep(100)]).toEqual([0, 1]);
  });

  it('leaves a device where it leads', async () => {
    await account('b', newLink('device', 'of b'));
    await make('right');
    expect(await signIn('right', 'of b')).toMatchObject({ outcome: 'opened', session: { accountId: 'a' } });
    expect(await methodsOf('a')).toEqual([['device', 'gone']]);
    expect(await methodsOf('b')).toEqual([['device', 'of b']]);
  });

  it('makes an orphan none by a device that is free, and a younger one by another', async () => {
    await orphan('gone', 1);
    expect(await orphanedAt('a')).toBe(1);
    await account('b', newLink('device', 'of b'));
    await make('right');
    await signIn('right', 'of b', { now: 50 });
    expect(await orphanedAt('a')).toBe(50);
    await make('again');
    await signIn('again', 'new', { now: 60 });
    expect(await orphanedAt('a')).toBeNull();
  });

  it('keeps an account that nothing leads to for as long as a session of it lives', async () => {
    await orphan('gone', 1);
    await account('b', newLink('device', 'of b'));
    await make('right');
    await signIn('right', 'of b', { now: 50 });
    const { expiresAt } = (await store.listSessions(owner('a')))[0] ?? { expiresAt: 0 };
    const sweep = (now: number, batch = 10) =>
      store.removeExpired({ now, orphanedBefore: 60, deletedBefore: 0, batch });
    // It stands in the way of no other one.
    await account('c', newLink('device', 'of c'));
    await orphan('of c', 55);
    for (let time = 0; time < 5; time += 1) await sweep(expiresAt - 1, 1);
    expect([await orphanedAt('a'), await orphanedAt('c')]).toEqual([50, undefined]);
    await sweep(expiresAt);
    await sweep(expiresAt);
    expect(await orphanedAt('a')).toBeUndefined();
  });

  it('makes room for the session and the device', async () => {
    const quotas = { devices: 1, sessions: 1 };
    const first = sessionOf('a', 'first', key('device', 'gone'), 'gone');
    const link = await store.findLink(key('device', 'gone'));
    await store.openSession({ session: first, linkRevision: link?.revision ?? 0, quotas: loginQuotas });
    await make('right');
    await signIn('right', 'new', { quotas });
    expect(await methodsOf('a')).toEqual([['device', 'new']]);
    expect(await sessionIds()).toEqual(['by-code-1']);
  });

  it('lets nobody into an account whose player is banned, and is not used up by that', async () => {
    const by = mark({ action: 'ban' });
    const ban = { at: 1, until: 50, reason: 'cheating' };
    await store.changeAsOperator({ change: 'banAccount', request: { owner: owner('a'), ban }, mark: by });
    await make('right');
    expect(await signIn('right')).toEqual({ outcome: 'banned', owner: owner('a') });
    expect(await sessionIds()).toEqual([]);
    expect(await outcome('right', 'other', { now: 60 })).toBe('opened');
  });

  const ends: { [what: string]: () => Promise<unknown> } = {
    'a sign-out everywhere': () => store.endSessions(owner('a')),
    'a ban': () =>
      store.changeAsOperator({
        change: 'banAccount',
        request: { owner: owner('a'), ban: { at: 1, until: 2, reason: 'cheating' } },
        mark: mark({ action: 'ban' }),
      }),
    'a deletion': () =>
      store.deleteAccount({ session: { ...owner('a'), sessionId: null }, recovery: newLink('recovery', 'x'), now: 1 }),
    'the loss of the last link': () => orphan('gone', 1),
  };
  for (const [what, end] of Object.entries(ends)) {
    it(`${what} ends it, used or not`, async () => {
      await make('right');
      await end();
      expect(await outcome('right', 'new', { now: 3 })).toBe('wrong_code');
      expect(await sessionIds()).toEqual([]);
    });
  }

  it('is not there once more for the device that has used it, after a sign-out everywhere', async () => {
    await make('right');
    expect(await outcome('right')).toBe('opened');
    await store.endSessions(owner('a'));
    expect(await outcome('right')).toBe('wrong_code');
  });

  it('is made for no account that is being deleted, and for none that there is not', async () => {
    await store.deleteAccount({
      session: { ...owner('a'), sessionId: null },
      recovery: newLink('recovery', 'x'),
      now: 1,
    });
    expect([await make('right'), await make('right', { accountId: 'nobody' })]).toEqual(['no_account', 'no_account']);
    expect(await outcome('right')).toBe('wrong_code');
  });

  describe('of an operator', () => {
    it('is in the log without the code', async () => {
      await make('right');
      const log = await store.readAudit({ owner: owner('a'), after: null, max: 10 });
      expect(log).toMatchObject([{ action: 'makeSignInCode', what: { kind: 'sign_in' }, after: { expiresAt: 100 } }]);
      expect(JSON.stringify(log)).not.toContain('right');
    });
  });
}
