import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCaddy } from '../../scripts/caddy.mjs';
import { type StartedCaddy, startCaddy } from './started-caddy.js';

const example = fileURLToPath(new URL('../../deploy/Caddyfile', import.meta.url));
const program = findCaddy() ?? '';

let folder: string;
let caddy: StartedCaddy;
let upstream: Server;
let url: string;
/** What the service behind it has been given, but for questions for its health. */
let given: { headers: IncomingMessage['headers']; url: string | undefined; bytes: number; isWhole: boolean }[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = { headers: request.headers, url: request.url, bytes: 0, isWhole: false };
  if (request.url !== '/health/ready') given.push(asked);
  try {
    for await (const chunk of request) asked.bytes += (chunk as Buffer).length;
  } catch {
    // Caddy has cut it off.
  }
  asked.isWhole = request.complete;
  response.end('{}');
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-caddy-'));
  upstream = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  caddy = await startCaddy(folder, example, `127.0.0.1:${(upstream.address() as AddressInfo).port}`);
  ({ url } = caddy);
});
afterAll(async () => {
  await caddy.stop();
  upstream.closeAllConnections();
  upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('the example of Caddy', () => {
  it('is written as Caddy wants it', () => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    execFileSync(program, ['validate', '--config', example, '--adapter', 'caddyfile'], { env, stdio: 'pipe' });
  });

  it('gives the service the address that it sees, an id of its own, and no trace that a player chooses', async () => {
    given = [];
    const response = await fetch(`${url}/v2/cl/a%2Fb/c%20d?env=0`, {
      method: 'POST',
      headers: {
        'x-forwarded-for': '203.0.113.9',
        'x-request-id': 'chosen-by-a-player',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'a=b',
        authorization: 'Bearer token',
      },
    });
    expect(response.status).toBe(200);
    expect(given[0]?.url).toBe('/v2/cl/a%2Fb/c%20d?env=0');
    expect(given[0]?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      authorization: 'Bearer token',
    });
    expect(given[0]?.headers).not.toHaveProperty('traceparent');
    expect(given[0]?.headers).not.toHaveProperty('tracestate');
  });

  it('takes what the service takes, and no flood of bytes', async () => {
    given = [];
    const post = async (bytes: number): Promise<number> => {
      const answered = fetch(`${url}/v2/auth/conflict`, { method: 'POST', body: 'x'.repeat(bytes) });
      return answered.then(
        ({ status }) => status,
        () => 0,
      );
    };
    expect(await post(4 * 1024 * 1024 + 1_000)).toBe(200);
    expect(given[0]).toMatchObject({ bytes: 4 * 1024 * 1024 + 1_000, isWhole: true });
    expect(await post(6_000_000)).not.toBe(200);
    expect(given[1]?.isWhole ?? false).toBe(false);
  });
});
