import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Asked, gameId, offline, privateKey, problem, scripted, userId } from './scripted-client.js';

const answer = {
  userId,
  accessToken: 'access.token.text',
  refreshToken: 'refresh.token.text',
  status: 0,
  country: 'NO',
  time: 1_763_640_000_000,
};
const player = { customUserId: 'player-42', deviceId: 'device-7-of-42', ip: '203.0.113.9' };

function signatureOf({ headers, body }: Asked, encoding: 'hex' | 'base64' = 'hex'): string {
  const text = `${headers.get('service-timestamp')}\n${headers.get('service-nonce')}\n${body}\n`;
  return createHmac('sha256', privateKey).update(text).digest(encoding);
}

const nonceOf = ({ headers }: Asked): string => headers.get('service-nonce') ?? '';

describe('authenticate', () => {
  it('posts the player, the device and the game, signed in the Service-* headers and without a bearer token', async () => {
    const now = 1_763_640_000_123;
    const { client, asked } = scripted(() => Response.json(answer), { now: () => now });

    await client.authenticate(player);

    expect(asked).toHaveLength(1);
    const [request] = asked as [Asked];
    expect([request.method, request.url]).toEqual(['POST', 'https://auth.test/v2/auth/server']);
    expect(JSON.parse(request.body)).toEqual({
      custom_user_id: 'player-42',
      device_id: 'device-7-of-42',
      game_id: gameId,
      env: 1,
    });
    expect(request.headers.get('content-type')).toBe('application/json');
    expect(request.headers.get('x-forwarded-for')).toBe('203.0.113.9');
    expect(request.headers.get('service-timestamp')).toBe(String(now));
    expect(nonceOf(request)).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(request.headers.get('service-signature')).toBe(signatureOf(request));
    expect(request.headers.get('authorization')).toBeNull();
  });

  it('gives the answer of the service as it came', async () => {
    const { client } = scripted(() => Response.json(answer));
    expect(await client.authenticate(player)).toEqual(answer);
  });

  it('writes the signature in base64 where that is asked for', async () => {
    const { client, asked } = scripted(() => Response.json(answer), { signatureEncoding: 'base64' });
    await client.authenticate(player);
    expect(asked[0]?.headers.get('service-signature')).toBe(signatureOf(asked[0] as Asked, 'base64'));
  });

  it('signs the text that is sent, whatever letters it has', async () => {
    const { client, asked } = scripted(() => Response.json(answer));
    await client.authenticate({ ...player, customUserId: 'Łukasz "☃" 🎮' });
    expect(JSON.parse((asked[0] as Asked).body).custom_user_id).toBe('Łukasz "☃" 🎮');
    expect(asked[0]?.headers.get('service-signature')).toBe(signatureOf(asked[0] as Asked));
  });

  it.each([
    ['no answer', offline],
    ['503', () => problem(503, 'unavailable')],
    ['503 from a proxy', () => new Response('<html>', { status: 503 })],
    ['429', () => problem(429, 'rate_limited', { retryAfterMs: 10 })],
  ])('signs anew for the try after %s', async (_, fail) => {
    const { client, asked } = scripted((_asked, index) => (index < 2 ? fail() : Response.json(answer)));

    expect(await client.authenticate(player)).toEqual(answer);

    expect(asked).toHaveLength(3);
    expect(new Set(asked.map(nonceOf)).size).toBe(3);
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
    for (const request of asked) expect(request.headers.get('service-signature')).toBe(signatureOf(request));
  });

  it('gives up after three tries', async () => {
    const { client, asked } = scripted(offline);
    await expect(client.authenticate(player)).rejects.toMatchObject({ code: 'network', retryable: true });
    expect(asked).toHaveLength(3);
  });

  it.each([
    [401, 'invalid_signature'],
    [401, 'nonce_reused'],
    [400, 'invalid_request'],
    [413, 'too_large'],
  ])('does not repeat what the service refuses: %i %s', async (status, code) => {
    const { client, asked } = scripted(() => problem(status, code));
    await expect(client.authenticate(player)).rejects.toMatchObject({ name: 'ServiceError', status, code });
    expect(asked).toHaveLength(1);
  });

  it('tells an answer of another form from a player', async () => {
    const { client } = scripted(() => Response.json({ ...answer, userId: 'nobody' }));
    await expect(client.authenticate(player)).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  it('leaves when its signal is aborted, before anything is sent', async () => {
    const { client, asked } = scripted(() => Response.json(answer));
    const call = client.authenticate({ ...player, signal: AbortSignal.abort() });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(asked).toHaveLength(0);
  });

  it.each([
    ['options', undefined],
    ['customUserId', { ...player, customUserId: 42 }],
    ['customUserId', { ...player, customUserId: '' }],
    ['customUserId', { ...player, customUserId: 'x'.repeat(129) }],
    ['deviceId', { ...player, deviceId: undefined }],
    ['deviceId', { ...player, deviceId: '' }],
    ['deviceId', { ...player, deviceId: 'x'.repeat(129) }],
    ['ip', { ...player, ip: undefined }],
    ['ip', { ...player, ip: 'localhost' }],
    ['ip', { ...player, ip: '203.0.113.9, 10.0.0.1' }],
    ['ip', { ...player, ip: '203.0.113.9\r\nX-Admin: 1' }],
    ['ip', { ...player, ip: '999.0.0.1' }],
    ['ip', { ...player, ip: 'fe80::1%eth0' }],
    ['signal', { ...player, signal: {} }],
  ])('refuses a wrong %s by name and sends nothing', async (name, wrong) => {
    const { client, asked } = scripted(() => Response.json(answer));
    const call = client.authenticate(wrong as never);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(name);
    expect(asked).toHaveLength(0);
  });

  it('takes ids as databases count them', async () => {
    const { client, asked } = scripted(() => Response.json(answer));
    await client.authenticate({ ...player, customUserId: '4', deviceId: '2' });
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ custom_user_id: '4', device_id: '2' });
  });

  it.each(['203.0.113.9', '2001:db8::1', '::1', '::ffff:203.0.113.9'])('takes the address %s', async (ip) => {
    const { client, asked } = scripted(() => Response.json(answer));
    await client.authenticate({ ...player, ip });
    expect(asked[0]?.headers.get('x-forwarded-for')).toBe(ip);
  });
});

describe('a clock that the service finds too far from its own', () => {
  const serviceNow = 1_763_640_000_000;
  const outOfWindow = () => problem(401, 'timestamp_out_of_window', { serverTime: serviceNow });
  const stamp = ({ headers }: Asked): number => Number(headers.get('service-timestamp'));

  it('is corrected, and the request signed again with a new nonce', async () => {
    const ourNow = serviceNow - 3_600_000;
    const reply = (asked: Asked) =>
      Math.abs(stamp(asked) - serviceNow) > 300_000 ? outOfWindow() : Response.json(answer);
    const { client, asked } = scripted(reply, { now: () => ourNow });

    expect(await client.authenticate(player)).toEqual(answer);

    expect(asked.map(stamp)).toEqual([ourNow, serviceNow]);
    expect(new Set(asked.map(nonceOf)).size).toBe(2);
    expect(asked[1]?.headers.get('service-signature')).toBe(signatureOf(asked[1] as Asked));
  });

  it('stays corrected for the calls that follow', async () => {
    const reply = (asked: Asked) => (stamp(asked) < serviceNow ? outOfWindow() : Response.json(answer));
    const { client, asked } = scripted(reply, { now: () => serviceNow - 3_600_000 });
    await client.authenticate(player);
    await client.authenticate(player);
    expect(asked).toHaveLength(3);
  });

  it('is corrected once a call, then the refusal stands', async () => {
    const { client, asked } = scripted(outOfWindow);
    await expect(client.authenticate(player)).rejects.toMatchObject({
      code: 'timestamp_out_of_window',
      serverTime: serviceNow,
    });
    expect(asked).toHaveLength(2);
  });

  it('cannot be corrected by a service that does not tell its time', async () => {
    const { client, asked } = scripted(() => problem(401, 'timestamp_out_of_window'));
    await expect(client.authenticate(player)).rejects.toMatchObject({ code: 'timestamp_out_of_window' });
    expect(asked).toHaveLength(1);
  });
});
