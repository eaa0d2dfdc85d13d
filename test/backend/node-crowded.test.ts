import { type Crowd, type PortLimits, type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, describe, expect, it } from 'vitest';
import { openRaw, type RawConnection, statusesIn } from '../support/doors-raw.js';
import { createTestService, type TestService } from '../support/service.js';

const open: ServedBackend[] = [];
const connections: RawConnection[] = [];

afterEach(async () => {
  for (const { socket } of connections.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

async function serveFew(limits: PortLimits, service: TestService = createTestService()) {
  const told: Crowd[] = [];
  // Whoever waits for nothing must not be taken for one that was closed.
  const patient = { headersMs: 60_000, keepAliveMs: 60_000, ...limits };
  const served = await serve(service.backend, { port: 0, limits: patient, crowded: (crowd) => void told.push(crowd) });
  open.push(served);
  return { ...served, told };
}

/** Clients that connect one after the other, and whether each is cut off. */
async function connect(port: number, count: number) {
  const cut: boolean[] = [];
  for (let client = 0; client < count; client += 1) {
    const connection = await openRaw(port);
    connections.push(connection);
    cut.push(false);
    connection.socket.once('close', () => {
      cut[client] = true;
    });
  }
  return cut;
}

const ask = 'GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';

describe('a port with all the connections that it may have', () => {
  it('closes those that wait for longest of an address, and answers whoever comes', async () => {
    const { port, url, told } = await serveFew({ connectionsPerAddress: 3 });
    const cut = await connect(port, 5);
    await expect.poll(() => cut).toEqual([true, true, false, false, false]);
    connections[2]?.send(ask);
    await expect.poll(() => statusesIn(connections[2]?.received() ?? '')).toEqual([200]);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    // Of those that are left the one that was just answered stays.
    await expect.poll(() => cut).toEqual([true, true, false, true, false]);
    expect(told).toEqual([{ closed: 1, address: '127.0.0.1' }]);
    // One that was answered waits again as the others do, and goes when it has waited for longest.
    await connect(port, 3);
    await expect.poll(() => cut).toEqual([true, true, true, true, true]);
  });

  it('lets a trusted proxy open as many as there is room for', async () => {
    const service = createTestService({ trustedProxies: ['127.0.0.1'] });
    const { port, told } = await serveFew({ connections: 4, connectionsPerAddress: 2 }, service);
    const cut = await connect(port, 4);
    connections[0]?.send(ask);
    await expect.poll(() => statusesIn(connections[0]?.received() ?? '')).toEqual([200]);
    expect([cut, told]).toEqual([[false, false, false, false], []]);
    await connect(port, 1);
    await expect.poll(() => cut).toEqual([false, true, false, false]);
  });

  it('is told of to a function alone', async () => {
    const { backend } = createTestService();
    await expect(serve(backend, { port: 0, crowded: 'yes' as never })).rejects.toThrow('crowded must be a function');
    await expect(serve(backend, { port: 0, limits: { connections: 0 } })).rejects.toThrow('limits.connections must be');
  });
});
