import { describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, signInGuest, type TestService, useName } from '../support/service.js';

const minute = 60_000;
const right = { username: 'ada', password: 'correct horse' };
const wrong = { username: 'ada', password: 'wrong password' };

async function withName(options: Parameters<typeof createTestService>[0] = {}): Promise<TestService> {
  const service = createTestService({ limits: { rates: true }, ...options });
  await useName(service, right);
  return service;
}

function tryName(service: TestService, body: Record<string, unknown>, address?: string) {
  return post(service, operations.signInWithName.path, body, address === undefined ? {} : { address });
}

describe('rate limits', () => {
  it('are off unless they are asked for', async () => {
    const service = await withName({ limits: {} });
    for (let attempt = 0; attempt < 20; attempt += 1) {
      expect((await tryName(service, wrong, '192.0.2.1')).status).toBe(401);
    }
    for (let device = 0; device < 40; device += 1)
      await signInGuest(service, `device-${device}`, { address: '192.0.2.1' });
  });

  it('lock a name after five wrong passwords in a minute, the right one too, and longer each time', async () => {
    const service = await withName();
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await tryName(service, wrong)).status).toBe(401);
    const locked = await tryName(service, right);
    expect(locked).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfterMs: minute } });
    expect(locked.headers.get('retry-after')).toBe('60');
    service.backend.control.advance(minute);
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await tryName(service, wrong)).status).toBe(401);
    expect((await tryName(service, wrong)).body.retryAfterMs).toBe(2 * minute);
    service.backend.control.advance(2 * minute);
    expect((await tryName(service, right)).status).toBe(200);
    for (let attempt = 0; attempt < 5; attempt += 1) expect((await tryName(service, wrong)).status).toBe(401);
    expect((await tryName(service, wrong)).body.retryAfterMs).toBe(minute);
  });

  it('let no more than five of a hundred passwords at once be tried', async () => {
    const service = await withName();
    const answers = await Promise.all(Array.from({ length: 100 }, () => tryName(service, wrong)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(95);
  });

  it('take ten wrong passwords of an address in ten minutes, whatever the names', async () => {
    const service = await withName();
    for (let name = 0; name < 12; name += 1) await useName(service, { ...right, username: `name-${name}` });
    const at = (name: number, address: string) =>
      post(
        service,
        operations.signInWithName.path,
        { ...wrong, username: `name-${name}` },
        { address, deviceId: 'device-of-a-stranger' },
      );
    for (let name = 0; name < 10; name += 1) expect((await at(name, '192.0.2.1')).status).toBe(401);
    expect((await at(10, '192.0.2.1')).status).toBe(429);
    expect((await at(11, '192.0.2.2')).status).toBe(401);
    service.backend.control.advance(10 * minute);
    expect((await at(10, '192.0.2.1')).status).toBe(401);
  });

  it('do not count what was right', async () => {
    const service = await withName();
    for (let attempt = 0; attempt < 30; attempt += 1) {
      expect((await tryName(service, right, '192.0.2.1')).status).toBe(200);
    }
  });

  it('take so many new accounts of an address an hour, and known ones without end', async () => {
    const service = createTestService({ limits: { rates: { newGuestsPerAddressPerHour: 30 } } });
    const guest = (device: number, address: string) =>
      post(service, operations.signInAsGuest.path, {}, { deviceId: `device-${device}`, address });
    for (let device = 0; device < 30; device += 1) expect((await guest(device, '192.0.2.1')).status).toBe(200);
    expect((await guest(30, '192.0.2.1')).status).toBe(429);
    expect((await tryName(service, right, '192.0.2.1')).status).toBe(429);
    expect((await guest(0, '192.0.2.1')).status).toBe(200);
    expect((await guest(30, '192.0.2.2')).status).toBe(200);
    service.backend.control.advance(60 * minute);
    expect((await guest(31, '192.0.2.1')).status).toBe(200);
  });

  it('go by the socket, and by what a proxy says only where it is trusted', async () => {
    const rates = { newGuestsPerAddressPerHour: 1 };
    const ask = (service: TestService, device: string, forwarded: string) =>
      service.backend.fetch(
        new Request(`${service.authUrl}${operations.signInAsGuest.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
          body: JSON.stringify({ game_id: service.gameId, env: 0, device_id: device }),
        }),
        { address: '10.0.0.1' },
      );
    const untrusting = createTestService({ limits: { rates } });
    expect((await ask(untrusting, 'device-one', '192.0.2.1')).status).toBe(200);
    expect((await ask(untrusting, 'device-two', '192.0.2.2')).status).toBe(429);

    const trusting = createTestService({ limits: { rates }, trustedProxies: ['10.0.0.1', '10.0.0.2'] });
    expect((await ask(trusting, 'device-one', '192.0.2.1')).status).toBe(200);
    expect((await ask(trusting, 'device-two', '192.0.2.2, 10.0.0.2')).status).toBe(200);
    // What the player wrote there counts for nothing.
    expect((await ask(trusting, 'device-three', '203.0.113.5, 192.0.2.1')).status).toBe(429);
  });

  it('count a proxy that writes ports as one address, and a household with IPv6 as one', async () => {
    const rates = { newGuestsPerAddressPerHour: 1 };
    const service = createTestService({ limits: { rates }, trustedProxies: (address) => address === '10.0.0.1' });
    let devices = 0;
    const statusFor = async (forwarded: string) => {
      devices += 1;
      const request = new Request(`${service.authUrl}${operations.signInAsGuest.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': forwarded },
        body: JSON.stringify({ game_id: service.gameId, env: 0, device_id: `device-${devices}` }),
      });
      return (await service.backend.fetch(request, { address: '10.0.0.1' })).status;
    };
    expect(await statusFor('192.0.2.1:1000')).toBe(200);
    expect(await statusFor('192.0.2.1:2000')).toBe(429);
    expect(await statusFor('2001:db8:0:1::1')).toBe(200);
    expect(await statusFor('[2001:0DB8:0000:0001:ffff::2]:443')).toBe(429);
    expect(await statusFor('2001:db8:0:2::1')).toBe(200);
    expect(await statusFor('::ffff:192.0.2.9')).toBe(200);
    expect(await statusFor('::ffff:192.0.2.10')).toBe(200);
    // The proxy's own address counts for what is none.
    expect(await statusFor('not an address: at all')).toBe(200);
    expect(await statusFor('unknown')).toBe(429);
    expect(await statusFor(`192.0.2.11, ${'x'.repeat(5_000)}`)).toBe(429);
  });

  it('count names that an account tries to link: each answer tells whether somebody has it', async () => {
    const service = createTestService({ limits: { rates: true } });
    const { accessToken: token } = await signInGuest(service, 'device-one');
    const link = (username: string) =>
      post(service, operations.signInWithName.path, { ...right, username }, { token, address: '192.0.2.1' });
    expect((await link('ada')).status).toBe(200);
    for (let name = 0; name < 10; name += 1) expect((await link(`name-${name}`)).status).toBe(409);
    expect((await link('name-10')).status).toBe(429);
  });
});
