import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogRecord, SocialVerifier } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  post,
  send,
  signInGuest,
  type TestService,
  testGameId,
  testStart,
} from '../support/service.js';

afterEach(() => {
  vi.useRealTimers();
});

/** A network whose tokens are `<id>-token`. */
const network: SocialVerifier = async (token) => {
  const id = /^(\w+)-token$/.exec(token)?.[1];
  return id === undefined ? null : { id };
};

function useToken(
  service: TestService,
  body: { token: string; platform?: string },
  request: { token?: string; deviceId?: string } = {},
) {
  return post(service, operations.signInWithSocialToken.path, body, request);
}

describe('a social token', () => {
  it('links by platform and id, and signs in from anywhere', async () => {
    const service = createTestService({ game: { socialPlatforms: { chirp: network, face: network } } });
    const guest = await signInGuest(service);
    const token = 'ada-token';
    const linked = await useToken(service, { token, platform: 'chirp' }, { token: guest.accessToken });
    expect(linked.body).toMatchObject({ userId: guest.userId, methods: ['device', 'social'] });
    const { body } = await send(service, operations.readAccount.path, { token: guest.accessToken });
    expect(body.methods[1]).toMatchObject({ method: 'social', label: 'chirp' });
    const elsewhere = { deviceId: 'device-two' };
    expect((await useToken(service, { token, platform: 'chirp' }, elsewhere)).body.userId).toBe(guest.userId);
    expect((await useToken(service, { token, platform: 'face' }, elsewhere)).body.userId).not.toBe(guest.userId);
  });

  it('that another account owns makes a conflict', async () => {
    const service = createTestService({ game: { socialPlatforms: { chirp: network } } });
    await useToken(service, { token: 'ada-token' }, { deviceId: 'device-one' });
    const guest = await signInGuest(service, 'device-two');
    const request = { token: guest.accessToken, deviceId: 'device-two' };
    const conflict = await useToken(service, { token: 'ada-token' }, request);
    expect(conflict).toMatchObject({ status: 409, body: { code: 'profile_conflict', conflict: { method: 'social' } } });
  });

  it('need not name the one platform that there is, but must name one of several', async () => {
    const one = createTestService({ game: { socialPlatforms: { chirp: network } } });
    expect((await useToken(one, { token: 'ada-token' })).status).toBe(200);
    const two = createTestService({ game: { socialPlatforms: { chirp: network, face: network } } });
    for (const [service, body, platforms] of [
      [two, { token: 'ada-token' }, ['chirp', 'face']],
      [one, { token: 'ada-token', platform: 'face' }, ['chirp']],
      [one, { token: 'ada-token', platform: 'toString' }, ['chirp']],
      [createTestService(), { token: 'ada-token' }, []],
    ] as const) {
      const answer = await useToken(service, body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'platform_not_registered', platforms } });
    }
  });

  it('that the platform does not know is refused, and costs nothing', async () => {
    const service = createTestService({ game: { socialPlatforms: { chirp: network } } });
    const guest = await signInGuest(service);
    const wrong = await useToken(service, { token: 'nonsense' }, { token: guest.accessToken });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    expect((await send(service, operations.readAccount.path, { token: guest.accessToken })).status).toBe(200);
  });

  it('waits where the platform cannot be asked; the operator is told, but not the token', async () => {
    const records: LogRecord[] = [];
    const chirp: SocialVerifier = (token) => {
      throw new RangeError(`cannot ask about ${token}`);
    };
    const service = createTestService({ game: { socialPlatforms: { chirp } }, log: (record) => records.push(record) });
    const answer = await useToken(service, { token: 'ada-token' });
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(records[0]).toMatchObject({ kind: 'error', name: 'RangeError' });
    expect(JSON.stringify([records, answer.body])).not.toContain('ada-token');
  });

  it('is checked with the game, the environment and the time that it is for', async () => {
    const seen: unknown[] = [];
    const chirp: SocialVerifier = (_, context) => {
      seen.push(context);
      return { id: 'ada' };
    };
    const service = createTestService({ game: { socialPlatforms: { chirp } } });
    await useToken(service, { token: 'ada-token' });
    const signal = expect.any(AbortSignal);
    expect(seen).toEqual([{ gameId: testGameId, environment: 0, now: testStart, signal }]);
  });

  it('whose verifier does not settle is refused in time, and what it finds later is ignored', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const records: LogRecord[] = [];
    let settle: (player: { id: string }) => void = () => {};
    let begin: (signal: AbortSignal | undefined) => void = () => {};
    const begun = new Promise<AbortSignal | undefined>((resolve) => {
      begin = resolve;
    });
    const chirp: SocialVerifier = (_, { signal }) => {
      begin(signal);
      return new Promise((resolve) => {
        settle = resolve;
      });
    };
    const service = createTestService({
      game: { socialPlatforms: { chirp } },
      limits: { verifierMs: 3_000 },
      log: (record) => records.push(record),
    });
    const asked = useToken(service, { token: 'ada-token' });
    const signal = await begun;
    await vi.advanceTimersByTimeAsync(2_999);
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await asked).toMatchObject({ status: 503, body: { code: 'unavailable', limitName: 'verifierMs' } });
    expect(signal?.aborted).toBe(true);
    expect(records[0]).toMatchObject({
      kind: 'error',
      name: 'NoAnswerInTime',
      message: expect.stringContaining('chirp'),
    });
    settle({ id: 'ada' });
  });

  it('whose verifier gives an id that is too long makes nothing', async () => {
    const lengths: { [token: string]: number } = { long: 256, longer: 257 };
    const chirp: SocialVerifier = (token) => ({ id: 'x'.repeat(lengths[token] ?? 0) });
    const service = createTestService({ game: { socialPlatforms: { chirp } } });
    const { accessToken: token } = await signInGuest(service);
    for (const request of [{}, { token }]) {
      const refused = await useToken(service, { token: 'longer' }, request);
      expect(refused).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    }
    expect((await useToken(service, { token: 'long' }, { token })).status).toBe(200);
  });

  it('whose verifier gives no id is refused', async () => {
    for (const wrong of [undefined, {}, { id: '' }, { id: 5 }, true]) {
      const chirp = (() => wrong) as never;
      const service = createTestService({ game: { socialPlatforms: { chirp } } });
      expect((await useToken(service, { token: 'ada-token' })).body.code).toBe('invalid_credentials');
    }
  });
});
