import { type PortLimits, type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { openRaw, type RawConnection, statusesIn } from '../support/doors-raw.js';
import { createTestService, type TestService } from '../support/service.js';

const open: ServedBackend[] = [];
const connections: RawConnection[] = [];

afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

const kibibytes = 1024;

async function serveWith(limits: PortLimits, service: TestService = createTestService()) {
  const served = await serve(service.backend, { port: 0, limits });
  open.push(served);
  return { ...served, service };
}

/** A client that sends so much of a body, and never the rest. */
async function sendPart(port: number, bytes: number, headers = ''): Promise<RawConnection> {
  const connection = await openRaw(port);
  connections.push(connection);
  const length = 4_000 * kibibytes;
  const { path } = operations.resolveConflict;
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: a\r\n${headers}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
  connection.send(' '.repeat(bytes));
  return connection;
}

/** The answers' statuses of each; none for one that waits. */
const statusesOf = (sent: readonly RawConnection[]) => sent.map(({ received }) => statusesIn(received()));

describe('a client that never ends its request', () => {
  it('gives way where too much arrives at once, the oldest first, and is told to come again', async () => {
    const { port } = await serveWith({ arrivingBytes: 1_000 * kibibytes });
    const sent: RawConnection[] = [];
    for (let client = 0; client < 5; client += 1) {
      sent.push(await sendPart(port, 300 * kibibytes));
      const given = Math.max(0, client - 2);
      await expect.poll(() => statusesOf(sent).filter(({ length }) => length > 0)).toHaveLength(given);
    }
    expect(statusesOf(sent)).toEqual([[503], [503], [], [], []]);
    expect(sent[0]?.received()).toMatch(/Retry-After: 1\r\n.*"code":"unavailable".*"limitName":"arrivingBytes"/s);
  });

  it('gives way to players who send less, behind a proxy too', async () => {
    const service = createTestService({ trustedProxies: ['127.0.0.1'] });
    const { port, url } = await serveWith({ arrivingBytes: 1_000 * kibibytes }, service);
    const player = await sendPart(port, 100 * kibibytes, 'X-Forwarded-For: 198.51.100.1\r\n');
    const greedy: RawConnection[] = [];
    for (const host of [1, 2, 3, 4]) {
      greedy.push(await sendPart(port, 300 * kibibytes, `X-Forwarded-For: 2001:db8::${host}\r\n`));
    }
    await expect.poll(() => statusesOf(greedy)[0]).toEqual([503]);
    expect(statusesOf([player])).toEqual([[]]);
    const guest = await fetch(url + operations.signInAsGuest.path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ game_id: service.gameId, env: 0, device_id: 'device-one' }),
    });
    expect(guest.status).toBe(200);
  });

  it('holds nothing any more once it has its answer', async () => {
    const { url } = await serveWith({ arrivingBytes: 500 * kibibytes });
    const statuses: number[] = [];
    for (let request = 0; request < 5; request += 1) {
      const answer = await fetch(url + operations.resolveConflict.path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: ' '.repeat(300 * kibibytes),
      });
      await answer.arrayBuffer();
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
  });
});

describe('a client that sends requests ahead of their answers', () => {
  /** One that is never answered, and others behind it, each with so many bytes of headers and of a body. */
  async function sendAhead(port: number, count: number, bytes: number): Promise<RawConnection> {
    const connection = await openRaw(port);
    connections.push(connection);
    const text = 'x'.repeat(bytes);
    const request = `POST /v2/more HTTP/1.1\r\nHost: a\r\nX: ${text}\r\nContent-Length: ${bytes}\r\n\r\n${text}`;
    connection.send(`GET /v2/held HTTP/1.1\r\nHost: a\r\n\r\n${request.repeat(count)}`);
    return connection;
  }

  async function serveHeld(limits: PortLimits) {
    const asked: string[] = [];
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const fetch = async (request: Request): Promise<Response> => {
      asked.push(new URL(request.url).pathname);
      if (asked.at(-1) === '/v2/held') await held;
      return new Response('answered');
    };
    const served = await serve({ fetch }, { port: 0, limits });
    open.push(served);
    return { ...served, asked, answer };
  }

  it('is cut off where too much waits, the oldest first', async () => {
    const { port, asked } = await serveHeld({ arrivingBytes: 1_200 * kibibytes });
    const cut: number[] = [];
    for (let client = 0; client < 5; client += 1) {
      const connection = await sendAhead(port, 30, 5 * kibibytes);
      void connection.closed.then(() => cut.push(client));
      await expect.poll(() => asked).toHaveLength(client + 1);
      await expect.poll(() => cut).toHaveLength(Math.max(0, client - 1));
    }
    expect(cut).toEqual([0, 1, 2]);
  });

  it('holds nothing any more when it is answered', async () => {
    const { port, asked, answer } = await serveHeld({ arrivingBytes: 1_200 * kibibytes });
    const first = await sendAhead(port, 30, 5 * kibibytes);
    const second = await sendAhead(port, 30, 5 * kibibytes);
    await expect.poll(() => asked).toHaveLength(2);
    answer();
    await expect.poll(() => statusesOf([first, second]).map(({ length }) => length)).toEqual([31, 31]);
    const third = await sendAhead(port, 30, 5 * kibibytes);
    await expect.poll(() => statusesOf([third])[0]?.length).toBe(31);
    for (const { send } of [first, second, third]) send('GET /v2/again HTTP/1.1\r\nHost: a\r\n\r\n');
    await expect.poll(() => statusesOf([first, second, third]).map(({ length }) => length)).toEqual([32, 32, 32]);
  });
});
