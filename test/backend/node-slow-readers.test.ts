import { type PortLimits, type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, describe, expect, it } from 'vitest';
import type { App } from '../../src/backend/http/app.js';
import { createServiceCore } from '../../src/backend/http/service-core.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { openRaw, type RawConnection, statusesIn } from '../support/doors-raw.js';
import { createTestService, signInGuest, writeEntry } from '../support/service.js';

const open: ServedBackend[] = [];
const connections: RawConnection[] = [];

afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

/** More than the system keeps for a connection that nobody reads from. */
const endless = Number.POSITIVE_INFINITY;
const mebibyte = new Uint8Array(1024 * 1024);

/** A port whose answers have so many MiB, made as they are read, and what becomes of them. */
async function servePieces(mebibytes: number, limits: PortLimits = {}) {
  const begun: string[] = [];
  const cut: string[] = [];
  const pulled = { pieces: 0 };
  const fetch = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    begun.push(pathname);
    let left = mebibytes;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          pulled.pieces += 1;
          if (left-- > 0) controller.enqueue(mebibyte);
          else controller.close();
        },
        cancel: () => void cut.push(pathname),
      },
      { highWaterMark: 0 },
    );
    return new Response(body);
  };
  const served = await serve({ fetch }, { port: 0, limits });
  open.push(served);
  return { ...served, begun, cut, pulled };
}

/** A client that sends this and never reads. */
async function sendUnread(port: number, ...paths: string[]): Promise<RawConnection> {
  const connection = await openRaw(port);
  connections.push(connection);
  connection.socket.pause();
  connection.send(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  return connection;
}

describe('a client that does not read', () => {
  it('is cut off, and nothing is held for it any more', async () => {
    const { port, cut, url } = await servePieces(endless, { writeMs: 200 });
    await sendUnread(port, '/v2/one');
    await expect.poll(() => cut, { timeout: 10_000 }).toEqual(['/v2/one']);
    const answer = await fetch(`${url}/v2/two`);
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });

  it('has no more made for it than fits on its way', async () => {
    const { port, pulled, begun } = await servePieces(endless);
    await sendUnread(port, '/v2/one');
    await expect.poll(() => begun).toHaveLength(1);
    let before = -1;
    await expect
      .poll(() => {
        const isStill = pulled.pieces === before;
        before = pulled.pieces;
        return isStill;
      })
      .toBe(true);
    expect(pulled.pieces).toBeLessThan(64);
  });

  it('gives way to others where too much waits, though it is one answer of each of many', async () => {
    const service = createTestService();
    const large = `"${'x'.repeat(16 * 1024 * 1024)}"`;
    const core = {
      ...service.backend.core,
      answer: async () => ({ status: 200, headers: new Map<string, string>(), body: large }),
    };
    const served = await serve({ fetch: core.fetch, core }, { port: 0, limits: { unreadBytes: 20 * 1024 * 1024 } });
    open.push(served);
    const unread: RawConnection[] = [];
    for (let client = 0; client < 5; client += 1) unread.push(await sendUnread(served.port, '/v2/large'));
    for (const { socket } of unread.slice(0, 4)) socket.resume();
    const cut = await Promise.all(unread.slice(0, 4).map(({ closed }) => closed));
    expect(Math.max(...cut.map((text) => text.length))).toBeLessThan(large.length);
    unread[4]?.socket.resume();
    await expect.poll(() => unread[4]?.received().length, { timeout: 10_000 }).toBeGreaterThan(large.length);
  });

  it('gives way behind a proxy to players of other addresses, though the proxy has one for all', async () => {
    const mebibytes = 1024 * 1024;
    const service = createTestService({
      trustedProxies: ['127.0.0.1'],
      limits: { valueBytes: 17 * mebibytes, requestBytes: 18 * mebibytes, quotas: { values: 20 * mebibytes } },
    });
    const player = await signInGuest(service);
    const value = { notes: 'x'.repeat(16 * mebibytes) };
    await writeEntry(service, player, { value, version: -1 });
    const served = await serve(service.backend, { port: 0, limits: { unreadBytes: 40 * mebibytes } });
    open.push(served);
    const path = `${pathOf(operations.readCollection, { game: service.gameId, collection: 'progress' })}?env=0`;
    const ask = async (address: string): Promise<RawConnection> => {
      const connection = await openRaw(served.port);
      connections.push(connection);
      connection.socket.pause();
      const headers = `Host: a\r\nAuthorization: Bearer ${player.accessToken}\r\nX-Forwarded-For: ${address}`;
      connection.send(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
      return connection;
    };
    const honest = await ask('198.51.100.1');
    const greedy: RawConnection[] = [];
    for (let client = 0; client < 3; client += 1) greedy.push(await ask('198.51.100.2'));
    // Large reads rest in between: all of them are on their way.
    const answered = () => service.backend.control.requests.filter(({ method, status }) => method === 'GET' && status);
    await expect.poll(answered, { timeout: 10_000 }).toHaveLength(4);
    greedy[0]?.socket.resume();
    expect((await greedy[0]?.closed)?.length).toBeLessThan(16 * mebibytes);
    honest.socket.resume();
    await expect.poll(() => honest.received().length, { timeout: 10_000 }).toBeGreaterThan(16 * mebibytes);
  });

  it('and sends many requests has one answer made at a time', async () => {
    const { port, begun } = await servePieces(16);
    const connection = await sendUnread(port, '/v2/one', '/v2/two', '/v2/three');
    await expect.poll(() => begun).toEqual(['/v2/one']);
    connection.socket.resume();
    await expect.poll(() => begun, { timeout: 10_000 }).toEqual(['/v2/one', '/v2/two', '/v2/three']);
    await expect.poll(() => statusesIn(connection.received()), { timeout: 10_000 }).toEqual([200, 200, 200]);
  });

  it('and sends more requests than it may is cut off', async () => {
    const { port, begun, cut } = await servePieces(endless, { pipelined: 3 });
    await sendUnread(port, ...Array.from({ length: 5 }, (_, at) => `/v2/${at}`));
    await expect.poll(() => cut).toEqual(['/v2/0']);
    expect(begun).toEqual(['/v2/0']);
  });

  it('and leaves has nothing more done for it', async () => {
    const { port, begun, cut } = await servePieces(endless);
    const connection = await sendUnread(port, '/v2/one', '/v2/two');
    await expect.poll(() => begun).toEqual(['/v2/one']);
    connection.socket.resetAndDestroy();
    await expect.poll(() => cut).toEqual(['/v2/one']);
    expect(begun).toEqual(['/v2/one']);
  });

  it('does not keep a port from closing', async () => {
    const { port, close, begun, cut } = await servePieces(endless, { closeMs: 50 });
    await sendUnread(port, '/v2/one');
    await expect.poll(() => begun).toEqual(['/v2/one']);
    await close();
    await expect.poll(() => cut).toEqual(['/v2/one']);
  });
});

describe('a large answer', () => {
  it('arrives letter for letter, with its length', async () => {
    const half = 'é😀'.repeat(25_000);
    for (const body of [half + half, `a${half}${half}`, ['a', half, '', half, 'z'], ['é', '😀'.repeat(5_000)], ['a']]) {
      const text = typeof body === 'string' ? body : body.join('');
      const answer = async () => ({ status: 200, headers: new Map<string, string>(), body });
      const core = { ...createTestService().backend.core, answer };
      const served = await serve({ fetch: core.fetch, core }, { port: 0 });
      open.push(served);
      const response = await fetch(`${served.url}/v2/a`);
      expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
      expect((await response.text()) === text).toBe(true);
    }
  });
});

describe('an answer that is made while it is sent', () => {
  it('is cut off where it fails, so that nobody takes it for whole', async () => {
    let closed = 0;
    const pieces = ['{"a":', new Error('geheim')];
    const body = {
      async next() {
        const piece = pieces.shift();
        if (piece instanceof Error) throw piece;
        return piece ?? null;
      },
      close() {
        closed += 1;
      },
    };
    const answer = async () => ({ status: 200, headers: new Map<string, string>(), body });
    const core = { ...createTestService().backend.core, answer };
    const served = await serve({ fetch: core.fetch, core }, { port: 0 });
    open.push(served);
    await expect(fetch(`${served.url}/v2/a`).then((response) => response.text())).rejects.toThrow(TypeError);
    expect(closed).toBe(1);
  });
});

describe('small answers that nobody reads', () => {
  it('are counted as well, and the oldest is cut off where too much waits', async () => {
    const asked = new Map<string, number>();
    const body = 'x'.repeat(15_000);
    const answer: App = async ({ url }) => {
      const { pathname } = new URL(url);
      asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
      return { status: 200, headers: new Map(), body };
    };
    const core = createServiceCore(answer);
    // Of two that wait one has to go.
    const served = await serve(
      { fetch: core.fetch, core },
      { port: 0, limits: { pipelined: 5_000, unreadBytes: 20_000 } },
    );
    open.push(served);
    /** More than the system keeps for a connection. */
    const many = 2_000;
    const ask = async (path: string): Promise<RawConnection> => {
      const connection = await sendUnread(served.port, ...Array<string>(many).fill(path));
      let before = -1;
      await expect
        .poll(() => {
          const isStill = asked.get(path) === before;
          before = asked.get(path) ?? -1;
          return isStill;
        })
        .toBe(true);
      expect(before).toBeLessThan(many);
      return connection;
    };
    const [first, second] = [await ask('/v2/one'), await ask('/v2/two')];
    for (const { socket } of [first, second]) socket.resume();
    await first.closed;
    expect(asked.get('/v2/one')).toBeLessThan(many);
    await expect.poll(() => asked.get('/v2/two'), { timeout: 10_000 }).toBe(many);
  });
});
