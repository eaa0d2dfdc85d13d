import { describe, expect, it } from 'vitest';
import type { LogRecord } from '../../../src/backend/log.js';
import { operations } from '../../../src/protocol/operations.js';
import { createTestService, post, send, type TestService, testGameId, testPrivateKey } from '../../support/service.js';

const guest = operations.signInAsGuest.path;

async function isAllowed(service: TestService, origin: string): Promise<boolean> {
  const headers = { origin, 'access-control-request-method': 'POST' };
  const preflight = await send(service, guest, { method: 'OPTIONS', headers });
  const answer = await send(service, guest, { method: 'POST', headers: { origin } });
  const allowed = [preflight, answer].map((one) => one.headers.get('access-control-allow-origin') === origin);
  expect(allowed[0]).toBe(allowed[1]);
  return allowed[0] === true;
}

describe('an allowed origin with a wildcard', () => {
  it.each([
    ['https://*.itch.zone', 'https://v6p9d9t4.ssl.itch.zone', false],
    ['https://*.itch.zone', 'https://html-classic.itch.zone', true],
    ['https://*.itch.zone', 'https://itch.zone', false],
    ['https://*.itch.zone', 'https://.itch.zone', false],
    ['https://*.itch.zone', 'http://html-classic.itch.zone', false],
    ['https://*.itch.zone', 'https://html-classic.itch.zone:8443', false],
    ['https://*.itch.zone', 'https://evil.example/.itch.zone', false],
    ['https://*.itch.zone', 'https://evilitch.zone', false],
    ['https://*.itch.zone', 'https://a.itch.zone.evil.example', false],
    ['https://*.itch.zone', 'https://*.itch.zone', false],
    ['https://*.itch.zone', 'null', false],
    ['https://*.game.example:8443', 'https://a.game.example:8443', true],
    ['https://*.game.example:8443', 'https://a.game.example', false],
  ])('%s: %s is let in: %s', async (allowed, origin, isIn) => {
    expect(await isAllowed(createTestService({ allowedOrigins: [allowed] }), origin)).toBe(isIn);
  });

  it.each(['https://*', '*', 'https://*.com', 'https://a.*.example', 'https://a*.game.example', 'https://*.*.example'])(
    'is refused as a configuration where it says too much or nothing: %s',
    (allowed) => {
      expect(() => createTestService({ allowedOrigins: [allowed] })).toThrow(/^allowedOrigins must be/);
      expect(() => createTestService({ game: { allowedOrigins: [allowed] } })).toThrow(/allowedOrigins must be/);
    },
  );
});

describe('a sandboxed frame', () => {
  it('is let in only where that was asked for', async () => {
    expect(await isAllowed(createTestService({ allowedOrigins: ['https://game.example'] }), 'null')).toBe(false);
    expect(await isAllowed(createTestService({ allowedOrigins: ['null'] }), 'null')).toBe(true);
  });
});

describe('an origin that is refused', () => {
  function logged() {
    const log: LogRecord[] = [];
    return {
      log,
      service: createTestService({ allowedOrigins: ['https://game.example'], log: (one) => log.push(one) }),
    };
  }
  const ask = (service: TestService, origin: string) =>
    send(service, guest, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });

  it('is told so in the body of the answer, which no browser shows, and is one line in the log', async () => {
    const { service, log } = logged();
    const { status, body, headers } = await ask(service, 'https://other.example');
    expect(status).toBe(403);
    expect(body).toMatchObject({ code: 'origin_not_allowed', detail: expect.stringContaining('allowedOrigins') });
    expect(JSON.stringify(body)).not.toContain('other.example');
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(log).toEqual([
      expect.objectContaining({ kind: 'request', code: 'origin_not_allowed', origin: 'https://other.example' }),
    ]);
  });

  it('is in the line of a request that a browser sends without a preflight, or for the game of other pages', async () => {
    const log: LogRecord[] = [];
    const other = '22222222-2222-4222-8222-222222222222';
    const service = createTestService({
      games: [
        { id: testGameId, privateKeys: [testPrivateKey], allowedOrigins: ['https://game.example'] },
        { id: other, privateKeys: ['other-private-key-0123456789abcdef'] },
      ],
      log: (one) => log.push(one),
    });
    const from = (origin: string, gameId = testGameId) =>
      post(service, guest, { game_id: gameId }, { headers: { origin } });
    await from('https://other.example');
    await from('https://game.example', other);
    await from('https://game.example');
    await from(service.baseUrl);
    expect(log.map((one) => 'origin' in one && one.origin)).toEqual([
      'https://other.example',
      'https://game.example',
      false,
      false,
    ]);
  });

  it('is told so in each refusal, beside what is wrong besides: who asks by hand sees it without a preflight', async () => {
    const { service } = logged();
    const refusals = async (origin?: string) => {
      const headers = origin === undefined ? {} : { origin };
      const wrong = { token: 'nonsense', headers };
      const answers = [
        await send(service, operations.readAccount.path, wrong),
        await post(service, guest, { device_id: '' }, { headers }),
      ];
      return answers.map(({ body }) => [body.code, /allowedOrigins/.test(body.detail ?? '')]);
    };
    const told = (isTold: boolean) => ['unauthorized', 'invalid_request'].map((code) => [code, isTold]);
    expect(await refusals('https://other.example')).toEqual(told(true));
    expect(await refusals('https://game.example')).toEqual(told(false));
    expect(await refusals(service.baseUrl)).toEqual(told(false));
    expect(await refusals()).toEqual(told(false));
    const { body } = await post(service, guest, { device_id: '' }, { headers: { origin: 'https://other.example' } });
    expect(body.detail).toMatch(/device_id.*allowedOrigins/);
  });

  it('is in no line where it is allowed, or where nobody asks for a page', async () => {
    const { service, log } = logged();
    expect((await ask(service, 'https://game.example')).status).toBe(204);
    expect((await send(service, guest, { method: 'OPTIONS' })).status).toBe(204);
    await send(service, '/health', { headers: { origin: 'https://other.example' } });
    expect(log.map((one) => 'origin' in one)).toEqual([false, false, false]);
  });

  it('fills no log with what it is', async () => {
    const { service, log } = logged();
    for (const origin of [`https://${'x'.repeat(8_000)}.example`, 'https://\u00fc.example']) await ask(service, origin);
    expect(log.map((one) => 'origin' in one && one.origin)).toEqual(['(unreadable)', '(unreadable)']);
  });
});
