import { request } from 'node:http';
import type { ServiceLimits } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { readSettings, type ServeArguments } from '../../src/cli/serve/settings.js';
import { runCommand } from './in-process.js';
import { setUpServe } from './served.js';

const { serve, whole, fileWith } = setUpServe();

/** The status of a request whose headers have so many bytes. */
function statusWith(url: string, headerBytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/.well-known/jwks.json`, { headers: { 'X-Long': 'x'.repeat(headerBytes) } });
    sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
    sent.end();
  });
}

describe('the limits of savepoint serve', () => {
  it('are those of the command line, else of the environment, else of the file, each for what it bounds', async () => {
    const read = async (given: ServeArguments, env: Record<string, string>, limits: ServiceLimits) => {
      const settings = await readSettings(given, { limits }, { env: { ...whole(), ...env } } as never);
      const { backend, portLimits, postgresLimits } = settings;
      return { service: backend.limits, port: portLimits, postgres: postgresLimits };
    };
    expect(await read({}, {}, {})).toEqual({ service: { rates: true }, port: {}, postgres: {} });
    const inFile = { valueBytes: 1, writeMs: 1, unreadBytes: 1, pipelined: 1, connectTimeoutMs: 1 };
    const env = { SAVEPOINT_LIMITS: 'writeMs=2, unreadBytes=2,,statementTimeoutMs=2' };
    expect(await read({ limit: ['unreadBytes=3', 'verifierMs=3'] }, env, inFile)).toEqual({
      service: { rates: true, valueBytes: 1, verifierMs: 3 },
      port: { writeMs: 2, unreadBytes: 3, pipelined: 1 },
      postgres: { connectTimeoutMs: 1, statementTimeoutMs: 2 },
    });
  });

  it('reach the port', { timeout: 60_000 }, async () => {
    const { url } = await serve(['--limit', 'headerBytes=4000']);
    expect(await statusWith(url, 3_000)).toBe(200);
    expect(await statusWith(url, 5_000)).toBe(431);
  });

  it.each([
    [['--limit', 'writeMs'], /a limit must be as in writeMs=15000/],
    [['--limit', 'writeMs=0'], /a limit must be as in writeMs=15000/],
    [['--limit', 'writeMs=1e3'], /a limit must be as in writeMs=15000/],
    [['--limit', 'writeMS=1'], /there is no limit writeMS; did you mean writeMs\?/],
    [['--limit', 'geheim=1'], /there is no limit/],
    [['--limit', 'rates=1'], /rates are given by --rate/],
  ])('are refused where they are none: %j', async (args, message) => {
    const { code, err } = await runCommand(['serve', ...args], { env: whole() });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  const inPostgres = 'postgres://127.0.0.1:1/none';
  const tooLong = { statementTimeoutMs: 2 ** 31 };
  it.each<[string, string[], object, RegExp]>([
    ['serve', ['--store', inPostgres], tooLong, /statementTimeoutMs must be an integer of milliseconds/],
    ['dev', ['--store', inPostgres], tooLong, /statementTimeoutMs must be an integer of milliseconds/],
    ['migrate', ['--store', inPostgres], tooLong, /statementTimeoutMs must be an integer of milliseconds/],
    ['serve', ['--store', 'memory'], { writeMs: 1.5 }, /limits\.writeMs must be an integer from 1 up/],
    ['dev', ['--store', 'memory'], { writeMs: 1.5 }, /limits\.writeMs must be an integer from 1 up/],
    ['serve', ['--store', 'memory'], { closeMs: 5 }, /there is no limits\.closeMs/],
  ])('of a file reach what they bound in savepoint %s %j: %j', async (command, args, limits, message) => {
    const { SAVEPOINT_STORE: _, ...env } = whole();
    const port = command === 'migrate' ? [] : ['--port', '0'];
    const given = [command, '--config', fileWith('limits.config.json', JSON.stringify({ limits })), ...args, ...port];
    const { code, err } = await runCommand(given, { env: command === 'serve' ? env : {} });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });
});
