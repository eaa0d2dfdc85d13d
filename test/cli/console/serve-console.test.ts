import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { testOperatorKey } from '../../support/operators.js';
import { type DevInProcess, runCommand, startInProcess } from '../in-process.js';
import { ask, openPage, pageFolder } from './page.js';
import { gameId, privateKey } from './served-console.js';

const consoleFolder = pageFolder();
let folder: string;
let env: { [name: string]: string };
const running: DevInProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-serve-console-'));
  env = {
    SAVEPOINT_GAME_ID: gameId,
    SAVEPOINT_PRIVATE_KEY: privateKey,
    SAVEPOINT_SIGNING_KEY: (await runCommand(['new-key', 'signing'])).out.trim(),
    SAVEPOINT_OPERATOR_KEY: testOperatorKey,
    SAVEPOINT_STORE: join(folder, 'saves.db'),
  };
});
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

async function endAll(): Promise<void> {
  for (const started of running.splice(0)) await started.stop();
}

async function serve(...args: string[]): Promise<string> {
  const started = await startInProcess(['serve', '--port', '0', ...args], { env, consoleFolder });
  running.push(started);
  return started.ready.url;
}

describe('savepoint serve', () => {
  it('has the console, whose session outlives a restart', async () => {
    const page = openPage(await serve());
    expect((await page.ask('')).text).toContain('<!doctype html>');
    expect((await page.signIn(testOperatorKey)).json().operator.scope).toBe('admin');
    await endAll();
    const headers = { cookie: page.cookie() ?? '' };
    const shown = await ask(await serve(), '/console/session', { headers });
    expect(shown.json()).toMatchObject({ mode: 'serve', operator: { scope: 'admin' }, games: [gameId], dev: null });
  });

  it('writes no key into its log', async () => {
    const lines: string[] = [];
    const page = openPage(await serve());
    await page.signIn(testOperatorKey);
    await page.signIn('a-wrong-key-geheim');
    await page.ask('api/v2/admin/games');
    for (const started of running.splice(0)) {
      await started.stop();
      lines.push(started.out());
    }
    expect(lines.join('')).toContain('/v2/admin/games');
    expect(lines.join('')).not.toContain(testOperatorKey);
    expect(lines.join('')).not.toContain('geheim');
  });

  it('says which limits its settings have set, and what is not in use', async () => {
    const file = join(folder, 'limits.json');
    writeFileSync(file, JSON.stringify({ limits: { quotas: { entries: 7 }, rates: { lockMaxMs: 5_000 } } }));
    const given = ['--limit', 'valueBytes=20000', '--limit', 'pipelined=9', '--rate', 'readsPerAccount=9/60'];
    const page = openPage(await serve('--config', file, ...given, '--drain-limit', '3'));
    expect((await page.ask('limits')).status).toBe(401);
    await page.signIn(testOperatorKey);
    const { set, unused } = (await page.ask('limits')).json();
    const found = set.map(
      ({ of, name, value }: { of: string; name: string; value: string }) => `${of} ${name} ${value}`,
    );
    expect(found.sort()).toEqual([
      'account entries 7',
      'port closeMs 1000',
      'port pipelined 9',
      'rate lockMaxMs 5000',
      'rate readsPerAccount 9/60',
      'service drain.maxMs 3000',
      'service drain.noticeMs 0',
      'service valueBytes 20000',
    ]);
    expect(unused).toEqual(['PostgreSQL']);
  });

  it('has no development tools', async () => {
    const page = openPage(await serve());
    await page.signIn(testOperatorKey);
    for (const path of ['dev/faults', 'dev/clock', 'session/link']) expect((await page.ask(path)).status).not.toBe(200);
    for (const path of ['dev/faults', 'dev/clock']) expect((await page.ask(path)).status).toBe(404);
    expect((await page.change('dev/reset', { method: 'POST', body: { confirm: 'reset' } })).status).not.toBe(200);
  });

  it('still answers how it is, and what is nowhere as before', async () => {
    const url = await serve();
    expect((await ask(url, '/health')).json()).toEqual({ status: 'ok', store: 'reachable' });
    for (const path of ['/', '/nothing', '/consolex', '/v2/nothing']) {
      const { status, json } = await ask(url, path);
      expect([status, json().code], path).toEqual([404, 'not_found']);
    }
  });

  it('leaves the console out where the command line or the file says so', async () => {
    const config = join(folder, 'without.json');
    writeFileSync(config, JSON.stringify({ console: false }));
    for (const args of [['--no-console'], ['--config', config]]) {
      const url = await serve(...args);
      for (const path of ['/console/', '/console/session', '/console/api/v2/admin/games']) {
        const { status, headers } = await ask(url, path);
        expect([status, headers['content-security-policy']], path).toEqual([404, undefined]);
      }
      await endAll();
    }
  });
});
