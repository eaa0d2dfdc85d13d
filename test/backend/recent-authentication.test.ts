import * as jose from 'jose';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  authenticateForGame,
  createTestService,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  useName,
} from '../support/service.js';

const ada = { username: 'ada', password: 'correct horse' };
const minute = 60_000;
const recentMs = 15 * minute;
const ageOfTrustMs = 7 * 24 * 60 * minute;

interface Player {
  accessToken: string;
  refreshToken: string;
}

const game = { socialPlatforms: { pals: async (token: string) => (token === 'wrong' ? null : { id: token }) } };

async function withAda(options: Parameters<typeof createTestService>[0] = {}) {
  const service = createTestService({ game, ...options });
  const player = await signInGuest(service);
  await useName(service, ada, { token: player.accessToken });
  return { service, player: await useName(service, ada) };
}

/** All that is ours and makes a lasting way in, or ends the account. */
const doors: { [what: string]: (service: TestService, token: string) => ReturnType<typeof send> } = {
  'link a device': (service, token) =>
    post(service, operations.signInAsGuest.path, {}, { token, deviceId: 'device-of-a-thief' }),
  'make a recovery code': (service, token) =>
    send(service, operations.makeRecoveryCode.path, { method: 'POST', token }),
  'delete the account': (service, token) => send(service, operations.deleteAccount.path, { method: 'DELETE', token }),
};

const prove = (service: TestService, token: string, more: Record<string, unknown> = {}) =>
  post(service, operations.signInWithName.path, { ...ada, intent: 'reauthenticate', ...more }, { token });

const claimsOf = ({ accessToken }: Pick<Player, 'accessToken'>) => jose.decodeJwt(accessToken);

/** The page has started again, by the device alone. */
async function renewed(service: TestService, request: { token: string }): Promise<void> {
  request.token = (await signInGuest(service)).accessToken;
}

async function refreshed(service: TestService, { refreshToken }: Player): Promise<Player> {
  const { body } = await post(service, operations.refreshSession.path, { refresh_token: refreshToken });
  return body;
}

const required = (methods: string[]) => ({ status: 403, body: { code: 'reauthentication_required', methods } });

describe('an access token that was stolen', () => {
  it.each(Object.entries(doors))('does not %s after 15 minutes', async (_, open) => {
    const { service, player } = await withAda();
    service.backend.control.advance(recentMs + minute);
    expect(await open(service, player.accessToken)).toMatchObject(required(['name']));
    expect((await readEntries(service, player)).status).toBe(200);
    const account = await send(service, operations.readAccount.path, { token: player.accessToken });
    expect(account.body.methods.map(({ method }: { method: string }) => method)).toEqual(['device', 'name']);
  });
});

describe("the interface's own operations", () => {
  it('link a name, an identity and a social network at once, by a token of long ago', async () => {
    const { privateKey, publicKey } = await jose.generateKeyPair('ES256');
    const issuer = 'https://accounts.example';
    const keys = { keys: [await jose.exportJWK(publicKey)] };
    const identityProviders = [{ issuer, audience: 'the-game', keys }];
    const service = createTestService({ game: { ...game, identityProviders } });
    // Nobody's guest: the game's back end knows the player.
    const player = await authenticateForGame(service);
    service.backend.control.advance(recentMs + 30 * minute);
    const iat = service.clock() / 1000;
    const identity = await new jose.SignJWT({ iss: issuer, aud: 'the-game', sub: 'ada', iat, exp: iat + 60 })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey);
    const request = { token: player.accessToken };
    const links = {
      name: await post(service, operations.signInWithName.path, ada, request),
      identity: await post(service, operations.signInWithIdentityToken.path, { token: identity }, request),
      social: await post(service, operations.signInWithSocialToken.path, { token: 'ada' }, request),
    };
    for (const [method, { status, body }] of Object.entries(links)) {
      expect({ method, status, userId: body.userId }).toEqual({ method, status: 200, userId: player.userId });
      expect(body.methods).toContain(method);
    }
  });

  it('open a conflict and carry its choice out by a token of long ago', async () => {
    const { service, player } = await withAda();
    const guest = await authenticateForGame(service, { body: { device_id: 'device-two' } });
    service.backend.control.advance(recentMs + 30 * minute);
    const at = { token: guest.accessToken, deviceId: 'device-two' };
    const met = await post(service, operations.signInWithName.path, ada, at);
    expect(met).toMatchObject({ status: 409, body: { code: 'profile_conflict' } });
    const choice = { ticket: met.body.conflict.ticket, choice: 'cloud' };
    const chosen = await post(service, operations.resolveConflict.path, choice, at);
    expect(chosen).toMatchObject({ status: 200, body: { userId: player.userId } });
  });
});

describe('the time of the last authentication', () => {
  it('is in the access token, and no refresh renews it', async () => {
    const { service, player } = await withAda();
    const signedInAt = service.clock() / 1000;
    expect(claimsOf(player)).toMatchObject({ auth_time: signedInAt });
    service.backend.control.advance(10 * minute);
    const next = await refreshed(service, player);
    expect(claimsOf(next)).toMatchObject({ iat: signedInAt + 600, auth_time: signedInAt });
    service.backend.control.advance(6 * minute);
    const last = await refreshed(service, next);
    expect(claimsOf(last)).toMatchObject({ auth_time: signedInAt });
    for (const open of Object.values(doors))
      expect(await open(service, last.accessToken)).toMatchObject({ status: 403 });
  });

  it.each([{ intent: 'reauthenticate' }, { intent: 'link' }, {}])(
    'is now where the player shows a method of the account once more (%o)',
    async (how) => {
      const { service, player } = await withAda();
      service.backend.control.advance(recentMs + minute);
      const shown = await prove(service, player.accessToken, { intent: undefined, ...how });
      expect(shown).toMatchObject({ status: 200, body: { userId: player.userId } });
      expect(claimsOf(shown.body)).toMatchObject({ sid: claimsOf(player)['sid'], auth_time: service.clock() / 1000 });
      // A token that was stolen before is no more recent by that.
      for (const open of Object.values(doors)) expect((await open(service, player.accessToken)).status).toBe(403);
      const next = await refreshed(service, shown.body);
      for (const open of Object.values(doors)) expect((await open(service, next.accessToken)).status).toBe(200);
    },
  );

  it('is as long ago as the service wants it', async () => {
    const { service, player } = await withAda({ limits: { recentAuthenticationMs: 2 * minute } });
    service.backend.control.advance(2 * minute);
    expect((await doors['make a recovery code']?.(service, player.accessToken))?.status).toBe(200);
    service.backend.control.advance(1);
    expect((await doors['make a recovery code']?.(service, player.accessToken))?.status).toBe(403);
  });

  it("is that of the signed request for a player of the game's back end", async () => {
    const service = createTestService();
    const player = await authenticateForGame(service);
    service.backend.control.advance(recentMs + minute);
    const open = doors['make a recovery code'] as (typeof doors)[string];
    expect(await open(service, player.accessToken)).toMatchObject(required(['custom']));
    const again = await authenticateForGame(service);
    expect((await open(service, again.accessToken)).status).toBe(200);
  });
});

describe('to show a login method once more', () => {
  it('needs the right password, which is counted as at a sign-in', async () => {
    const { service, player } = await withAda({ limits: { rates: true } });
    service.backend.control.advance(recentMs + minute);
    for (let n = 0; n < 5; n += 1) {
      const wrong = await prove(service, player.accessToken, { password: 'wrong password' });
      expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    }
    expect((await prove(service, player.accessToken)).body.code).toBe('rate_limited');
    expect((await readEntries(service, player)).status).toBe(200);
    service.backend.control.advance(minute);
    expect((await prove(service, player.accessToken)).status).toBe(200);
  });

  it('takes no method of another account, and links none', async () => {
    const { service, player } = await withAda();
    const other = await signInGuest(service, 'device-two');
    const bob = { username: 'bob', password: 'battery staple' };
    await useName(service, bob, { token: other.accessToken });
    expect((await prove(service, player.accessToken, bob)).body.code).toBe('invalid_credentials');
    expect((await prove(service, player.accessToken, { username: 'nobody' })).body.code).toBe('invalid_credentials');
    const social = { token: 'new', intent: 'reauthenticate' };
    const request = { token: player.accessToken };
    expect((await post(service, operations.signInWithSocialToken.path, social, request)).body.code).toBe(
      'user_not_found',
    );
    const { body } = await send(service, operations.readAccount.path, request);
    expect(body.methods).toHaveLength(2);
  });

  it('can be done by any method but the device', async () => {
    const { service, player } = await withAda();
    const request = { token: player.accessToken };
    await post(service, operations.signInWithSocialToken.path, { token: 'me' }, request);
    const { code } = (await send(service, operations.makeRecoveryCode.path, { method: 'POST', ...request })).body;
    service.backend.control.advance(recentMs + minute);
    const open = doors['make a recovery code'] as (typeof doors)[string];
    expect(await open(service, player.accessToken)).toMatchObject(required(['name', 'recovery']));
    service.backend.control.advance(ageOfTrustMs);
    await renewed(service, request);
    expect(await open(service, request.token)).toMatchObject(required(['name', 'social', 'recovery']));
    const byDevice = await post(service, operations.signInAsGuest.path, {}, request);
    expect(byDevice.status).toBe(200);
    expect((await open(service, byDevice.body.accessToken)).status).toBe(403);
    const signedIn = await signInGuest(service);
    expect((await open(service, signedIn.accessToken)).status).toBe(403);
    service.backend.control.advance(minute);
    await prove(service, signedIn.accessToken);
    expect((await open(service, signedIn.accessToken)).status).toBe(403);
    for (const [path, fields] of [
      [operations.signInWithRecoveryCode.path, { code }],
      [operations.signInWithSocialToken.path, { token: 'me' }],
    ] as const) {
      const shown = await post(service, path, { ...fields, intent: 'reauthenticate' }, request);
      expect((await open(service, shown.body.accessToken)).status).toBe(200);
      service.backend.control.advance(recentMs + minute);
    }
  });

  it('needs a session that lives', async () => {
    const { service, player } = await withAda();
    await post(service, operations.signOut.path, { refresh_token: player.refreshToken });
    expect((await prove(service, player.accessToken)).body.code).toBe('unauthorized');
  });
});

describe('a guest', () => {
  it.each(Object.entries(doors))('shows the device to %s', async (_, open) => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.advance(recentMs + minute);
    expect(await open(service, player.accessToken)).toMatchObject(required(['device']));
    const shown = await post(service, operations.signInAsGuest.path, {}, { token: player.accessToken });
    expect((await open(service, shown.body.accessToken)).status).toBe(200);
  });

  it('who has just chosen a name need not show it', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.advance(minute);
    await useName(service, ada, { token: player.accessToken });
    expect((await doors['make a recovery code']?.(service, player.accessToken))?.status).toBe(200);
  });
});

describe('to unlink a method', () => {
  const unlink = (service: TestService, token: string, method: string) =>
    send(service, pathOf(operations.unlinkMethod, { method }), { method: 'DELETE', token });

  it('wants a recent authentication, so that no stolen token makes a guest of a player', async () => {
    const { service, player } = await withAda();
    await post(service, operations.signInWithSocialToken.path, { token: 'me' }, { token: player.accessToken });
    service.backend.control.advance(ageOfTrustMs);
    // The page has started by the device alone, a moment ago.
    const stolen = await signInGuest(service);
    service.backend.control.advance(minute);
    const both = ['name', 'social'];
    const answers = await Promise.all(both.map((method) => unlink(service, stolen.accessToken, method)));
    for (const answer of answers) expect(answer).toMatchObject(required(both));
    expect(await unlink(service, stolen.accessToken, 'device')).toMatchObject(required(both));
    for (const open of Object.values(doors)) {
      expect(await open(service, stolen.accessToken)).toMatchObject(required(both));
    }
    const shown = await prove(service, stolen.accessToken);
    expect((await unlink(service, shown.body.accessToken, 'social')).status).toBe(200);
  });

  it('is done once where the answer was lost, also for the method by which the player is recent', async () => {
    const { service, player: before } = await withAda();
    await post(service, operations.signInWithSocialToken.path, { token: 'me' }, { token: before.accessToken });
    service.backend.control.advance(minute);
    const player = await useName(service, ada);
    expect((await unlink(service, player.accessToken, 'name')).status).toBe(200);
    expect((await unlink(service, player.accessToken, 'name')).body.code).toBe('not_found');
    expect(await unlink(service, player.accessToken, 'device')).toMatchObject(required(['social']));
  });
});

describe('a method that a thief has linked by a stolen token', () => {
  const thief = { token: 'thief' };
  const open = doors['make a recovery code'] as (typeof doors)[string];
  const elsewhere = { deviceId: 'device-of-a-thief' };

  async function robbed() {
    const { service, player } = await withAda();
    service.backend.control.advance(recentMs + minute);
    const at = { token: player.accessToken, ...elsewhere };
    expect((await post(service, operations.signInWithSocialToken.path, thief, at)).status).toBe(200);
    return { service, at };
  }

  it('does not count as shown once more', async () => {
    const { service, at } = await robbed();
    const again = await post(service, operations.signInWithSocialToken.path, thief, at);
    expect(again.status).toBe(200);
    expect(await open(service, again.body.accessToken)).toMatchObject(required(['name']));
    const asked = { ...thief, intent: 'reauthenticate' };
    expect(await post(service, operations.signInWithSocialToken.path, asked, at)).toMatchObject(required(['name']));
  });

  it('opens sessions that are not recent', async () => {
    const { service, at } = await robbed();
    const { body } = await post(service, operations.signInWithSocialToken.path, thief, elsewhere);
    expect(body.userId).toBe(jose.decodeJwt(at.token).sub);
    for (const door of Object.values(doors)) {
      expect(await door(service, body.accessToken)).toMatchObject(required(['name']));
    }
    const since = { unlink_since: 0 };
    const out = await post(service, operations.signOutOthers.path, since, { token: body.accessToken });
    expect(out).toMatchObject(required(['name']));
  });

  it('takes nothing from a session that is recent', async () => {
    const { service, at } = await robbed();
    const shown = await prove(service, at.token);
    const request = { ...thief, intent: 'reauthenticate' };
    const token = shown.body.accessToken;
    expect((await post(service, operations.signInWithSocialToken.path, request, { token })).status).toBe(403);
    const next = await refreshed(service, shown.body);
    expect((await open(service, next.accessToken)).status).toBe(200);
  });

  it('counts after seven days, which its owner has to notice it in', async () => {
    const { service } = await robbed();
    service.backend.control.advance(ageOfTrustMs - 1);
    const early = await post(service, operations.signInWithSocialToken.path, thief, elsewhere);
    expect(await open(service, early.body.accessToken)).toMatchObject(required(['name']));
    service.backend.control.advance(1);
    expect((await open(service, early.body.accessToken)).status).toBe(200);
  });
});

describe('a deletion', () => {
  it('is answered once more to the session that began it, and not to an old token of it', async () => {
    const { service, player } = await withAda();
    const open = doors['delete the account'] as (typeof doors)[string];
    service.backend.control.advance(recentMs + minute);
    const shown = await prove(service, player.accessToken);
    service.backend.control.fail({ route: 'deleteAccount', with: 'lost-answer' });
    await expect(open(service, shown.body.accessToken)).rejects.toThrow(TypeError);
    expect((await open(service, shown.body.accessToken)).status).toBe(200);
    expect(await open(service, player.accessToken)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });
});
