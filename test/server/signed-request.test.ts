import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signRequest, type VerifyRequestOptions, verifyRequest } from '../../src/server/index.js';

const privateKey = 'sk_test_8c1f0d2b7a6e5f4c3b2a1908';
const body = '{"custom_user_id":"player-42","device_id":"device-7","env":0}';
const timestamp = 1_763_640_000_000;
const nonce = 'abcdefghijklmnopqrstuvwxyz_-0123';

const signed = () => signRequest({ privateKey, body, timestamp, nonce });

async function verify(change: Partial<VerifyRequestOptions> = {}) {
  const { headers } = await signed();
  return verifyRequest({ privateKeys: [privateKey], headers, body, now: timestamp, ...change });
}

describe('signRequest', () => {
  it('gives the three Service-* headers and the body as it was', async () => {
    const text = `${timestamp}\n${nonce}\n${body}\n`;
    expect(await signed()).toEqual({
      headers: {
        'Service-Signature': createHmac('sha256', privateKey).update(text).digest('hex'),
        'Service-Timestamp': `${timestamp}`,
        'Service-Nonce': nonce,
        'Content-Type': 'application/json',
      },
      body,
    });
  });

  it('takes the time of the clock and a new nonce each time', async () => {
    const before = Date.now();
    const [one, two] = await Promise.all([signRequest({ privateKey, body }), signRequest({ privateKey, body })]);
    expect(Number(one.headers['Service-Timestamp'])).toBeGreaterThanOrEqual(before);
    expect(one.headers['Service-Nonce']).toMatch(/^[A-Za-z0-9_-]{32}$/);
    expect(one.headers['Service-Nonce']).not.toBe(two.headers['Service-Nonce']);
  });

  it.each([
    ['options', undefined],
    ['privateKey', { body }],
    ['privateKey', { body, privateKey: '' }],
    ['privateKey', { body, privateKey: `${privateKey}\n` }],
    ['body', { privateKey, body: { a: 1 } }],
    ['timestamp', { privateKey, body, timestamp: 1_763_640_000 }],
    ['timestamp', { privateKey, body, timestamp: '1763640000000' }],
    ['nonce', { privateKey, body, nonce: 'short' }],
    ['encoding', { privateKey, body, encoding: 'HEX' }],
  ])('refuses a wrong %s by name', async (name, wrong) => {
    const call = signRequest(wrong as never);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(name);
  });
});

describe('verifyRequest', () => {
  it('accepts what signRequest made and tells the nonce to remember', async () => {
    expect(await verify()).toEqual({ ok: true, timestamp, nonce });
  });

  it('takes the body as bytes and the headers as Headers, or as Node has them', async () => {
    const { headers } = await signed();
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const bytes = new TextEncoder().encode(body);
    expect(await verify({ headers: new Headers(headers), body: bytes })).toMatchObject({ ok: true });
    expect(await verify({ headers: lower, body: Buffer.from(body) })).toMatchObject({ ok: true });
  });

  it('reads base64, and hex in capitals', async () => {
    const base64 = await signRequest({ privateKey, body, timestamp, nonce, encoding: 'base64' });
    expect(await verify({ headers: base64.headers })).toMatchObject({ ok: true });
    const { headers } = await signed();
    const capitals = { ...headers, 'Service-Signature': `${headers['Service-Signature']}`.toUpperCase() };
    expect(await verify({ headers: capitals })).toMatchObject({ ok: true });
  });

  it('accepts either of two active keys, and no third', async () => {
    expect(await verify({ privateKeys: ['another-key', privateKey] })).toMatchObject({ ok: true });
    expect(await verify({ privateKeys: ['another-key', 'a-third'] })).toMatchObject({ code: 'invalid_signature' });
  });

  it.each([-300_000, 300_000])('accepts a clock that is %i ms away', async (away) => {
    expect(await verify({ now: timestamp + away })).toMatchObject({ ok: true });
  });

  it.each([-300_001, 300_001])('refuses a clock that is %i ms away', async (away) => {
    expect(await verify({ now: timestamp + away })).toMatchObject({ ok: false, code: 'timestamp_out_of_window' });
  });

  it('keeps to a narrower window', async () => {
    expect(await verify({ now: timestamp + 1_001, windowMs: 1_000 })).toMatchObject({
      code: 'timestamp_out_of_window',
    });
  });

  it('says what is wrong with a timestamp in seconds', async () => {
    const { headers } = await signed();
    const seconds = await verify({ headers: { ...headers, 'Service-Timestamp': '1763640000' } });
    expect(seconds).toMatchObject({ ok: false, problem: expect.stringContaining('seconds') });
  });

  it('refuses every tampering', async () => {
    const { headers } = await signed();
    const flipped = `${headers['Service-Signature']}`.replace(/^./, (first) => (first === '0' ? '1' : '0'));
    const wrong: Partial<VerifyRequestOptions>[] = [
      { body: `${body} ` },
      { body: body.replace('player-42', 'player-43') },
      { body: `${body}\n` },
      { headers: { ...headers, 'Service-Timestamp': `${timestamp + 1}` } },
      { headers: { ...headers, 'Service-Nonce': nonce.replace('a', 'b') } },
      { headers: { ...headers, 'Service-Signature': flipped } },
      { headers: { ...headers, 'Service-Signature': '' } },
      { headers: { ...headers, 'Service-Signature': `${headers['Service-Signature']}`.slice(2) } },
      { headers: { ...headers, 'Service-Signature': [`${headers['Service-Signature']}`, flipped] } },
      { headers: { ...headers, 'service-nonce': nonce } },
      { headers: { ...headers, 'Service-Nonce': undefined } },
      { headers: {} },
    ];
    for (const change of wrong) expect(await verify(change)).toMatchObject({ ok: false, code: 'invalid_signature' });
  });

  it('takes the Headers of another realm or package, which are of another class', async () => {
    const { headers } = await signed();
    const own = new Headers(headers);
    const others = { get: (name: string) => own.get(name) } as Headers;
    expect(await verify({ headers: others })).toMatchObject({ ok: true });
    // A header of this name is none of those.
    expect(await verify({ headers: { ...headers, get: 'nothing' } })).toMatchObject({ ok: true });
  });

  it('refuses a header that came twice in Headers', async () => {
    const headers = new Headers((await signed()).headers);
    headers.append('Service-Nonce', nonce);
    expect(await verify({ headers })).toMatchObject({ ok: false });
  });

  it.each([
    ['options', undefined],
    ['privateKeys', { privateKeys: [] }],
    ['privateKeys', { privateKeys: privateKey }],
    ['privateKeys[1]', { privateKeys: ['a', ' b'] }],
    ['headers', { headers: undefined }],
    ['body', { body: { a: 1 } }],
    ['now', { now: Number.NaN }],
    ['windowMs', { windowMs: -1 }],
  ])('refuses a wrong %s by name', async (name, wrong) => {
    const options = { privateKeys: [privateKey], headers: {}, body, ...wrong };
    const call = verifyRequest((wrong === undefined ? undefined : options) as never);
    await expect(call).rejects.toThrow(TypeError);
    await expect(call).rejects.toThrow(name);
  });
});
