import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import {
  type Answer,
  createTestService,
  type PlayerRequest,
  post,
  signInGuest,
  type TestService,
  useName,
} from '../support/service.js';

const minute = 60_000;
const right = { username: 'ada', password: 'correct horse' };
const wrong = { username: 'ada', password: 'wrong password' };
const home = '192.0.2.1';
/** An address of somebody who has nothing to do with the player. */
const strange = (n: number) => `203.0.113.${n}`;

/** A service where `device-one` has the name `ada`. */
async function withAda(rates: object | true = true): Promise<TestService> {
  const service = createTestService({ limits: { rates } });
  const { accessToken } = await signInGuest(service, 'device-one');
  await useName(service, right, { token: accessToken, deviceId: 'device-one' });
  return service;
}

const tryName = (service: TestService, body: Record<string, unknown>, request: PlayerRequest = {}) =>
  post(service, operations.signInWithName.path, body, { deviceId: 'device-of-a-stranger', ...request });

/** Tries as long as it is let. */
async function tryUntilRefused(service: TestService, request: PlayerRequest): Promise<number> {
  for (let tries = 0; ; tries += 1) if ((await tryName(service, wrong, request)).status === 429) return tries;
}

/** Strangers use up all tries at the name that there are for strangers. */
async function exhaustName(service: TestService): Promise<void> {
  for (let n = 0; n < 40; n += 1) expect(await tryUntilRefused(service, { address: strange(n) })).toBe(5);
}

describe('the tries at a name', () => {
  it('are used up by strangers for strangers alone: a device that knows it gets in from anywhere', async () => {
    const service = await withAda();
    await useName(service, right, { deviceId: 'device-two' });
    await exhaustName(service);
    expect((await tryName(service, right, { address: home })).status).toBe(429);
    for (const deviceId of ['device-one', 'device-two']) {
      for (const address of [home, strange(1)]) {
        expect((await tryName(service, wrong, { deviceId, address })).status).toBe(401);
        expect((await tryName(service, right, { deviceId, address })).status).toBe(200);
      }
    }
    service.backend.control.advance(60 * minute);
    expect((await tryName(service, right, { address: home })).status).toBe(200);
  });

  it('are limited on a device that knows it too, and then on no other', async () => {
    const service = await withAda();
    await useName(service, right, { deviceId: 'device-two' });
    for (const wait of [minute, 2 * minute, 4 * minute]) {
      expect(await tryUntilRefused(service, { deviceId: 'device-one', address: home })).toBe(5);
      const locked = await tryName(service, right, { deviceId: 'device-one', address: strange(1) });
      expect(locked).toMatchObject({ status: 429, body: { retryAfterMs: wait } });
      expect((await tryName(service, right, { deviceId: 'device-two', address: home })).status).toBe(200);
      expect((await tryName(service, right, { address: home })).status).toBe(200);
      service.backend.control.advance(wait);
    }
  });

  it('are not used up by a few: a new device gets in while four addresses try for four hours', async () => {
    const service = await withAda();
    for (let minutes = 0; minutes < 240; minutes += 1) {
      for (let n = 0; n < 4; n += 1) await tryUntilRefused(service, { address: strange(n) });
      expect((await tryName(service, right, { address: home, deviceId: `device-new-${minutes}` })).status).toBe(200);
      service.backend.control.advance(minute);
    }
  });

  it('belong to an address: one that is locked locks no other', async () => {
    const service = await withAda();
    expect(await tryUntilRefused(service, { address: strange(1) })).toBe(5);
    expect((await tryName(service, right, { address: strange(1) })).status).toBe(429);
    expect((await tryName(service, right, { address: strange(2), deviceId: 'another-device' })).status).toBe(200);
    expect((await tryName(service, right, { address: strange(1) })).status).toBe(429);
  });

  it('count for the addresses of one IPv6 household together', async () => {
    const service = await withAda();
    for (let n = 0; n < 5; n += 1)
      expect((await tryName(service, wrong, { address: `2001:db8:0:1::${n}` })).status).toBe(401);
    expect((await tryName(service, right, { address: '2001:db8:0:1:ffff::1' })).status).toBe(429);
    expect((await tryName(service, right, { address: '2001:db8:0:2::1' })).status).toBe(200);
  });
});

describe('a try of which nobody learns whether it was right', () => {
  it('does not count: not what is refused because too many wait', async () => {
    const service = await withAda();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        tryName(service, right, { deviceId: `new-device-${n}`, address: strange(n) }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    expect((await tryName(service, right, { address: strange(1) })).status).toBe(200);
  });

  it('does not count: not what is right, however many come at once', async () => {
    const service = await withAda();
    const school = Array.from({ length: 60 }, (_, n) => ({ deviceId: `school-device-${n}`, address: home }));
    const answers = await Promise.all(
      school.map((request, n) => tryName(service, n % 2 === 0 ? right : { ...right, username: `pupil-${n}` }, request)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
  });

  it('does not count: not that of a player who is gone before it is their turn', async () => {
    const service = await withAda();
    const leave = new AbortController();
    const gone = Array.from({ length: 40 }, () =>
      service.backend.fetch(
        new Request(`${service.authUrl}${operations.signInWithName.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ game_id: service.gameId, env: 0, device_id: 'device-of-a-stranger', ...wrong }),
          signal: leave.signal,
        }),
        { address: home },
      ),
    );
    leave.abort();
    for (const answer of await Promise.all(gone)) expect(answer.status).toBe(503);
    for (let n = 0; n < 5; n += 1) expect((await tryName(service, wrong, { address: home })).status).toBe(401);
  });

  it('does not count: not what fails after it was counted', async () => {
    const store = createMemoryStore();
    const service = createTestService({ store, limits: { rates: true } });
    await useName(service, right);
    const dump = store.dump();
    // A hash that no version has made: to check a password against it fails.
    for (const link of dump.links) link.credential = 'scrypt$3,8,1$AAAA$AAAA';
    store.load(dump);
    const statuses = [];
    for (let n = 0; n < 20; n += 1) statuses.push((await tryName(service, right, { address: home })).status);
    expect(new Set(statuses)).toEqual(new Set([500]));
    expect(store.dump().attempts.every(({ count }) => count === 0)).toBe(true);
  });
});

describe('what a stranger is answered', () => {
  const free = { username: 'zoe', password: 'wrong password' };
  /** All that an answer says, but for the id of the request. */
  const said = async (answer: ReturnType<typeof post>) => {
    const { status, headers, body } = (await answer) as Answer<Record<string, unknown>>;
    const { requestId: _, ...rest } = body;
    return { status, wait: headers.get('retry-after'), ...rest };
  };
  const modes = ['sign in', 'switch', 'restore', 'peek'] as const;
  const ask = (service: TestService, mode: (typeof modes)[number], body: object, address: string) => {
    const path = mode === 'peek' ? '/v2/auth/peek/name' : operations.signInWithName.path;
    const more = mode === 'switch' ? { intent: 'switch' } : mode === 'restore' ? { restore: true } : {};
    return said(post(service, path, { ...body, ...more }, { address, deviceId: 'device-of-a-stranger' }));
  };

  it.each(['switch'] as const)(
    'is the same for a name that there is and for one that there is not: %s',
    async (mode) => {
      const service = await withAda();
      for (let n = 0; n < 14; n += 1) {
        expect(await ask(service, mode, free, strange(1))).toEqual(await ask(service, mode, wrong, strange(2)));
        if (n % 6 === 5) service.backend.control.advance(minute);
      }
    },
  );

  it.each(['sign in', 'restore'] as const)(
    'is the same where the address may make no more accounts: %s',
    async (mode) => {
      const service = await withAda({ newGuestsPerAddressPerHour: 1 });
      for (const address of [strange(1), strange(2)]) await signInGuest(service, `guest-of-${address}`, { address });
      service.backend.control.advance(7 * minute);
      const answers = [];
      for (let n = 0; n < 14; n += 1) {
        const answer = await ask(service, mode, free, strange(1));
        expect(answer).toEqual(await ask(service, mode, wrong, strange(2)));
        answers.push(answer);
        if (n % 6 === 5) service.backend.control.advance(minute);
      }
      expect(answers[0]).toMatchObject({ status: 429, code: 'rate_limited', retryAfterMs: 53 * minute });
      expect(answers[5]).toMatchObject({ status: 429, retryAfterMs: minute });
      // The player's own device is told what is the matter.
      const own = await tryName(service, wrong, { deviceId: 'device-one', address: strange(1) });
      expect(own.body.code).toBe('invalid_credentials');
    },
  );

  it.each(modes)('is the same once the address has tried too often: %s', async (mode) => {
    const service = await withAda();
    for (const address of [strange(1), strange(2)])
      for (let n = 0; n < 10; n += 1)
        await tryName(service, { ...wrong, username: `nobody-${n}`, intent: 'switch' }, { address });
    const answer = await ask(service, mode, free, strange(1));
    expect(answer).toMatchObject({ status: 429, code: 'rate_limited', retryAfterMs: 10 * minute });
    expect(answer).toEqual(await ask(service, mode, wrong, strange(2)));
  });

  it('is the same once the address has tried too often, for a guest who wants the name as well', async () => {
    const service = await withAda();
    const link = async (body: object, n: number) => {
      const guest = { address: strange(n), deviceId: `guest-device-${n}` };
      const { accessToken: token } = await signInGuest(service, guest.deviceId, guest);
      for (let tries = 0; tries < 10; tries += 1)
        await tryName(service, { ...wrong, username: `nobody-${tries}`, intent: 'switch' }, guest);
      return said(post(service, operations.signInWithName.path, { ...body }, { ...guest, token }));
    };
    const answer = await link(free, 1);
    expect(answer).toMatchObject({ status: 429, code: 'rate_limited', retryAfterMs: 10 * minute });
    expect(answer).toEqual(await link(wrong, 2));
  });
});
