import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { freePort } from '../../scripts/postgres.mjs';
import { all, commandOf, environmentOf, readDockerfile, type Stage } from '../deploy/dockerfile.js';
import { repository, run } from './run.js';

const base = mkdtempSync(join(tmpdir(), 'savepoint-image-'));
const stages = readDockerfile(join(repository, 'deploy/Dockerfile'));
const image = stages.at(-1) as Stage;
/** What stands for the root of a stage. */
const rootOf = (index: number): string => join(base, `stage-${index}`);
const app = join(rootOf(stages.length - 1), 'app');
/** As deep as `/app` of a stage, so that the lock file finds the packed package from there too. */
const context = join(base, 'context', 'files');
let env: { [name: string]: string };

/** Does what `docker build` would, in folders in the place of images: what a step needs and nobody copied is not there. */
async function build(): Promise<void> {
  for (const [index, stage] of stages.entries()) {
    let folder = rootOf(index);
    for (const { name, rest } of stage.steps) {
      if (name === 'WORKDIR') folder = join(rootOf(index), rest);
      mkdirSync(folder, { recursive: true });
      if (name === 'COPY') copy(rest, folder);
      if (name === 'RUN') await run('sh', ['-c', `${rest} --prefer-offline`], folder);
    }
  }
}

function copy(rest: string, folder: string): void {
  const parts = rest.split(' ');
  const [, from] = /^--from=(.+)$/.exec(parts[0] ?? '') ?? [];
  const sources = parts.slice(from === undefined ? 0 : 1, -1);
  const to = join(folder, parts.at(-1) ?? '');
  for (const source of sources) {
    if (from !== undefined)
      cpSync(join(rootOf(stages.findIndex(({ alias }) => alias === from)), source), to, { recursive: true });
    else copyFileSync(join(context, source), join(to, basename(source)));
  }
}

/** The exit code of the image's health check. */
async function checkHealth(): Promise<number> {
  const [program = '', ...args] = commandOf(all(image, 'HEALTHCHECK')[0] ?? '');
  return promisify(execFile)(program, args, { cwd: app, env }).then(
    () => 0,
    ({ code }: { code: number }) => code,
  );
}

beforeAll(async () => {
  mkdirSync(context, { recursive: true });
  copyFileSync(inject('tarball'), join(base, 'savepoint.tgz'));
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  writeFileSync(join(context, 'package.json'), '{ "name": "a-service", "private": true }\n');
  const packages = ['pg', 'prom-client'].map((name) => `${name}@${devDependencies[name]}`);
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--package-lock-only'];
  await run('npm', ['install', ...quietly, '../../savepoint.tgz', ...packages], context);
  await build();
  env = {
    PATH: process.env['PATH'] ?? '',
    ...environmentOf(image),
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
  const [program = '', ...args] = commandOf(all(image, 'CMD')[0] ?? '');
  const file = join(base, 'signing-key.json');
  await run(program, [args[0] ?? '', 'new-key', 'signing', '--out', file], app);
  expect(await checkHealth()).toBe(1);
  const child = spawn(program, args, { cwd: app, env: { ...env, SAVEPOINT_SIGNING_KEY_FILE: file } });
  const ended = once(child, 'close');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  child.stderr.pipe(process.stderr);
  await vi.waitUntil(() => said.includes('"listening"'), { timeout: 20_000 });
  expect(JSON.parse(said.split('\n')[0] ?? '').url).toBe(`http://127.0.0.1:${env['SAVEPOINT_PORT']}`);
  expect(await checkHealth()).toBe(0);
  expect((await fetch(`http://127.0.0.1:${env['SAVEPOINT_METRICS_PORT']}/metrics`)).status).toBe(200);
  child.kill('SIGHUP');
  await vi.waitUntil(() => said.includes('"reloaded"'), { timeout: 20_000 });
  child.kill('SIGTERM');
  await vi.waitUntil(() => said.includes('"draining"'), { timeout: 20_000 });
  // In the time of notice it says so, and still answers players.
  expect(await checkHealth()).toBe(1);
  expect((await fetch(`http://127.0.0.1:${env['SAVEPOINT_PORT']}/openapi.json`)).status).toBe(200);
  expect((await ended)[0]).toBe(0);
});
