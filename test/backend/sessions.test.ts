import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  useName,
} from '../support/service.js';

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

function refresh(service: TestService, token: string, more: Record<string, unknown> = {}) {
  return post(service, operations.refreshSession.path, { refresh_token: token, ...more });
}

async function refreshed(service: TestService, token: string): Promise<{ accessToken: string; refreshToken: string }> {
  const { status, body } = await refresh(service, token);
  expect(status).toBe(200);
  return body;
}

describe('an access token', () => {
  it('can be checked by anyone against the published keys', async () => {
    const service = createTestService({ issuer: 'https://saves.test' });
    const { accessToken, userId } = await signInGuest(service);
    const { body: keys, headers } = await send(service, operations.readPublicKeys.path);
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(JSON.stringify(keys)).not.toContain('"d"');
    const { payload, protectedHeader } = await jwtVerify(accessToken, createLocalJWKSet(keys), {
      issuer: 'https://saves.test',
      audience: service.gameId,
      currentDate: new Date(service.clock()),
    });
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: keys.keys[0].kid });
    expect(payload).toMatchObject({ sub: userId, env: 0, exp: service.clock() / second + 3600 });
  });

  it('ends after an hour', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.advance(hour - second);
    expect((await readEntries(service, player)).status).toBe(200);
    service.backend.control.advance(second);
    expect(await readEntries(service, player)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  });

  it('is refused where it is forged, of another kind, or no token at all', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const { privateKey } = await generateKeyPair('ES256');
    const claims = decodeJwt(player.accessToken);
    const header = decodeProtectedHeader(player.accessToken);
    const forged = await new SignJWT(claims).setProtectedHeader({ ...header, alg: 'ES256' }).sign(privateKey);
    const [, payload] = player.accessToken.split('.');
    const none = `${btoa('{"alg":"none","typ":"at+jwt"}')}.${payload}.`;
    for (const accessToken of [forged, none, player.refreshToken, 'nonsense', `${player.accessToken}x`]) {
      const answer = await readEntries(service, { accessToken });
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    }
    expect((await refresh(service, player.accessToken)).status).toBe(401);
  });

  it('of another service is refused', async () => {
    const stranger = await signInGuest(createTestService());
    const service = createTestService();
    expect((await readEntries(service, stranger)).status).toBe(401);
    expect((await refresh(service, stranger.refreshToken)).status).toBe(401);
  });

  it('for another game or environment is refused as that', async () => {
    const other = { id: 'bbbbbbbb-0000-4000-8000-000000000000', privateKeys: ['another key'] };
    const first = { id: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', privateKeys: ['key'] };
    const service = createTestService({ games: [first, other] });
    const player = await signInGuest(service);
    const body = { username: 'ada', password: 'correct horse' };
    const { accessToken: token, refreshToken } = player;
    for (const [more, environment, code] of [
      [{ game_id: other.id }, 0, 'wrong_game'],
      [{}, 1, 'wrong_env'],
    ] as const) {
      const linked = await post(service, operations.signInWithName.path, { ...body, ...more }, { token, environment });
      expect(linked).toMatchObject({ status: 403, body: { code } });
      const renewed = await refresh(service, refreshToken, { ...more, env: environment });
      expect(renewed).toMatchObject({ status: 403, body: { code } });
    }
    expect(await readEntries(service, player, { environment: 1 })).toMatchObject({ body: { code: 'wrong_env' } });
    const elsewhere = { ...service, gameId: other.id };
    expect(await readEntries(elsewhere, player)).toMatchObject({ body: { code: 'wrong_game' } });
  });
});

describe('a refresh token', () => {
  it('gives new tokens of the same session', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.advance(2 * hour);
    const next = await refreshed(service, player.refreshToken);
    expect(next).toMatchObject({ userId: player.userId, methods: ['device'], time: service.clock() });
    expect(next.refreshToken).not.toBe(player.refreshToken);
    expect(decodeJwt(next.accessToken)['sid']).toBe(decodeJwt(player.accessToken)['sid']);
    expect((await readEntries(service, next)).status).toBe(200);
  });

  it('gives one successor to fifty requests at once', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const answers = await Promise.all(Array.from({ length: 50 }, () => refreshed(service, player.refreshToken)));
    expect(new Set(answers.map(({ refreshToken }) => refreshToken)).size).toBe(1);
  });

  it('is honoured until its successor is used, however late', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const lost = await refreshed(service, player.refreshToken);
    service.backend.control.advance(29 * day);
    expect((await refreshed(service, player.refreshToken)).refreshToken).toBe(lost.refreshToken);
  });

  it('is honoured for 30 s more after that, and ends the session later', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const next = await refreshed(service, player.refreshToken);
    const last = await refreshed(service, next.refreshToken);
    service.backend.control.advance(30 * second);
    expect((await refreshed(service, player.refreshToken)).refreshToken).toBe(next.refreshToken);
    service.backend.control.advance(1);
    const reused = await refresh(service, player.refreshToken);
    expect(reused).toMatchObject({ status: 401, body: { code: 'refresh_token_reused' } });
    expect((await refresh(service, last.refreshToken)).status).toBe(401);
    expect((await readEntries(service, last)).status).toBe(401);
  });

  it('from three rotations ago ends the session, and no other one', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const other = await signInGuest(service);
    let latest = player.refreshToken;
    for (let rotation = 0; rotation < 3; rotation += 1) {
      latest = (await refreshed(service, latest)).refreshToken;
      service.backend.control.advance(31 * second);
    }
    expect((await refresh(service, player.refreshToken)).body.code).toBe('refresh_token_reused');
    expect((await refresh(service, other.refreshToken)).status).toBe(200);
  });

  it('with three successors ends the session, however short the time was', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const second = await refreshed(service, player.refreshToken);
    const third = await refreshed(service, second.refreshToken);
    expect((await refreshed(service, player.refreshToken)).refreshToken).toBe(second.refreshToken);
    const fourth = await refreshed(service, third.refreshToken);
    expect((await refresh(service, player.refreshToken)).body.code).toBe('refresh_token_reused');
    expect((await refresh(service, fourth.refreshToken)).status).toBe(401);
    expect((await readEntries(service, fourth)).status).toBe(401);
  });

  it('that a copy of it follows is noticed at the third successor', async () => {
    const service = createTestService();
    let { refreshToken: owner } = await signInGuest(service);
    let copy = owner;
    const codes: (string | undefined)[] = [];
    while (codes.length < 720 && !codes.includes('refresh_token_reused')) {
      service.backend.control.advance(hour / 2);
      owner = (await refreshed(service, owner)).refreshToken;
      service.backend.control.advance(hour / 2);
      const { body } = await refresh(service, copy);
      copy = body.refreshToken;
      codes.push(body.code);
    }
    expect(codes).toEqual([undefined, undefined, 'refresh_token_reused']);
    expect((await refresh(service, owner)).status).toBe(401);
  });

  it('whose answers are lost again and again costs nothing, as long as the player gets on', async () => {
    const service = createTestService();
    let { refreshToken: latest } = await signInGuest(service);
    for (let day = 0; day < 20; day += 1) {
      // A page that is closed too early, some times over, and a second try within its time at every rotation.
      const tries = day % 3 === 2 ? 1 : 4;
      let next = latest;
      for (let attempt = 0; attempt < tries; attempt += 1) {
        service.backend.control.advance(hour);
        await refreshed(service, latest);
        service.backend.control.advance(20 * second);
        next = (await refreshed(service, latest)).refreshToken;
      }
      latest = next;
    }
    expect((await refresh(service, latest)).status).toBe(200);
  });

  it('slides for 30 days at a time, and ends after 365', async () => {
    const service = createTestService();
    const { refreshToken } = await signInGuest(service);
    let latest = refreshToken;
    for (let days = 0; days < 348; days += 29) {
      service.backend.control.advance(29 * day);
      latest = (await refreshed(service, latest)).refreshToken;
    }
    service.backend.control.advance(17 * day - second);
    latest = (await refreshed(service, latest)).refreshToken;
    service.backend.control.advance(second);
    expect(await refresh(service, latest)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  });

  it('that was not used for 30 days has expired', async () => {
    const service = createTestService();
    const { refreshToken } = await signInGuest(service);
    service.backend.control.advance(30 * day);
    expect(await refresh(service, refreshToken)).toMatchObject({ status: 401, body: { code: 'token_expired' } });
  });

  it('whose answer is lost costs nothing', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.fail({ route: 'refreshSession', with: 'lost-answer' });
    await expect(refresh(service, player.refreshToken)).rejects.toThrow(TypeError);
    const again = await refreshed(service, player.refreshToken);
    expect((await refresh(service, again.refreshToken)).status).toBe(200);
  });

  it('is the latest one in the answer to a link, even after a lost refresh', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const lost = await refreshed(service, player.refreshToken);
    const name = { username: 'ada', password: 'correct horse' };
    const linked = await useName(service, name, { token: player.accessToken });
    expect(linked.refreshToken).toBe(lost.refreshToken);
  });
});

describe('signing out', () => {
  it('ends the session by its refresh token or its access token, once and again', async () => {
    const service = createTestService();
    for (const how of ['refresh', 'access'] as const) {
      const player = await signInGuest(service);
      const other = await signInGuest(service);
      const body = how === 'refresh' ? { refresh_token: player.refreshToken } : {};
      const request = how === 'refresh' ? {} : { token: player.accessToken };
      for (const _ of [1, 2]) {
        expect((await post(service, operations.signOut.path, body, request)).status).toBe(204);
      }
      expect(await readEntries(service, player)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect((await refresh(service, player.refreshToken)).status).toBe(401);
      expect((await readEntries(service, other)).status).toBe(200);
    }
  });

  it('with nothing to tell whose session is refused', async () => {
    const service = createTestService();
    expect((await post(service, operations.signOut.path, {})).status).toBe(401);
    expect((await post(service, operations.signOut.path, { refresh_token: 'nonsense' })).status).toBe(401);
  });

  it('with a used refresh token ends the session as well', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const next = await refreshed(service, player.refreshToken);
    expect((await post(service, operations.signOut.path, { refresh_token: player.refreshToken })).status).toBe(204);
    expect((await readEntries(service, next)).status).toBe(401);
  });
});
