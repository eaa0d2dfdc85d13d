import { once } from 'node:events';
import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { type PortLimits, type ServedBackend, type ServeOptions, serve } from 'savepoint/backend/node';
import { afterEach, describe, expect, it } from 'vitest';
import { openRaw, statusesIn, statusesOf } from '../support/doors-raw.js';
import { createTestService, testGameId, testPrivateKey } from '../support/service.js';

const open: ServedBackend[] = [];
/** As they were before the first port. */
const own = { Request: globalThis.Request, Response: globalThis.Response };

async function servePort(options: Omit<ServeOptions, 'port'> = {}) {
  const service = createTestService();
  const served = await serve(service.backend, { port: 0, ...options });
  open.push(served);
  return { ...served, control: service.backend.control };
}

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

const guest = JSON.stringify({ game_id: testGameId, env: 0, device_id: 'device-one' });
const end = 'Connection: close\r\n\r\n';
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: saves.test\r\n${more}`;
const post = (path: string, body: string, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: saves.test\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;
const keys = '/.well-known/jwks.json';
const saves = `/v2/pr/games/${testGameId}/saves/11111111-1111-4111-8111-111111111111/collections/hero`;
const authorization = `Authorization: Bearer ${testPrivateKey}\r\n`;

describe('the port, in bytes that no fetch would send', () => {
  const cases = (
    [
      ['no HTTP', 'hello\r\n\r\n', 400],
      ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
      ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['a method that HTTP does not know', `BREW ${keys} HTTP/1.1\r\nHost: a\r\n\r\n`, 400],
      ['no Host', `GET ${keys} HTTP/1.1\r\n\r\n`, 400],
      ['a Host of which no address can be made', `GET ${keys} HTTP/1.1\r\nHost: a b/c\r\n${end}`, 400],
      ['a backslash in the path', get('/v2\\auth', end), 400],
      ['a space in the path', get('/v2/auth /account', end), 400],
      ['a header without a colon', get(keys, `Nonsense\r\n${end}`), 400],
      ['a header with a NUL', get(keys, `A: b\0c\r\n${end}`), 400],
      ['a folded header', get(keys, `A: b\r\n c\r\n${end}`), 400],
      ['two lengths', post('/v2/auth/guest', guest, 'Content-Length: 1\r\n'), 400],
      ['a length and chunks', post('/v2/auth/guest', guest, 'Transfer-Encoding: chunked\r\n'), 400],
      ['a negative length', `POST /v2/auth/guest HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n`, 400],
      [
        'a chunk of no size',
        'POST /v2/auth/guest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
        400,
      ],
      ['headers of 17 KiB', get(keys, `A: ${'x'.repeat(17 * 1024)}\r\n${end}`), 431],
      ['many headers of more than 16 KiB in all', get(keys, `${'A: bcdefghijklmno\r\n'.repeat(1_200)}${end}`), 431],
      ['a path of 17 KiB', get(`/${'x'.repeat(17 * 1024)}`, end), 431],
      ['headers of 15 KiB', get(keys, `A: ${'x'.repeat(15 * 1024)}\r\n${end}`), 200],
      ['HTTP/1.0 without Host', `GET ${keys} HTTP/1.0\r\n\r\n`, 200],
      ['the whole address', `GET http://elsewhere.test${keys} HTTP/1.1\r\nHost: a\r\n${end}`, 200],
      ['dot segments', get('/v2/pr/../../.well-known/./jwks.json', end), 200],
      ['encoded dot segments', get('/v2/%2e%2e/.well-known/jwks.json', end), 200],
      ['raw UTF-8 in the path', get(`${saves}/кл?env=0`, end), 400],
      ['the authorization twice', get(`${saves}?env=0`, authorization + authorization + end), 401],
      ['the authorization once, for comparison', get(`${saves}?env=0`, authorization + end), 404],
      [
        'the content type twice',
        post('/v2/auth/guest', guest, `Content-Type: application/json\r\n${end.slice(0, -2)}`),
        415,
      ],
      ['a body on GET', get(keys, `Content-Length: 2\r\n${end}{}`), 200],
      [
        'a body in chunks',
        `POST /v2/auth/guest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${end}${guest.length.toString(16)}\r\n${guest}\r\n0\r\n\r\n`,
        200,
      ],
      ['TRACE', `TRACE ${keys} HTTP/1.1\r\nHost: a\r\n${end}`, 405],
      ['an upgrade to something else', get(keys, 'Connection: upgrade\r\nUpgrade: websocket\r\n\r\n'), 200],
    ] as const
  ).map(([what, bytes, status]) => ({ what, bytes, status }));

  it.each(cases)('answers $what with $status', async ({ bytes, status }) => {
    const { port, url } = await servePort({ limits: { keepAliveMs: 50, headersMs: 2_000 } });
    expect(await statusesOf(port, Buffer.from(bytes, 'utf8'))).toEqual([status]);
    expect((await fetch(url + keys)).status).toBe(200);
  });

  it('answers a path that is no URL with the problem body', async () => {
    const { port } = await servePort();
    const connection = await openRaw(port);
    connection.send(get('/v2\\auth', end));
    const text = await connection.closed;
    expect(text).toMatch(/content-type: application\/problem\+json/i);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('answers pipelined requests in their order', async () => {
    const { port } = await servePort();
    const requests =
      get(keys, '\r\n') + post('/v2/auth/guest', guest) + get('/v2/nothing', '\r\n') + get('/v2/auth/account', end);
    expect(await statusesOf(port, requests)).toEqual([200, 200, 404, 401]);
  });

  it('takes a request byte by byte', async () => {
    const { port } = await servePort();
    expect(await statusesOf(port, ...post('/v2/auth/guest', guest, end.slice(0, -2)))).toEqual([200]);
  });

  it('answers 413 while the rest is still on its way, and goes on serving', async () => {
    const { port, url } = await servePort();
    const connection = await openRaw(port);
    connection.send(
      `POST /v2/auth/guest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n`,
    );
    connection.send('x'.repeat(300 * 1024));
    await expect.poll(connection.received).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
    expect((await fetch(url + keys)).status).toBe(200);
  });

  it('counts chunks, whatever a length may say', async () => {
    const { port } = await servePort();
    const connection = await openRaw(port);
    connection.send(
      'POST /v2/auth/guest HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let chunks = 0; chunks < 300; chunks += 1) connection.send(`400\r\n${'x'.repeat(1024)}\r\n`);
    await expect.poll(connection.received).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });

  it('survives callers that leave in the middle', async () => {
    const { port, url, control } = await servePort();
    for (const part of ['', 'POST /v2', post('/v2/auth/guest', guest).slice(0, -5)]) {
      const connection = await openRaw(port);
      connection.send(part);
      connection.socket.resetAndDestroy();
    }
    control.fail({ with: 'slow' });
    const connection = await openRaw(port);
    connection.send(post('/v2/auth/guest', guest));
    await expect.poll(() => control.requests.length).toBeGreaterThan(0);
    connection.socket.resetAndDestroy();
    control.release();
    expect((await fetch(url + keys)).status).toBe(200);
  });
});

describe('callers that are gone before the service can see who they are', () => {
  it('get nothing done: nobody could count them', async () => {
    const seen: unknown[] = [];
    const fetch = async (_: Request, from?: { address?: string | undefined }) => {
      seen.push(from?.address);
      return new Response('');
    };
    const served = await serve({ fetch }, { port: 0 });
    open.push(served);
    for (let callers = 0; callers < 100; callers += 1) {
      const connection = await openRaw(served.port);
      connection.socket.write(post('/v2/auth/guest', guest), () => connection.socket.resetAndDestroy());
      await connection.closed;
    }
    // The port takes connections in their order: once it has answered this one, it has seen the others.
    expect(await statusesOf(served.port, get('/v2/a', end))).toEqual([200]);
    expect(new Set(seen)).toEqual(new Set(['127.0.0.1']));
  });
});

describe('slow callers', () => {
  const limits: PortLimits = { headersMs: 150, requestMs: 150, keepAliveMs: 100 };

  it.each([
    ['that send nothing', ''],
    ['whose headers do not end', get(keys, 'A: b\r\n')],
    ['whose body does not end', post('/v2/auth/guest', guest).slice(0, -1)],
  ])('%s are sent away with 408, or without a word', async (_, bytes) => {
    const { port } = await servePort({ limits });
    const connection = await openRaw(port);
    connection.send(bytes);
    const text = await connection.closed;
    expect(statusesIn(text).filter((status) => status !== 408)).toEqual([]);
  });

  it('that idle between two requests are sent away', async () => {
    const { port } = await servePort({ limits });
    expect(await statusesOf(port, get(keys, '\r\n'))).toEqual([200]);
  });

  it('do not keep others from being served', async () => {
    const { port, url } = await servePort();
    const slow = await Promise.all(Array.from({ length: 50 }, () => openRaw(port)));
    for (const connection of slow) connection.send(get(keys, 'A: b\r\n'));
    expect((await fetch(url + keys)).status).toBe(200);
    for (const { socket } of slow) socket.destroy();
  });
});

describe('serve', () => {
  it('hands the address of the socket and X-Forwarded-For on', async () => {
    const seen: unknown[] = [];
    const backend = {
      fetch: async (request: Request, from?: { address?: string | undefined }) => {
        seen.push([from?.address, request.headers.get('x-forwarded-for')]);
        return new Response('');
      },
    };
    for (const host of ['127.0.0.1', '::']) {
      const served = await serve(backend, { port: 0, host });
      open.push(served);
      await fetch(`http://127.0.0.1:${served.port}/v2/a`, { headers: { 'x-forwarded-for': '203.0.113.7, 10.0.0.1' } });
    }
    expect(seen).toEqual(Array(2).fill(['127.0.0.1', '203.0.113.7, 10.0.0.1']));
  });

  it("leaves Node's own Request and Response as they are", async () => {
    await servePort();
    expect(globalThis.Request).toBe(own.Request);
    expect(globalThis.Response).toBe(own.Response);
  });

  it('says where it can be reached', async () => {
    const { url, port } = await servePort();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await servePort({ host: '0.0.0.0' })).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await servePort({ host: 'localhost' })).url).toMatch(/^http:\/\/localhost:\d+$/);
  });

  it('rejects with a clear error and its code where the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const failure = serve(createTestService().backend, { port });
    await expect(failure).rejects.toMatchObject({ code: 'EADDRINUSE', message: `Port ${port} of 127.0.0.1 is taken.` });
    other.close();
  });

  it('rejects with a clear error where the host is not of this machine', async () => {
    const failure = serve(createTestService().backend, { port: 0, host: '203.0.113.1' });
    await expect(failure).rejects.toThrow('203.0.113.1 is no address of this machine.');
  });

  it.each([
    ['port', { port: -1 }],
    ['port', { port: 65_536 }],
    ['port', { port: '80' }],
    ['port', { port: 1.5 }],
    ['host', { host: '' }],
    ['host', { host: 1 }],
    ['fallback', { fallback: 'files' }],
    ['limits', { limits: 7 }],
    ['limits.headersMs', { limits: { headersMs: 0 } }],
    ['limits.closeMs', { limits: { closeMs: Number.POSITIVE_INFINITY } }],
  ])('rejects with TypeError naming %s: %j', async (option, options) => {
    const failure = serve(createTestService().backend, options as never);
    await expect(failure).rejects.toThrow(TypeError);
    await expect(failure).rejects.toThrow(option);
  });

  it('rejects with TypeError without a back end', async () => {
    await expect(serve(undefined as never)).rejects.toThrow(TypeError);
  });
});

describe('what is not of the service', () => {
  it('goes to the fallback, and nothing else does', async () => {
    const { url } = await servePort({ fallback: (request) => new Response(`page ${new URL(request.url).pathname}`) });
    for (const path of ['/', '/v2', '/index.html', '/v2x/a', '/.well-known/other']) {
      expect(await (await fetch(url + path)).text()).toBe(`page ${path}`);
    }
    expect((await fetch(`${url}/v2/auth/account`)).status).toBe(401);
    expect((await fetch(`${url}/v2/nothing`)).status).toBe(404);
    expect((await fetch(url + keys)).status).toBe(200);
  });

  it('is a plain 500 where the fallback throws, and says nothing of why', async () => {
    const { url } = await servePort({
      fallback: () => {
        throw new Error('geheim');
      },
    });
    const answer = await fetch(`${url}/index.html`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('geheim');
    expect((await fetch(url + keys)).status).toBe(200);
  });
});

describe('close', () => {
  it('lets a running request end, and takes no other', async () => {
    const { url, port, close, control } = await servePort();
    control.fail({ with: 'slow' });
    const answer = fetch(url + keys);
    await expect.poll(() => control.requests.length).toBe(1);
    const closed = close();
    await expect(fetch(url + keys)).rejects.toThrow(TypeError);
    control.release();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(openRaw(port)).rejects.toThrow();
  });

  it('ends what goes on for too long', async () => {
    const { url, close, control } = await servePort({ limits: { closeMs: 50 } });
    control.fail({ with: 'slow' });
    const answer = fetch(url + keys).then(inspect, (error: Error) => error.name);
    await expect.poll(() => control.requests.length).toBe(1);
    await close();
    expect(await answer).toBe('TypeError');
  });

  it('does not wait for connections that have nothing running', async () => {
    // Longer than this test may take.
    const { port, close } = await servePort({ limits: { closeMs: 100_000, keepAliveMs: 100_000 } });
    const connections = await Promise.all([openRaw(port), openRaw(port), openRaw(port)]);
    connections[1]?.send(get(keys, '\r\n'));
    connections[2]?.send('GET /v2');
    await expect.poll(() => connections[1]?.received()).toContain('"keys"');
    await close();
    await Promise.all(connections.map(({ closed }) => closed));
  });

  it('may be called twice', async () => {
    const { close } = await servePort();
    await Promise.all([close(), close()]);
    await close();
  });
});
