import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { freePort } from '../../scripts/postgres.mjs';
import { buildImage, type Image } from './image.js';
import { repository, run } from './run.js';

const base = mkdtempSync(join(tmpdir(), 'savepoint-image-'));
/** As deep as `/app` of a stage, so that the lock file finds the packed package from there too. */
const context = join(base, 'context', 'files');
let image: Image;
let env: { [name: string]: string };

beforeAll(async () => {
  mkdirSync(context, { recursive: true });
  copyFileSync(inject('tarball'), join(base, 'savepoint.tgz'));
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  writeFileSync(join(context, 'package.json'), '{ "name": "a-service", "private": true }\n');
  const packages = ['pg', 'prom-client'].map((name) => `${name}@${devDependencies[name]}`);
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--package-lock-only'];
  await run('npm', ['install', ...quietly, '../../savepoint.tgz', ...packages], context);
  image = await buildImage(base, context, join(repository, 'deploy/Dockerfile'));
  env = {
    PATH: process.env['PATH'] ?? '',
    ...image.environment,
    // What whoever runs the container gives.
    SAVEPOINT_PORT: String(await freePort()),
    SAVEPOINT_METRICS_PORT: String(await freePort()),
    SAVEPOINT_GAME_ID: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    SAVEPOINT_PRIVATE_KEY: 'private-geheim-0123456789',
    SAVEPOINT_STORE: 'memory',
  };
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

it('makes what runs, is found healthy, reloads, drains, and ends', async () => {
  const {
    app,
    command: [program, ...args],
  } = image;
  const file = join(base, 'signing-key.json');
  await run(program, [args[0] ?? '', 'new-key', 'signing', '--out', file], app);
  expect(await image.checkHealth(env)).toBe(1);
  const child = spawn(program, args, { cwd: app, env: { ...env, SAVEPOINT_SIGNING_KEY_FILE: file } });
  const ended = once(child, 'close');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.pipe(process.stderr);
  await vi.waitUntil(() => said.includes('"listening"'), { timeout: 20_000 });
  expect(JSON.parse(said.split('\n')[0] ?? '').url).toBe(`http://127.0.0.1:${env['SAVEPOINT_PORT']}`);
  expect(await image.checkHealth(env)).toBe(0);
  expect((await fetch(`http://127.0.0.1:${env['SAVEPOINT_METRICS_PORT']}/metrics`)).status).toBe(200);
  child.kill('SIGHUP');
  await vi.waitUntil(() => said.includes('"reloaded"'), { timeout: 20_000 });
  child.kill('SIGTERM');
  await vi.waitUntil(() => said.includes('"draining"'), { timeout: 20_000 });
  // In the time of notice it says so, and still answers players.
  expect(await image.checkHealth(env)).toBe(1);
  expect((await fetch(`http://127.0.0.1:${env['SAVEPOINT_PORT']}/openapi.json`)).status).toBe(200);
  expect((await ended)[0]).toBe(0);
});
