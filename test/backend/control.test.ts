import { describe, expect, it, vi } from 'vitest';
import { createControl } from '../../src/backend/control.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  post,
  readEntries,
  send,
  signInGuest,
  testPrivateKey,
  testStart,
  writeEntry,
} from '../support/service.js';

describe('the control', () => {
  it('moves the clock forward, never back', async () => {
    const service = createTestService();
    service.backend.control.advance(1_500);
    expect(service.clock()).toBe(testStart + 1_500);
    expect((await signInGuest(service)).time).toBe(testStart + 1_500);
    for (const wrong of [-1, Number.NaN, '5']) {
      expect(() => service.backend.control.advance(wrong as number)).toThrow(TypeError);
    }
  });

  it('takes the service offline before anything is carried out', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.fail({ with: 'offline' });
    await expect(writeEntry(service, player)).rejects.toThrow(TypeError);
    expect((await readEntries(service, player)).body).toEqual([]);
  });

  it('loses an answer after it was carried out', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.fail({ with: 'lost-answer' });
    await expect(writeEntry(service, player)).rejects.toThrow(TypeError);
    expect((await readEntries(service, player)).body).toHaveLength(1);
  });

  it('holds a request until it is released', async () => {
    const service = createTestService();
    service.backend.control.fail({ with: 'slow' });
    let settled = false;
    const held = signInGuest(service).finally(() => {
      settled = true;
    });
    await signInGuest(service, 'device-two');
    expect(settled).toBe(false);
    service.backend.control.release();
    expect((await held).methods).toEqual(['device']);
  });

  it('lets a held request go where it is aborted, and carries nothing out', async () => {
    const service = createTestService();
    service.backend.control.fail({ with: 'slow' });
    const abort = new AbortController();
    const body = JSON.stringify({ game_id: service.gameId, env: 0, device_id: 'device-one' });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', body, headers, signal: abort.signal };
    const held = service.backend.fetch(new Request(`${service.authUrl}${operations.signInAsGuest.path}`, init));
    abort.abort();
    await expect(held).rejects.toThrow('aborted');
    service.backend.control.release();
    expect(service.backend.control.requests[0]).toMatchObject({ route: operations.signInAsGuest.path, status: null });
  });

  it('answers what is not the interface', async () => {
    const service = createTestService();
    service.backend.control.fail({ with: 'malformed' });
    const response = await service.backend.fetch(new Request(`${service.authUrl}${operations.readPublicKeys.path}`));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html']);
  });

  it('refuses with a status, and what to wait', async () => {
    const service = createTestService();
    const ask = () => send(service, operations.readPublicKeys.path);
    const { control } = service.backend;
    control.fail({ with: { status: 503, retryAfter: 2 } });
    const unavailable = await ask();
    expect(unavailable).toMatchObject({ status: 503, body: { code: 'unavailable', retryAfterMs: 2_000 } });
    expect(unavailable.headers.get('retry-after')).toBe('2');
    for (const [status, code] of [
      [429, 'rate_limited'],
      [401, 'unauthorized'],
      [500, 'internal'],
      [502, 'internal'],
      [409, 'version_mismatch'],
    ] as const) {
      control.fail({ with: { status } });
      expect(await ask()).toMatchObject({ status, body: { code, status } });
    }
    control.fail({ with: { status: 401, code: 'token_expired' } });
    expect((await ask()).body.code).toBe('token_expired');
  });

  it('concerns one player, by the access token or the address of the private API', async () => {
    const service = createTestService();
    const [mine, others] = [await signInGuest(service), await signInGuest(service, 'device-two')];
    service.backend.control.fail({ player: mine.userId.toUpperCase(), times: 2, with: { status: 500 } });
    expect((await readEntries(service, others)).status).toBe(200);
    expect((await readEntries(service, mine)).status).toBe(500);
    const read = (userId: string) =>
      send(service, `/v2/pr/games/${service.gameId}/saves/${userId}/usage?env=0`, {
        headers: { authorization: `Bearer ${testPrivateKey}` },
      });
    expect((await read(others.userId)).status).toBe(200);
    expect((await read(mine.userId)).status).toBe(500);
    expect((await readEntries(service, mine)).status).toBe(200);
  });

  it('takes no token for a player that is none', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    service.backend.control.fail({ player: player.userId, with: { status: 500 } });
    for (const token of ['', 'a.b.c', 'x'.repeat(5_000)]) {
      const headers = { authorization: `Bearer ${token}` };
      expect((await send(service, '/v2/auth/account', { headers })).status).toBe(401);
    }
  });

  it('concerns a share of the requests, and shares of several plans add up', () => {
    let drawn = 0;
    const { control, takeFault } = createControl(() => 0, { draw: () => drawn });
    const request = { path: null, operation: null, player: () => null };
    const take = (number: number) => {
      drawn = number;
      return takeFault(request);
    };
    control.fail({ share: 0.25, times: Number.POSITIVE_INFINITY, with: 'offline' });
    control.fail({ share: 0.5, times: 2, with: 'malformed' });
    expect([0, 0.24, 0.25, 0.74, 0.75, 0.99].map(take)).toEqual([
      'offline',
      'offline',
      'malformed',
      'malformed',
      null,
      null,
    ]);
    // Two times were all that the second one had.
    expect(take(0.3)).toBeNull();
    control.fail({ with: 'lost-answer' });
    expect(take(0.99)).toBe('lost-answer');
  });

  it('holds a request for a time, and lets it go before that when it is released', async () => {
    const service = createTestService();
    const { control } = service.backend;
    control.fail({ with: { slowMs: 20 } });
    const begun = performance.now();
    await signInGuest(service);
    expect(performance.now() - begun).toBeGreaterThan(15);
    control.fail({ with: { slowMs: 2_000_000 } });
    const held = signInGuest(service);
    control.release();
    expect((await held).methods).toEqual(['device']);
  });

  it.each([
    [{ player: 'ada', with: 'offline' }, 'player must be a user id'],
    [{ share: 0, with: 'offline' }, 'share must be more than 0'],
    [{ share: 1.1, with: 'offline' }, 'share must be more than 0'],
    [{ share: Number.NaN, with: 'offline' }, 'share must be more than 0'],
    [{ with: { slowMs: 0 } }, 'with must be a fault'],
    [{ with: { slowMs: 1.5 } }, 'with must be a fault'],
    [{ with: {} }, 'with must be a fault'],
  ])('refuses the plan %j', (plan, message) => {
    expect(() => createTestService().backend.control.fail(plan as never)).toThrow(message);
  });

  it('concerns one route by its name or its pattern, as many times as it says, in order', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const { control } = service.backend;
    control.fail({ route: 'updateEntry', times: 2, with: { status: 503 } });
    control.fail({ route: '/v2/cl/games/:game/collections/:collection/:key', with: { status: 500 } });
    expect((await readEntries(service, player)).status).toBe(200);
    const statuses = [];
    for (let write = 0; write < 4; write += 1) statuses.push((await writeEntry(service, player)).status);
    expect(statuses).toEqual([503, 503, 500, 200]);
  });

  it('forgets its plans and lets everything go', async () => {
    const service = createTestService();
    const { control } = service.backend;
    control.fail({ times: Number.POSITIVE_INFINITY, with: { status: 503 } });
    for (let ask = 0; ask < 3; ask += 1) expect((await send(service, operations.readPublicKeys.path)).status).toBe(503);
    control.restore();
    expect((await send(service, operations.readPublicKeys.path)).status).toBe(200);
  });

  it('refuses a plan that says nothing', () => {
    const { control } = createTestService().backend;
    for (const plan of [
      { with: 'nonsense' },
      { with: { status: 200 } },
      { with: {} },
      {},
      { route: '/nowhere', with: 'offline' },
      { times: 0, with: 'offline' },
    ]) {
      expect(() => control.fail(plan as never)).toThrow(TypeError);
    }
  });

  it('remembers what was asked, without secrets', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await post(
      service,
      operations.signInWithName.path,
      { username: 'ada', password: 'correct horse' },
      { token: guest.accessToken },
    );
    await send(
      service,
      `${pathOf(operations.readUserCollection, { game: service.gameId, user: guest.userId, collection: 'progress' })}?env=0`,
    );
    await send(service, '/nowhere');
    const [, name, collection, nowhere] = service.backend.control.requests;
    expect(name).toEqual({
      method: 'POST',
      path: operations.signInWithName.path,
      route: operations.signInWithName.path,
      status: 200,
      code: null,
      body: {
        game_id: service.gameId,
        env: 0,
        device_id: '[redacted]',
        username: 'ada',
        password: '[redacted]',
      },
    });
    expect(collection).toMatchObject({ route: operations.readUserCollection.path, status: 401, code: 'unauthorized' });
    expect(nowhere).toEqual({ method: 'GET', path: '/nowhere', route: null, status: 404, code: 'not_found' });
  });

  it('reads what a body held when somebody looks, so that a refused request costs no more than its refusal', async () => {
    const service = createTestService();
    const depth = 600;
    const text = `${'{"a":'.repeat(depth)}{"password":"geheim"}${'}'.repeat(depth)}`;
    const looked = vi.spyOn(Object, 'entries');
    const { status } = await send(service, operations.signInAsGuest.path, { method: 'POST', text });
    const looks = looked.mock.calls.length;
    looked.mockRestore();
    expect(status).toBe(400);
    expect(looks).toBeLessThan(10);
    const [guest] = service.backend.control.requests;
    expect(JSON.stringify(guest)).toContain('{"a":{"password":"[redacted]"}}');
    expect(guest?.body).toBe(guest?.body);
  });

  it('remembers plain objects, whose body is there by way of a proxy too', async () => {
    const service = createTestService();
    await signInGuest(service);
    const [guest] = service.backend.control.requests;
    const body = { game_id: service.gameId, env: 0, device_id: '[redacted]' };
    const forwarding = { get: (target: object, name: string, self: unknown) => Reflect.get(target, name, self) };
    expect(new Proxy(guest ?? {}, forwarding)).toMatchObject({ body });
    const { path } = operations.signInAsGuest;
    expect(guest).toStrictEqual({ method: 'POST', path, route: path, status: 200, code: null, body });
  });

  it('remembers nothing where requests are not recorded', async () => {
    const service = createTestService({ recordRequests: false });
    service.backend.control.fail({ route: 'readPublicKeys', with: { status: 503 } });
    expect((await send(service, operations.readPublicKeys.path)).status).toBe(503);
    expect((await signInGuest(service)).time).toBe(testStart);
    expect(service.backend.control.requests).toEqual([]);
  });

  it('remembers no more than a thousand', async () => {
    const service = createTestService();
    for (let ask = 0; ask < 1_005; ask += 1) await send(service, `/nowhere/${ask}`);
    const { requests } = service.backend.control;
    expect(requests).toHaveLength(1_000);
    expect(requests[0]?.path).toBe('/nowhere/5');
  });

  it('of one service does not touch another', async () => {
    const [one, other] = [createTestService(), createTestService()];
    one.backend.control.fail({ times: 5, with: 'offline' });
    one.backend.control.advance(1_000);
    expect((await signInGuest(other)).time).toBe(testStart);
    expect(other.backend.control.requests).toHaveLength(1);
    expect(one.backend.control.requests).toHaveLength(0);
  });
});
