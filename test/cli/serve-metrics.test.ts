import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadPrometheus } from '../../src/cli/serve/metrics.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start, untilSaid } from './program.js';

let program: string;
let env: { [name: string]: string };
const running: Program[] = [];

beforeAll(async () => {
  const [file, { out }] = await Promise.all([bundleProgram(), runCommand(['new-key', 'signing'])]);
  program = file;
  env = {
    SAVEPOINT_GAME_ID: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    SAVEPOINT_PRIVATE_KEY: 'a-private-key',
    SAVEPOINT_SIGNING_KEY: out,
    SAVEPOINT_STORE: 'memory',
  };
});
afterEach(() => {
  vi.doUnmock('prom-client');
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
});

describe('savepoint serve, where metrics are asked for', () => {
  it.each([
    [['--metrics-port', '0'], {}],
    [[], { SAVEPOINT_METRICS_PORT: '0' }],
  ])('shows them on a port of their own to this machine alone: %j %j', async (args, more) => {
    const served = start(program, ['serve', '--port', '0', ...args], { env: { ...env, ...more } });
    running.push(served);
    await untilSaid(served, '"listening"');
    const { url, metrics } = JSON.parse(served.stdout());
    expect(metrics).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    await fetch(`${url}/v2/auth/account`);
    const text = await (await fetch(metrics)).text();
    for (const line of [
      /^savepoint_requests_total\{operation="readAccount",status="401",code="unauthorized"\} 1$/m,
      /^savepoint_store_up\{access="writes"\} 1$/m,
      /^savepoint_build_info\{version="[\d.]+"\} 1$/m,
      /^nodejs_eventloop_lag_p99_seconds \d/m,
      /^process_resident_memory_bytes \d/m,
    ])
      expect(text).toMatch(line);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    served.child.kill('SIGTERM');
    expect(await served.ended).toBe(0);
  });

  it('does not start where their port is taken, or is none', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const taken = await runCommand(['serve', '--port', '0', '--metrics-port', String(port)], { env });
    expect([taken.code, taken.err]).toEqual([2, expect.stringContaining('savepoint serve --metrics-port 0')]);
    other.close();
    const none = await runCommand(['serve', '--metrics-port', 'http'], { env });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('the metrics port must be a number')]);
  });

  it('says which package is missing', async () => {
    vi.doMock('prom-client', () => {
      throw new Error('no such package');
    });
    await expect(loadPrometheus()).rejects.toThrow('metrics need the package prom-client: npm install prom-client');
  });
});
