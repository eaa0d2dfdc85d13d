import { describe, expect, it, vi } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import {
  authenticateForGame,
  createTestService,
  post,
  readEntries,
  type SignedParts,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  testGameId,
  testPrivateKey,
  useName,
} from '../support/service.js';

const minute = 60_000;
const nonce = 'abcdefghijklmnopqrstuvwxyzABCDEF';

async function ask(service: TestService, parts: SignedParts, change?: (request: Request) => Request) {
  const request = await signedRequest(service, parts);
  const response = await service.backend.fetch(change === undefined ? request : change(request));
  return { status: response.status, body: await response.json() };
}

function without(header: string) {
  return (request: Request): Request => {
    request.headers.delete(header);
    return request;
  };
}

describe('a signed request', () => {
  it('is answered exactly as the interface says', async () => {
    const service = createTestService();
    const answer = await authenticateForGame(service);
    expect(answer).toEqual({
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      status: 0,
      country: 'ZZ',
      time: service.clock(),
    });
    expect((await readEntries(service, answer)).status).toBe(200);
    const renewed = await post(service, operations.refreshSession.path, { refresh_token: answer.refreshToken });
    expect(renewed.body.userId).toBe(answer.userId);
  });

  it('holds in hex of any case and in base64, with either of two keys', async () => {
    const service = createTestService({ game: { privateKeys: [testPrivateKey, 'the next key'] } });
    const upper = await signedRequest(service);
    upper.headers.set('service-signature', upper.headers.get('service-signature')?.toUpperCase() ?? '');
    expect((await service.backend.fetch(upper)).status).toBe(200);
    expect((await ask(service, { encoding: 'base64' })).status).toBe(200);
    expect((await ask(service, { key: 'the next key' })).status).toBe(200);
    expect((await ask(service, { body: { game_id: testGameId.toUpperCase() } })).status).toBe(200);
  });

  it('is signed as the bytes that were sent, in any language and order', async () => {
    const service = createTestService();
    const text = `{ "env":0,\n"extra":{"ключ":"值 😀"}, "device_id":"device-one",\t"custom_user_id":"игрок-1","game_id":"${testGameId}"}`;
    expect((await ask(service, { text })).status).toBe(200);
  });

  it('is refused alike without a header, with a bad signature and for an unknown game', async () => {
    const service = createTestService();
    const unknown = { game_id: '00000000-0000-4000-8000-000000000000' };
    const refusals = [
      await ask(service, {}, without('service-signature')),
      await ask(service, {}, without('service-timestamp')),
      await ask(service, {}, without('service-nonce')),
      await ask(service, { headers: { 'service-timestamp': '1768478400000, 1768478400000' } }),
      await ask(service, { headers: { 'service-nonce': `${nonce}, ${nonce}` } }),
      await ask(service, { key: 'another key' }),
      await ask(service, { headers: { 'service-signature': 'nonsense' } }),
      await ask(service, { headers: { 'service-signature': '0'.repeat(64) } }),
      await ask(service, { body: unknown }),
      await ask(service, { body: unknown, key: 'nobody has this key' }),
      await ask(service, { body: { game_id: 'no uuid' } }),
      await ask(service, { text: '[]' }),
    ];
    const [{ requestId: _, ...first }] = refusals.map(({ body }) => body);
    for (const { status, body } of refusals) {
      expect(status).toBe(401);
      expect(body).toMatchObject(first);
    }
    expect(first.code).toBe('invalid_signature');
  });

  it('is refused where a byte of the body, the timestamp or the nonce is another one', async () => {
    const service = createTestService();
    const original = await signedRequest(service);
    const text = await original.text();
    const changed = (headers: Record<string, string>, body = text) => {
      const all = { ...Object.fromEntries(original.headers), ...headers };
      return service.backend.fetch(new Request(original.url, { method: 'POST', headers: all, body }));
    };
    const tampered = [
      await changed({}, text.replace('custom-1', 'custom-2')),
      await changed({}, `${text} `),
      await changed({ 'service-timestamp': String(service.clock() + 1) }),
      await changed({ 'service-nonce': nonce }),
    ];
    for (const response of tampered) expect((await response.json()).code).toBe('invalid_signature');
    expect((await changed({})).status).toBe(200);
  });

  it('costs as many signatures where there is no such game', async () => {
    const service = createTestService();
    const sign = vi.spyOn(crypto.subtle, 'sign');
    const costs: number[] = [];
    for (const body of [{}, { game_id: '00000000-0000-4000-8000-000000000000' }]) {
      const request = await signedRequest(service, { key: 'the key of nobody', body });
      sign.mockClear();
      expect((await (await service.backend.fetch(request)).json()).code).toBe('invalid_signature');
      costs.push(sign.mock.calls.length);
    }
    sign.mockRestore();
    expect(costs).toEqual([1, 1]);
  });

  it('is taken up to five minutes off, and refused beyond with the time', async () => {
    const service = createTestService();
    const at = (offset: number) => ask(service, { timestamp: String(service.clock() + offset) });
    for (const offset of [-5 * minute, 5 * minute]) expect((await at(offset)).status).toBe(200);
    for (const offset of [-5 * minute - 1, 5 * minute + 1]) {
      expect(await at(offset)).toMatchObject({
        status: 401,
        body: { code: 'timestamp_out_of_window', serverTime: service.clock() },
      });
    }
  });

  it('with a timestamp in seconds is told so', async () => {
    const service = createTestService();
    const seconds = await ask(service, { timestamp: String(Math.floor(service.clock() / 1000)) });
    expect(seconds).toMatchObject({ status: 401, body: { code: 'timestamp_out_of_window' } });
    expect(seconds.body.detail).toContain('looks like seconds');
    expect((await ask(service, { timestamp: 'soon' })).body.code).toBe('timestamp_out_of_window');
  });

  it('is carried out once of fifty identical ones at once', async () => {
    const service = createTestService();
    const request = await signedRequest(service);
    const responses = await Promise.all(Array.from({ length: 50 }, () => service.backend.fetch(request.clone())));
    const codes = await Promise.all(responses.map(async (response) => (await response.json()).code ?? 'carried out'));
    expect(codes.filter((code) => code === 'carried out')).toHaveLength(1);
    expect(codes.filter((code) => code === 'nonce_reused')).toHaveLength(49);
  });

  it('cannot be replayed at any time, and its nonce is taken by nothing but a good signature', async () => {
    const service = createTestService();
    expect((await ask(service, { nonce, key: 'another key' })).status).toBe(401);
    const request = await signedRequest(service, { nonce, timestamp: String(service.clock() + 5 * minute) });
    expect((await service.backend.fetch(request.clone())).status).toBe(200);
    for (let minutes = 0; minutes < 12; minutes += 1) {
      service.backend.control.advance(minute);
      await service.backend.sweep();
      expect((await service.backend.fetch(request.clone())).status).toBe(401);
    }
  });

  it('may use a nonce that another game has used', async () => {
    const other = { id: 'bbbbbbbb-0000-4000-8000-000000000000', privateKeys: ['another key'] };
    const service = createTestService({ games: [{ id: testGameId, privateKeys: [testPrivateKey] }, other] });
    expect((await ask(service, { nonce })).status).toBe(200);
    expect((await ask(service, { nonce, key: 'another key', body: { game_id: other.id } })).status).toBe(200);
    // Signed by the one game, for the other.
    expect((await ask(service, { body: { game_id: other.id } })).body.code).toBe('invalid_signature');
  });

  it('waits where too many nonces are held', async () => {
    const service = createTestService({ limits: { noncesPerGame: 2 } });
    expect((await ask(service, {})).status).toBe(200);
    expect((await ask(service, {})).status).toBe(200);
    const full = { code: 'nonce_store_full', limitName: 'noncesPerGame' };
    expect(await ask(service, {})).toMatchObject({ status: 503, body: full });
    service.backend.control.advance(6 * minute);
    expect((await ask(service, {})).status).toBe(200);
  });

  it('with a nonce of another form, or a body that does not fit, is told after the signature', async () => {
    const service = createTestService();
    for (const wrong of [nonce.slice(1), `${nonce}x`, `${nonce.slice(1)}!`]) {
      expect(await ask(service, { nonce: wrong })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    for (const [body, code] of [
      [{ env: 3 }, 'invalid_env'],
      [{ env: '0' }, 'invalid_env'],
      [{ custom_user_id: '' }, 'invalid_request'],
      [{ custom_user_id: 'x'.repeat(129) }, 'invalid_request'],
      [{ device_id: '' }, 'invalid_request'],
      [{ device_id: 'x'.repeat(129) }, 'invalid_request'],
      [{ device_id: 12345678 }, 'invalid_request'],
      [{ custom_user_id: undefined }, 'invalid_request'],
    ] as const) {
      expect(await ask(service, { body })).toMatchObject({ status: 400, body: { code } });
    }
  });

  it('that is no JSON is told so, whoever signed it', async () => {
    const service = createTestService();
    expect(await ask(service, { text: '{"game_id":' })).toMatchObject({ status: 400, body: { code: 'invalid_json' } });
  });
});

describe("a player that the game's back end knows", () => {
  const custom = (service: TestService, customUserId: string, deviceId: string, env = 0) =>
    authenticateForGame(service, { body: { custom_user_id: customUserId, device_id: deviceId, env } });

  it('keeps the progress of the guest on the device', async () => {
    const service = createTestService();
    const guest = await signInGuest(service, 'device-one');
    expect((await custom(service, 'player-1', 'device-one')).userId).toBe(guest.userId);
    expect((await custom(service, 'player-1', 'device-two')).userId).toBe(guest.userId);
    expect((await signInGuest(service, 'device-two')).userId).toBe(guest.userId);
  });

  it('does not get the account of another one on the same device', async () => {
    const service = createTestService();
    const first = await custom(service, 'player-1', 'device-one');
    const second = await custom(service, 'player-2', 'device-one');
    expect(second.userId).not.toBe(first.userId);
    expect((await signInGuest(service, 'device-one')).userId).toBe(first.userId);
    expect((await custom(service, 'player-2', 'device-one')).userId).toBe(second.userId);
  });

  it('does not get the account of a player with a name on the same device', async () => {
    const service = createTestService();
    const ada = await signInGuest(service, 'device-one');
    await useName(service, { username: 'ada', password: 'correct horse' }, { token: ada.accessToken });
    const bob = await custom(service, 'player-1', 'device-one');
    expect(bob.userId).not.toBe(ada.userId);
    expect((await custom(service, 'player-1', 'device-one')).userId).toBe(bob.userId);
    expect((await signInGuest(service, 'device-one')).userId).toBe(ada.userId);
  });

  it("may have any id of 1 to 128 characters in the game's own system, and so may its device", async () => {
    const service = createTestService();
    const long = 'x'.repeat(128);
    const first = await custom(service, '4', '7');
    expect((await custom(service, '4', '8')).userId).toBe(first.userId);
    expect((await custom(service, '42', '7')).userId).not.toBe(first.userId);
    expect((await custom(service, long, long)).userId).not.toBe(first.userId);
  });

  it('is not opened by its device id alone where that is short: a guest shows a long one', async () => {
    const service = createTestService();
    await custom(service, '42', '7');
    const guest = await post(service, operations.signInAsGuest.path, {}, { deviceId: '7' });
    expect(guest).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('is apart in each environment', async () => {
    const service = createTestService();
    const ids = [];
    for (const env of [0, 1, 2]) ids.push((await custom(service, 'player-1', 'device-one', env)).userId);
    expect(new Set(ids).size).toBe(3);
  });

  it('is one account where twenty first requests arrive at once', async () => {
    const service = createTestService();
    const answers = await Promise.all(Array.from({ length: 20 }, () => custom(service, 'player-1', 'device-one')));
    expect(new Set(answers.map(({ userId }) => userId)).size).toBe(1);
  });

  it("comes from the country of the address that the game's back end saw", async () => {
    const asked: string[] = [];
    const resolveCountry = (address: string) => {
      asked.push(address);
      return address.startsWith('203.') ? 'NZ' : 'nonsense';
    };
    const service = createTestService({ resolveCountry });
    const forwarded = { 'x-forwarded-for': '203.0.113.9, 10.0.0.1' };
    expect((await authenticateForGame(service, { headers: forwarded })).country).toBe('NZ');
    const other = await service.backend.fetch(await signedRequest(service), { address: '198.51.100.1' });
    expect((await other.json()).country).toBe('ZZ');
    for (const written of ['unknown', "203.0.113.9' OR 1", '203.0.113.9/32', 'x'.repeat(5_000)]) {
      expect((await authenticateForGame(service, { headers: { 'x-forwarded-for': written } })).country).toBe('ZZ');
    }
    // What is no address is nobody's to look up.
    expect(asked).toEqual(['203.0.113.9', '198.51.100.1']);
  });

  it('is signed in though the country cannot be had', async () => {
    const service = createTestService({ resolveCountry: () => Promise.reject(new Error('no database')) });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    expect((await authenticateForGame(service, { headers })).country).toBe('ZZ');
  });

  it('is signed in though the country is looked for without end', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let begin: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const service = createTestService({
      resolveCountry() {
        begin();
        return new Promise(() => {});
      },
    });
    const asked = authenticateForGame(service, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    await begun;
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    expect((await asked).country).toBe('ZZ');
  });

  it('cannot be named by a page: the address takes POST only', async () => {
    const service = createTestService();
    expect(await send(service, '/v2/auth/server')).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  });
});
