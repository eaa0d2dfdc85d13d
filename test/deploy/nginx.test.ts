import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { request as requestTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedNginx, startNginx } from './started-nginx.js';

const example = fileURLToPath(new URL('../../deploy/nginx.conf', import.meta.url));
const name = 'saves.example.com';

let folder: string;
let nginx: StartedNginx;
let upstream: Server;
let plainPort: number;
let tlsPort: number;
/** What the service behind it has been given. */
let given: { headers: IncomingHttpHeaders; url: string; bytes: number }[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  given.push({ headers: request.headers, url: request.url ?? '', bytes });
  response.setHeader('X-Request-Id', request.headers['x-request-id'] ?? '').end('{}');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-nginx-'));
  upstream = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  nginx = await startNginx(folder, example, `127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  ({ plainPort, tlsPort } = nginx);
});
afterAll(async () => {
  await nginx.stop();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

function ask(
  path: string,
  headers: { [name: string]: string } = {},
  body = '',
): Promise<{ status: number; headers: IncomingHttpHeaders }> {
  given = [];
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: tlsPort,
      path,
      method: 'POST',
      servername: name,
      rejectUnauthorized: false,
    };
    const asked = requestTls({ ...options, headers: { host: name, ...headers } }, (response) => {
      response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
    });
    // Who refuses a body may close the connection before all of it is sent.
    asked.once('error', reject).end(body);
  });
}

describe('the example of nginx', () => {
  it('leads players from http to https, with the path and the method', async () => {
    const response = await fetch(`http://127.0.0.1:${plainPort}/v2/a?b=c`, {
      redirect: 'manual',
      headers: { host: name },
    });
    expect([response.status, response.headers.get('location')]).toEqual([308, 'https://127.0.0.1/v2/a?b=c']);
  });

  it('gives the service the address that it sees, an id of its own, and no trace that a player chooses', async () => {
    const { status, headers } = await ask('/v2/cl/a%2Fb/c%20d?env=0', {
      'x-forwarded-for': '203.0.113.9',
      'x-request-id': 'chosen-by-a-player',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
      authorization: 'Bearer token',
      'service-signature': 'kept',
    });
    const [asked] = given;
    expect([status, asked?.url]).toEqual([200, '/v2/cl/a%2Fb/c%20d?env=0']);
    expect(asked?.headers).toMatchObject({
      host: name,
      'x-forwarded-for': '203.0.113.9, 127.0.0.1',
      'x-request-id': expect.stringMatching(/^[\da-f]{32}$/),
      authorization: 'Bearer token',
      'service-signature': 'kept',
    });
    expect(asked?.headers).not.toHaveProperty('traceparent');
    expect(asked?.headers).not.toHaveProperty('tracestate');
    expect(headers['x-request-id']).toBe(asked?.headers['x-request-id']);
    expect(headers['strict-transport-security']).toMatch(/^max-age=\d+$/);
  });

  it('takes what the service takes, and no flood of bytes', async () => {
    const merge = 'x'.repeat(4 * 1024 * 1024 + 1_000);
    expect((await ask('/v2/auth/conflict', {}, merge)).status).toBe(200);
    expect(given[0]?.bytes).toBe(merge.length);
    expect((await ask('/v2/auth/conflict', { expect: '100-continue', 'content-length': '6000000' })).status).toBe(413);
    expect(given).toEqual([]);
  });

  it('refuses a flood of requests from one address with 429, and lets a busy household through', async () => {
    const all = await Promise.all(Array.from({ length: 150 }, () => ask('/v2/auth/account')));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    const statuses = new Set<number>();
    for (let rounds = 0; rounds < 20 && !statuses.has(429); rounds += 1)
      for (const { status } of await Promise.all(Array.from({ length: 150 }, () => ask('/v2/auth/account'))))
        statuses.add(status);
    expect(statuses).toContain(429);
  });

  it.each([
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ] as const)('speaks %s: %s', async (version, isSpoken) => {
    const socket = connect({
      host: '127.0.0.1',
      port: tlsPort,
      servername: name,
      rejectUnauthorized: false,
      minVersion: version,
      maxVersion: version,
      ciphers: 'DEFAULT:@SECLEVEL=0',
    });
    const spoken = await new Promise((resolve) => {
      socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    expect(spoken).toBe(isSpoken);
  });
});
