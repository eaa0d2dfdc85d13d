import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createByteBudget } from '../../../src/backend/http/byte-budget.js';
import { createConnections } from '../../../src/backend/http/node-connections.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A port that answers nothing before `answer`, and what has come to it. */
async function servePort({ pipelined, arrivingBytes }: { pipelined: number; arrivingBytes: number }) {
  const incoming: IncomingMessage[] = [];
  const arriving = createByteBudget(arrivingBytes);
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // Longer than a test may take: a connection that rests is not closed meanwhile.
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    incoming.push(request);
    connections.take(request, response, async () => {
      await answered;
      request.resume();
      response.end();
    });
  });
  servers.push(server);
  const connections = createConnections(server, {
    room: {
      ...{ connections: 10, connectionsPerAddress: 10 },
      isTrusted: () => false,
      crowded: () => {},
      clock: () => 0,
    },
    ...{ writeMs: 60_000, unreadBytes: 1_000_000, pipelined, closeMs: 60_000 },
    arriving,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { incoming, arriving, answer, port: (server.address() as AddressInfo).port };
}

const text = 'x'.repeat(2_000);
const request = `POST /long?${text} HTTP/1.1\r\nHost: a\r\nX: ${text}\r\nContent-Length: ${text.length}\r\n\r\n${text}`;

async function sendAll(port: number, count: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(request.repeat(count));
  return { socket, closed };
}

/** What is left of a request: of its address, its headers, and its body. */
const left = ({ url = '', rawHeaders, headers, readableLength }: IncomingMessage) =>
  url.length + rawHeaders.length + Object.keys(headers).length + readableLength;

describe('requests that are sent ahead', () => {
  it('are held with their headers and bodies until they are answered', async () => {
    const { port, incoming, arriving, answer } = await servePort({ pipelined: 10, arrivingBytes: 1_000_000 });
    const { socket } = await sendAll(port, 4);
    await expect.poll(() => incoming.length).toBe(4);
    expect(arriving.bytes()).toBeGreaterThan(3 * 2 * text.length);
    answer();
    await expect.poll(() => arriving.bytes()).toBe(0);
    socket.destroy();
  });
});

describe('requests that are sent ahead, on a connection that is cut while the first one runs', () => {
  it('are let go where their client leaves', async () => {
    const { port, incoming } = await servePort({ pipelined: 10, arrivingBytes: 1_000_000 });
    const { socket } = await sendAll(port, 4);
    await expect.poll(() => incoming.length).toBe(4);
    expect(incoming.map(left).every((bytes) => bytes > 2_000)).toBe(true);
    socket.destroy();
    await expect.poll(() => incoming.slice(1).map(left)).toEqual([0, 0, 0]);
  });

  it.each([
    ['there are too many', { pipelined: 3, arrivingBytes: 1_000_000 }],
    ['they are too large together', { pipelined: 100, arrivingBytes: 20_000 }],
  ])('are let go where %s', async (_, limits) => {
    const { port, incoming } = await servePort(limits);
    const first = await sendAll(port, 20);
    await expect.poll(() => incoming.length).toBeGreaterThan(3);
    const [, ...ahead] = incoming.slice();
    // One alone may send as much as it likes.
    const second = await sendAll(port, 2);
    await first.closed;
    second.socket.destroy();
    expect(ahead.length).toBeGreaterThan(2);
    await expect.poll(() => ahead.map(left).filter((bytes) => bytes > 0)).toEqual([]);
  });
});
