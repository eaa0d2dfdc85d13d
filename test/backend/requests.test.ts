import { describe, expect, it, vi } from 'vitest';
import { createMemoryStore, type LogRecord } from '../../src/backend/index.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { conflictRequest, nameRequest } from '../../src/protocol/player-requests.js';
import { problem } from '../../src/protocol/problem.js';
import {
  createTestService,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  testGameId,
} from '../support/service.js';

const page = 'https://game.example';

function guestBody(service: TestService, more: Record<string, unknown> = {}) {
  return { game_id: service.gameId, env: 0, device_id: 'device-one', ...more };
}

describe('an answer', () => {
  it('of any kind has an id of its own, and is not kept by caches', async () => {
    const service = createTestService();
    const answers = [
      await send(service, operations.signInAsGuest.path, { method: 'POST', body: guestBody(service) }),
      await send(service, operations.signInAsGuest.path, { method: 'POST', text: 'nonsense' }),
      await send(service, '/nowhere'),
      await send(service, operations.signInAsGuest.path),
    ];
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(4);
    for (const { headers } of answers) expect(headers.get('cache-control')).toBe('no-store');
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 405]);
  });

  it('that refuses is a problem of RFC 9457, with the same id', async () => {
    const service = createTestService();
    const { body, headers, status } = await send(service, '/nowhere');
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(problem.parse(body)).toEqual({
      type: 'about:blank',
      title: 'There is nothing at this address.',
      status,
      code: 'not_found',
      requestId: headers.get('x-request-id'),
    });
  });

  it('to a wrong method names the right ones', async () => {
    const service = createTestService();
    for (const [method, path, allow] of [
      ['GET', operations.signInAsGuest.path, 'POST'],
      ['PUT', operations.readAccount.path, 'GET, DELETE'],
      ['OPTIONS', operations.authenticate.path, 'POST'],
      [
        'DELETE',
        `${pathOf(operations.readUserCollection, { game: service.gameId, user: service.gameId, collection: 'c' })}?env=0`,
        'GET',
      ],
    ] as const) {
      const { status, body, headers } = await send(service, path, { method });
      expect([status, body.code, headers.get('allow')]).toEqual([405, 'method_not_allowed', allow]);
    }
  });

  it('to HEAD is that of GET without a body', async () => {
    const service = createTestService();
    const response = await service.backend.fetch(
      new Request(`${service.authUrl}${operations.readPublicKeys.path}`, { method: 'HEAD' }),
    );
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('cache-control')).toContain('max-age');
  });

  it('to what nobody expected is a plain failure, and the operator is told', async () => {
    const records: LogRecord[] = [];
    const store = { ...createMemoryStore(), findLink: () => Promise.reject(new Error('the disk is gone')) };
    const service = createTestService({ store, log: (record) => records.push(record) });
    const { status, body } = await send(service, operations.signInAsGuest.path, {
      method: 'POST',
      body: guestBody(service),
    });
    expect([status, body.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(body)).not.toContain('disk');
    const { requestId } = body;
    expect(records).toMatchObject([
      { kind: 'error', requestId, name: 'Error', message: 'the disk is gone' },
      { kind: 'request', requestId, route: operations.signInAsGuest.path, status: 500, code: 'internal' },
    ]);
  });

  it('is given though the log fails', async () => {
    const service = createTestService({
      log: () => {
        throw new Error('no log');
      },
    });
    expect((await send(service, operations.readPublicKeys.path)).status).toBe(200);
  });
});

describe('an address', () => {
  it('takes one trailing slash, and no more', async () => {
    const service = createTestService();
    const ask = (path: string) => send(service, path, { method: 'POST', body: guestBody(service) });
    expect((await ask(`${operations.signInAsGuest.path}/`)).status).toBe(200);
    expect((await ask(`${operations.signInAsGuest.path}//`)).status).toBe(404);
    expect((await ask('/v2/auth/%67uest')).status).toBe(404);
    expect((await ask('/V2/auth/guest')).status).toBe(404);
  });

  it('with nothing in the place of a name is not there', async () => {
    const service = createTestService();
    const path = `/v2/pr/games/${service.gameId}/saves//collections/c?env=0`;
    expect((await send(service, path, { token: service.privateKey })).status).toBe(404);
  });
});

describe('a body', () => {
  it('must be application/json, said once', async () => {
    const service = createTestService();
    const ask = (contentType: string) =>
      send(service, operations.signInAsGuest.path, {
        method: 'POST',
        text: JSON.stringify(guestBody(service)),
        headers: { 'content-type': contentType },
      });
    for (const right of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"']) {
      expect((await ask(right)).status).toBe(200);
    }
    const wrong = [
      'text/plain',
      'application/json, application/json',
      'application/json; charset=latin1',
      'application/jsonp',
      'application/problem+json',
      '',
    ];
    for (const contentType of wrong) {
      expect(await ask(contentType)).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    }
  });

  it('must not be compressed, and is told so where it is', async () => {
    const service = createTestService();
    const ask = (encoding: string) =>
      send(service, operations.signInAsGuest.path, {
        method: 'POST',
        text: JSON.stringify(guestBody(service)),
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
    expect((await ask('identity')).status).toBe(200);
    for (const encoding of ['gzip', 'br', 'identity, gzip']) {
      const detail = expect.stringContaining('must not be compressed');
      expect(await ask(encoding)).toMatchObject({ status: 415, body: { code: 'unsupported_media_type', detail } });
    }
  });

  it('must be JSON in UTF-8', async () => {
    const service = createTestService();
    const ask = (body: BodyInit | null) =>
      service.backend.fetch(
        new Request(`${service.authUrl}${operations.signInAsGuest.path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body,
        }),
      );
    const text = JSON.stringify(guestBody(service));
    const wrong = [
      null,
      '',
      text.slice(0, -1),
      `${text}x`,
      `\ufeff${text}`,
      new Uint8Array([0x22, 0xff, 0x22]),
      "{'a':1}",
    ];
    for (const body of wrong) {
      const response = await ask(body);
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_json']);
    }
    for (const body of ['[]', '"text"', 'null', '1', '['.repeat(50_000) + ']'.repeat(50_000)]) {
      const response = await ask(body);
      expect([response.status, (await response.json()).code]).toEqual([400, 'invalid_request']);
    }
  });

  it('has 256 KiB at most, however it is sent and whatever it says of itself', async () => {
    const service = createTestService();
    const ask = (bytes: number, headers: Record<string, string>) => {
      const text = JSON.stringify(guestBody(service));
      const all = new TextEncoder().encode(text + ' '.repeat(bytes - text.length));
      const chunks = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < all.length; at += 10_000) controller.enqueue(all.slice(at, at + 10_000));
          controller.close();
        },
      });
      const init = { method: 'POST', body: chunks, duplex: 'half', headers };
      return service.backend.fetch(
        new Request(`${service.authUrl}${operations.signInAsGuest.path}`, init as RequestInit),
      );
    };
    const json = { 'content-type': 'application/json' };
    expect((await ask(256 * 1024, json)).status).toBe(200);
    for (const headers of [json, { ...json, 'content-length': '10' }, { 'content-type': 'text/plain' }]) {
      const response = await ask(256 * 1024 + 1, headers);
      expect([response.status, (await response.json()).code]).toEqual([413, 'too_large']);
    }
  });

  it('is read where requests have no stream, and has its limit there', async () => {
    const service = createTestService();
    const ask = (text: string) => {
      const headers = { 'content-type': 'application/json' };
      const request = new Request(`${service.authUrl}${operations.signInAsGuest.path}`, {
        method: 'POST',
        body: text,
        headers,
      });
      Object.defineProperty(request, 'body', { value: undefined });
      return service.backend.fetch(request);
    };
    const text = JSON.stringify(guestBody(service));
    expect((await ask(text)).status).toBe(200);
    expect((await ask(text + ' '.repeat(256 * 1024))).status).toBe(413);
  });

  it('that never ends is not read to its end', async () => {
    const service = createTestService();
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel() {
        cancelled = true;
      },
    });
    const init = { method: 'POST', body: endless, duplex: 'half', headers: { 'content-type': 'application/json' } };
    const request = new Request(`${service.authUrl}${operations.signInAsGuest.path}`, init as RequestInit);
    expect((await service.backend.fetch(request)).status).toBe(413);
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThan(10);
  });

  it('that breaks off is refused, and is no failure of the service', async () => {
    const service = createTestService();
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error('connection lost'));
      },
    });
    const init = { method: 'POST', body: broken, duplex: 'half', headers: { 'content-type': 'application/json' } };
    const request = new Request(`${service.authUrl}${operations.signInAsGuest.path}`, init as RequestInit);
    expect((await service.backend.fetch(request)).status).toBe(400);
  });

  it('may say more than is asked for, and names no field but the one that is wrong', async () => {
    const service = createTestService();
    const more = { extra: { a: 1 }, password: 'hidden words' };
    const ask = (body: unknown) => send(service, operations.signInAsGuest.path, { method: 'POST', body });
    expect((await ask(guestBody(service, more))).status).toBe(200);
    for (const [wrong, code] of [
      [{ game_id: 'hidden words' }, 'invalid_request'],
      [{ game_id: 5 }, 'invalid_request'],
      [{ device_id: 'short' }, 'invalid_request'],
      [{ device_id: 'x'.repeat(129) }, 'invalid_request'],
      [{ env: 3 }, 'invalid_env'],
      [{ env: 'hidden words' }, 'invalid_env'],
      [{ env: undefined }, 'invalid_env'],
    ] as const) {
      const { status, body } = await ask(guestBody(service, wrong));
      expect([status, body.code]).toEqual([400, code]);
      expect(JSON.stringify(body)).not.toContain('hidden words');
    }
  });
});

describe('a page of another origin', () => {
  const options = { allowedOrigins: [page] };
  const ask = (service: TestService, path: string, method: string, origin = page) =>
    send(service, path, { method, headers: { origin, 'access-control-request-method': 'POST' } });

  it('that is allowed may call the players endpoints, and read their failures', async () => {
    const service = createTestService(options);
    const paths_ = [
      operations.signInAsGuest.path,
      operations.readAccount.path,
      pathOf(operations.readCollection, { game: service.gameId, collection: 'c' }),
      operations.readPublicKeys.path,
    ];
    for (const path of [...paths_, '/v2/auth/nowhere', '/v2/cl/nowhere']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { headers } = await ask(service, path, method);
        expect(headers.get('access-control-allow-origin')).toBe(page);
        expect(headers.get('access-control-expose-headers')).toBe('X-Request-Id, Retry-After');
        expect(headers.get('vary')).toBe('Origin');
      }
      const preflight = await ask(service, path, 'OPTIONS');
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(page);
      expect(preflight.headers.get('access-control-allow-headers')).toBe(
        'Authorization, Content-Type, If-None-Match, Idempotency-Key',
      );
    }
    const entry = await ask(
      service,
      pathOf(operations.updateEntry, { game: service.gameId, collection: 'c', key: 'k' }),
      'OPTIONS',
    );
    expect(entry.headers.get('access-control-allow-methods')).toBe('PATCH');
  });

  it('that is not allowed gets no permission, and by default none is', async () => {
    for (const [service, origin] of [
      [createTestService(options), 'https://other.example'],
      [createTestService(options), 'null'],
      [createTestService(options), `${page}.other.example`],
      [createTestService(), page],
    ] as const) {
      for (const method of ['OPTIONS', 'POST']) {
        const { headers } = await ask(service, operations.signInAsGuest.path, method, origin);
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
  });

  it('may be allowed by a game, or by a function', async () => {
    const byGame = createTestService({ game: { allowedOrigins: [page] } });
    const byFunction = createTestService({ allowedOrigins: (origin) => origin.endsWith('.example') });
    for (const service of [byGame, byFunction]) {
      const { headers } = await ask(service, operations.signInAsGuest.path, 'POST');
      expect(headers.get('access-control-allow-origin')).toBe(page);
    }
  });

  it('of one game may not read what the service answers for another', async () => {
    const [own, other, all] = ['https://own.example', 'https://other.example', 'https://all.example'];
    const otherId = '6a1d7b63-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
    const service = createTestService({
      games: [
        { id: testGameId, privateKeys: ['one'], allowedOrigins: [own] },
        { id: otherId.toUpperCase(), privateKeys: ['two'], allowedOrigins: [other] },
      ],
      allowedOrigins: [all],
    });
    const { accessToken: token } = await signInGuest(service);
    const guest = { method: 'POST', body: guestBody(service) };
    const guestElsewhere = { method: 'POST', body: guestBody(service, { game_id: otherId }) };
    const collection = pathOf(operations.readCollection, { game: service.gameId, collection: 'c' });
    const mayRead = async (origin: string, path: string, asked: Parameters<typeof send>[2] = {}) =>
      (await send(service, path, { ...asked, headers: { origin } })).headers.has('access-control-allow-origin');
    for (const [path, asked, readers] of [
      [operations.signInAsGuest.path, guest, [own, all]],
      [operations.signInAsGuest.path, guestElsewhere, [other, all]],
      [operations.readAccount.path, { token }, [own, all]],
      [`${collection}?env=0`, { token }, [own, all]],
      [`${collection}?env=0`, { token: 'nonsense' }, [own, all]],
      [operations.readAccount.path, { token: 'nonsense' }, [own, other, all]],
      [operations.readPublicKeys.path, {}, [own, other, all]],
      [operations.signInAsGuest.path, { method: 'OPTIONS' }, [own, other, all]],
      [operations.deleteAccount.path, { method: 'DELETE', token }, [own, all]],
    ] as const) {
      for (const origin of [own, other, all]) {
        expect([path, origin, await mayRead(origin, path, asked)]).toEqual([
          path,
          origin,
          readers.includes(origin as never),
        ]);
      }
    }
  });

  it('may never call the private API or the signed endpoint', async () => {
    const service = createTestService(options);
    const { userId } = await signInGuest(service);
    for (const path of [
      `${pathOf(operations.readUserCollection, { game: service.gameId, user: userId, collection: 'c' })}?env=0`,
      operations.authenticate.path,
      `${operations.authenticate.path}/`,
    ]) {
      for (const method of ['OPTIONS', 'GET']) {
        const { headers, status } = await ask(service, path, method);
        expect(status).toBeGreaterThanOrEqual(400);
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      }
    }
    const signed = await signedRequest(service, { headers: { origin: page } });
    const response = await service.backend.fetch(signed);
    expect(response.status).toBe(200);
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });
});

describe('a body', () => {
  it('of nothing but objects and lists is refused before it is parsed', async () => {
    const service = createTestService();
    const { path } = operations.signInAsGuest;
    const brackets = '['.repeat(110_000);
    const parsed = vi.spyOn(JSON, 'parse');
    const [open, nested, escaped, text] = [
      await send(service, path, { method: 'POST', text: brackets }),
      await send(service, path, { method: 'POST', text: `{"a":[${'{},'.repeat(70_000)}${'[],'.repeat(15_000)}1]}` }),
      await send(service, path, { method: 'POST', text: `{"a":"\\"","b":${brackets}` }),
      await send(service, path, { method: 'POST', text: JSON.stringify(guestBody(service, { text: `"${brackets}` })) }),
    ];
    const isParsed = parsed.mock.calls.some(([json]) => json === brackets);
    parsed.mockRestore();
    expect(isParsed).toBe(false);
    expect(open).toMatchObject({
      status: 413,
      body: { code: 'too_large', detail: expect.stringContaining('objects') },
    });
    expect([nested.status, escaped.status, text.status]).toEqual([400, 413, 200]);
  });

  it('of nothing but wrong items is refused at the first of them', async () => {
    const service = createTestService();
    const looked = vi.fn();
    /** So many items, each of which says when somebody looks at it. */
    const items = (count: number): unknown[] =>
      Array.from({ length: count }, () => ({
        get collection() {
          looked();
          return 1;
        },
      }));
    const list = items(1_000);
    const body = { ...guestBody(service), ticket: 'ticket', choice: 'merge', username: 'ada', password: 'password' };
    for (const more of [{ entries: list }, { rests_on: { local: list, cloud: [] } }]) {
      const parsed = conflictRequest.safeParse({ ...body, ...more });
      expect(parsed.error?.issues.length).toBeLessThan(5);
    }
    expect(nameRequest.safeParse({ ...body, show: list }).error?.issues.length).toBeLessThan(5);
    expect(looked.mock.calls.length).toBeLessThan(20);
    const refused = await send(service, operations.resolveConflict.path, {
      method: 'POST',
      text: `${JSON.stringify({ ...body, entries: 'here' }).replace('"here"', `[${'1,'.repeat(1_000_000)}1]`)}`,
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', detail: expect.stringContaining('"entries"') },
    });
  });

  it.each(['addSnapshot', 'changePassword'] as const)('of %s is not parsed for a stranger', async (operation) => {
    const service = createTestService();
    const refused = await send(service, operations[operation].path, { method: 'POST', text: '{"no":' });
    expect([refused.status, refused.body.code]).toEqual([401, 'unauthorized']);
    const { accessToken: token } = await signInGuest(service);
    const known = await send(service, operations[operation].path, { method: 'POST', text: '{"no":', token });
    expect([known.status, known.body.code]).toEqual([400, 'invalid_json']);
  });
});
