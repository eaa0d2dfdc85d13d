import { beforeEach, describe, expect, it } from 'vitest';
import type { LinkKey, LinkRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { key, loginQuotas, newLink, openSession, owner, sessionOf, stepsOn } from './contract-records.js';

const name = key('name', 'ada');
const device = key('device', 'one');

/** What a login method that is shown once more does to a session. */
export function describeRecent(create: () => Store | Promise<Store>): void {
  describe('a session', () => testReauthentication(create));
}

function testReauthentication(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);

  const link = async (of: LinkKey) => (await store.findLink(of)) as LinkRecord;
  const session = (sessionId = 'here', accountId = 'a') => ({ ...owner(accountId), sessionId });
  const show = async (of: LinkKey, now = 50, more: Partial<LinkRecord> = {}) =>
    store.reauthenticate({ session: session(), link: { ...(await link(of)), ...more }, now });
  const named = (accountId: string) =>
    store.linkMethod({
      quotas: loginQuotas,
      owner: owner(accountId),
      session: null,
      link: newLink('name', 'ada'),
      now: 1,
    });

  beforeEach(async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
    await account('b', newLink('device', 'two'));
    await openSession(store, sessionOf('a', 'here', device));
  });

  it('comes from the method that was shown last, since then', async () => {
    await named('a');
    const before = await store.findSession(session());
    const after = { ...before, method: 'name', subject: 'ada', authenticatedAt: 50, revision: 1 };
    expect(await show(name)).toEqual({ outcome: 'authenticated', session: after });
    expect(await store.findSession(session())).toEqual(after);
    // Another password ends it, as any session that comes from the name; to unlink the devices does not.
    await store.unlinkMethod({ owner: owner('a'), session: null, method: 'device' });
    expect(await store.findSession(session())).toEqual(after);
    await store.replaceCredential({ link: await link(name), to: 'new', isSamePassword: false, session: null });
    expect(await store.findSession(session())).toBeNull();
  });

  it('ends with what it came from before, too, whatever its player has shown since', async () => {
    const days = 7 * 24 * 60 * 60_000;
    // Characters of JSON, and one that no database keeps as it is.
    const odd = key('name', 'a"],["\\\0');
    const linkTo = (accountId: string, of: LinkKey) =>
      store.linkMethod({
        quotas: loginQuotas,
        owner: owner(accountId),
        session: null,
        link: newLink(of.method, of.subject),
        now: 1,
      });
    await linkTo('a', odd);
    await linkTo('a', key('social', 'pal'));
    await openSession(store, sessionOf('a', 'thief', odd));
    await store.replaceLink({ owner: owner('a'), session: 'thief', link: newLink('recovery', 'code'), now: 2 });
    const thief = session('thief');
    for (const of of [key('recovery', 'code'), key('social', 'pal'), key('recovery', 'code')]) {
      const shown = await store.reauthenticate({ session: thief, link: await link(of), now: days + 1 });
      expect(shown).toMatchObject({ outcome: 'authenticated', session: { method: of.method } });
    }
    const formerLinks = [
      [odd.method, odd.subject],
      ['social', 'pal'],
    ];
    const held = await store.findSession(thief);
    expect(held).toMatchObject({ method: 'recovery', formerLinks });
    expect(await store.updateSession({ ...held, expiresAt: 20_000_000 } as never)).toBe(true);
    expect(await store.findSession(thief)).toMatchObject({ formerLinks });
    await openSession(store, sessionOf('a', 'other', key('recovery', 'code')));
    await store.replaceCredential({ link: await link(odd), to: 'new', isSamePassword: false, session: null });
    expect(await store.findSession(thief)).toBeNull();
    expect(await store.findSession(session('other'))).not.toBeNull();
  });

  it('that asks itself stays, and takes along what it came from where it signs the others out', async () => {
    await named('a');
    await openSession(store, sessionOf('a', 'asking', name));
    await store.replaceLink({ owner: owner('a'), session: 'asking', link: newLink('recovery', 'code'), now: 2 });
    const asking = session('asking');
    await store.reauthenticate({ session: asking, link: await link(key('recovery', 'code')), now: 50 });
    await store.replaceCredential({ link: await link(name), to: 'new', isSamePassword: false, session: 'asking' });
    const { openedAt, authenticatedAt, expiresAt, refreshTokens } = sessionOf('a', 'next', name);
    const next = { sessionId: 'next', openedAt, authenticatedAt, expiresAt, refreshTokens };
    const signedOut = await store.signOutOthers({ session: asking, next, unlinkSince: 1_000 });
    expect(signedOut).toMatchObject({
      outcome: 'signed_out',
      session: { method: 'recovery', formerLinks: [['name', 'ada']] },
    });
    await store.replaceCredential({ link: await link(name), to: 'newer', isSamePassword: false, session: null });
    expect(await store.findSession(session('next'))).toBeNull();
  });

  it('keeps that when it is refreshed, also by one who has read it before', async () => {
    await named('a');
    const before = await store.findSession(session());
    await show(name);
    expect(await store.updateSession({ ...before, expiresAt: 20_000_000 } as never)).toBe(false);
    const shown = await store.findSession(session());
    expect(await store.updateSession({ ...shown, expiresAt: 20_000_000 } as never)).toBe(true);
    expect(await store.findSession(session())).toMatchObject({ method: 'name', authenticatedAt: 50 });
  });

  it('comes from a device only where the account has nothing better', async () => {
    await store.replaceLink({ owner: owner('a'), session: 'here', link: newLink('recovery', 'code'), now: 2 });
    expect(await show(device)).toMatchObject({ session: { method: 'device', authenticatedAt: 50, revision: 1 } });
    await named('a');
    await show(name, 60);
    const before = await store.findSession(session());
    expect(await show(device, 70)).toEqual({ outcome: 'does_not_count', session: before });
    expect(await store.findSession(session())).toEqual(before);
  });

  it('comes from a method that was linked beside an older one after seven days alone', async () => {
    await named('a');
    const social = { owner: owner('a'), session: null, link: newLink('social', 'pal'), now: 2, quotas: loginQuotas };
    await store.linkMethod(social);
    const before = await store.findSession(session());
    const days = 7 * 24 * 60 * 60_000;
    expect(await show(key('social', 'pal'), days + 1)).toEqual({ outcome: 'does_not_count', session: before });
    expect(await store.findSession(session())).toEqual(before);
    const after = { method: 'social', subject: 'pal', authenticatedAt: days + 2 };
    expect(await show(key('social', 'pal'), days + 2)).toMatchObject({ outcome: 'authenticated', session: after });
    await store.unlinkMethod({ owner: owner('a'), session: null, method: 'social' });
    await openSession(store, sessionOf('a', 'here', device));
    await store.linkMethod({ ...social, now: days });
    await store.unlinkMethod({ owner: owner('a'), session: null, method: 'name' });
    // Nothing is older.
    expect(await show(key('social', 'pal'), days + 1)).toMatchObject({ outcome: 'authenticated' });
  });

  it('takes no link that has changed, or leads elsewhere', async () => {
    await named('b');
    const before = await store.findSession(session());
    expect(await show(name)).toEqual({ outcome: 'link_changed' });
    expect(await show(name, 50, { accountId: 'a' })).toEqual({ outcome: 'link_changed' });
    const { revision } = await link(device);
    expect(await show(device, 50, { revision: revision - 1 })).toEqual({ outcome: 'link_changed' });
    expect(await store.findSession(session())).toEqual(before);
  });

  it('takes nothing once it has ended', async () => {
    const shown = await link(device);
    await store.endSession(session());
    const ended = { outcome: 'no_session' };
    expect(await store.reauthenticate({ session: session(), link: shown, now: 50 })).toEqual(ended);
    expect(await store.reauthenticate({ session: session('b'), link: shown, now: 50 })).toEqual(ended);
    await openSession(store, sessionOf('a', 'here', device));
    await store.deleteAccount({ session: session(), recovery: newLink('recovery', 'code'), now: 60 });
    expect(await store.reauthenticate({ session: session(), link: shown, now: 70 })).toEqual(ended);
  });

  it('loses against another password at the same time', async () => {
    await named('a');
    const checked = await link(name);
    const [changed, ...shown] = await Promise.all([
      store.replaceCredential({ link: checked, to: 'new', isSamePassword: false, session: null }),
      ...[1, 2, 3].map(() => store.reauthenticate({ session: session(), link: checked, now: 50 })),
    ]);
    expect(changed).toBe('replaced');
    // Whoever was first ended with the password, and whoever came later was refused.
    const left = await store.findSession(session());
    if (left === null) expect(shown.some(({ outcome }) => outcome === 'authenticated')).toBe(true);
    else expect(left).toMatchObject({ method: 'device', authenticatedAt: 1 });
  });
}
