import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { createMemoryStore, type LogRecord } from 'savepoint/backend';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startCourier } from '../../../src/backend/webhooks/courier.js';
import { webhookDefaults } from '../../../src/protocol/gaps/webhooks.js';
import { createTestService, post, signInGuest, testPrivateKey } from '../../support/service.js';

/** What a receiver does with a connection, in bytes. */
type Conduct = (socket: Socket) => void;

const ends: (() => void)[] = [];
// Sockets, and the receivers' own intervals, go by the real time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
});

/** Listens with real sockets; `asked` and `closed` count the connections that brought a request, and that are over. */
async function receiver(conduct: Conduct) {
  const told = { url: '', asked: 0, closed: 0 };
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => {})
      .once('close', () => {
        told.closed += 1;
      });
    socket.once('data', () => {
      told.asked += 1;
      conduct(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  told.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return told;
}

/** Sends a text and then one more byte every few ms, for ever. */
function drip(socket: Socket, head: string, byte: string): void {
  socket.write(head);
  const timer = setInterval(() => void socket.write(byte), 5);
  socket.once('close', () => clearInterval(timer));
}

const gigabyte = 1024 ** 3;
const poured = { bytes: 0 };

/** Sends 1 GB behind a text as fast as it is taken, and counts it. */
function pour(socket: Socket, head: string): void {
  const block = Buffer.alloc(65_536, 0x61);
  const go = (): void => {
    while (poured.bytes < gigabyte && !socket.destroyed) {
      poured.bytes += block.length;
      if (!socket.write(block)) return void socket.once('drain', go);
    }
  };
  socket.write(head);
  go();
}

/** Answers the request that came. */
function answerEach(socket: Socket): void {
  socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
}

/** A service with one event for a receiver. */
async function eventFor(url: string) {
  const store = createMemoryStore();
  const log: LogRecord[] = [];
  const service = createTestService({ store, log: (record) => void log.push(record), game: { webhook: { url } } });
  const { accessToken: token } = await signInGuest(service);
  await post(service, '/v2/auth/name', { username: 'ada', password: 'a password of ada' }, { token });
  return { service, event: () => store.dump().events?.[0], log };
}

const elsewhere = 'HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\n';
const longBody = 'Content-Length: 99999\r\n\r\n';

/** How it ends: by the time-out or at once, and with which status in the operators' list. */
const [late, none] = [
  { isLate: true, status: null },
  { isLate: false, status: null },
];
const at = (status: number) => ({ isLate: false, status });

it.each<[string, Conduct, { isLate: boolean; status: number | null }]>([
  ['takes the request and never answers', () => {}, late],
  ['answers its head byte by byte', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX-Slow: ', 'a'), late],
  ['answers its body byte by byte', (socket) => drip(socket, `HTTP/1.1 200 OK\r\n${longBody}`, 'a'), late],
  ['closes the connection', (socket) => void socket.destroy(), none],
  ['closes it within its answer', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc'), none],
  ['answers what is no HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.6\r\n'), none],
  ['leads elsewhere', (socket) => void socket.end(`${elsewhere}Content-Length: 0\r\n\r\n`), at(307)],
  ['leads elsewhere, without an end', (socket) => drip(socket, `${elsewhere}${longBody}`, 'a'), at(307)],
  ['refuses, without an end', (socket) => drip(socket, `HTTP/1.1 500 No\r\n${longBody}`, 'a'), at(500)],
  ['answers 1 GB', (socket) => pour(socket, `HTTP/1.1 200 OK\r\nContent-Length: ${gigabyte}\r\n\r\n`), at(200)],
  ['answers a head of 1 GB', (socket) => pour(socket, 'HTTP/1.1 200 OK\r\nX-Long: '), none],
])('keeps the event for later, and nothing open, where a receiver %s', async (_, conduct, { isLate, status }) => {
  poured.bytes = 0;
  const told = await receiver(conduct);
  const { service, event, log } = await eventFor(told.url);
  const delivering = service.backend.deliverWebhooks();
  await vi.waitFor(() => expect(told.asked).toBe(1), { interval: 5 });
  if (isLate) await vi.advanceTimersByTimeAsync(webhookDefaults.webhookTimeoutMs);
  expect(await delivering).toBe(0);
  expect(event()).toMatchObject({ attempts: 1, deadAt: null, lastStatus: status });
  await vi.waitFor(() => expect(told.closed).toBe(1), { timeout: 5_000, interval: 5 });
  expect(poured.bytes).toBeLessThan(gigabyte / 16);
  expect(log.filter(({ kind }) => kind === 'error')).toHaveLength(1);
});

it('tells a game at once, while the receivers of forty others never answer', async () => {
  const dead = await receiver(() => {});
  const good = await receiver(answerEach);
  const games = Array.from({ length: 41 }, (_, index) => ({
    id: `5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c${String(index).padStart(2, '0')}`,
    privateKeys: [testPrivateKey],
    webhook: { url: index === 40 ? good.url : dead.url },
  }));
  const service = createTestService({ games });
  const makeEvent = async (gameId: string, name: string): Promise<void> => {
    const device = { game_id: gameId, device_id: `device-of-${name}` };
    const { accessToken: token } = (await post(service, '/v2/auth/guest', device)).body;
    await post(service, '/v2/auth/name', { ...device, username: name, password: 'a password' }, { token });
  };
  for (const { id } of games) await makeEvent(id, 'ada');
  const { games: told, deliver } = service.backend.webhooks;
  const courier = startCourier({ games: told, deliver, failed: (error) => expect.unreachable(String(error)) });
  await vi.advanceTimersByTimeAsync(1_000);
  await vi.waitFor(() => expect([dead.asked, good.asked]).toEqual([40, 1]), { interval: 5 });
  for (let round = 2; round < 6; round += 1) {
    await makeEvent(games[40]?.id ?? '', `grace-${round}`);
    await vi.advanceTimersByTimeAsync(1_000);
    await vi.waitFor(() => expect(good.asked).toBe(round), { interval: 5 });
  }
  expect(dead.asked).toBe(40);
  const ended = courier.end();
  await vi.advanceTimersByTimeAsync(webhookDefaults.webhookTimeoutMs);
  await ended;
});
