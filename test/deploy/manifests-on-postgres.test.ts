import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { freePort } from '../../scripts/postgres.mjs';
import { runCommand } from '../cli/in-process.js';
import { bundleProgram } from '../cli/program.js';
import { describeOnPostgres } from '../support/on-postgres.js';
import { fly, kubernetes, type Manifest, render } from './manifests.js';

const base = mkdtempSync(join(tmpdir(), 'savepoint-manifests-'));
afterAll(() => rmSync(base, { recursive: true }));

/** Which file of the Secret a variable of the others stands for. */
const fileOf: { readonly [variable: string]: string } = {
  SAVEPOINT_STORE: 'store',
  SAVEPOINT_SIGNING_KEY: 'signing-key.json',
  SAVEPOINT_PRIVATE_KEY: 'private.key',
  SAVEPOINT_OPERATOR_KEY: 'operator.key',
  SAVEPOINT_SEALING_KEY: 'sealing.key',
};
const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

describeOnPostgres('what a platform runs', (newSchema) => {
  const database = newSchema();
  /** What whoever deploys it makes, by the names of the files. */
  const made: { [file: string]: string } = {};
  /** What whoever deploys it says. */
  const said: { [variable: string]: string } = {
    SAVEPOINT_GAME_ID: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
    SAVEPOINT_ALLOWED_ORIGINS: 'https://game.example.com',
    SAVEPOINT_TRUSTED_PROXIES: '10.0.0.0/8',
  };

  beforeAll(async () => {
    const program = await bundleProgram();
    // The program lies where the image has it.
    const folder = join(base, 'node_modules/savepoint/dist/cli');
    mkdirSync(folder, { recursive: true });
    symlinkSync(program, join(folder, 'savepoint.js'));
    const store = new URL(database.url);
    store.searchParams.set('schema', database.schema);
    made['store'] = store.href;
    const kinds = { 'signing-key.json': 'signing', 'private.key': 'private', 'sealing.key': 'sealing' };
    for (const [file, kind] of Object.entries(kinds)) made[file] = (await runCommand(['new-key', kind])).out;
    made['operator.key'] = (await runCommand(['new-key', 'operator'])).out;
  });
  afterAll(() => database.drop());

  /** The variables as the platform sets them; what it takes from a mounted folder lies in one of the test's own. */
  function environmentOf(name: string, { env, given, secrets }: Manifest): { [name: string]: string } {
    const all = { ...env };
    for (const variable of given) all[variable] = made[fileOf[variable] ?? '']?.trim() ?? said[variable] ?? '';
    if (secrets === null) return all;
    const folder = join(base, name, secrets.folder);
    mkdirSync(folder, { recursive: true });
    for (const file of secrets.files) writeFileSync(join(folder, file), made[file] ?? '', { mode: 0o440 });
    return Object.fromEntries(
      Object.entries(all).map(([variable, value]) => {
        return [variable, value.startsWith(`${secrets.folder}/`) ? join(base, name, value) : value];
      }),
    );
  }

  it.concurrent.each([
    ['Kubernetes', kubernetes()],
    ['Fly', fly()],
    ['Render', render()],
  ])('starts on %s, is found well by its probes, and ends by itself in the time that it is given', async (name, of) => {
    const { command, port, probes, readiness, graceSeconds } = of;
    const env = environmentOf(name, of);
    // It listens where it is asked; the machine of a test may have that port in use.
    expect(Number(env['SAVEPOINT_PORT'])).toBe(port);
    env['SAVEPOINT_PORT'] = String(await freePort());
    const metricsPort = env['SAVEPOINT_METRICS_PORT'] === undefined ? null : await freePort();
    if (metricsPort !== null) env['SAVEPOINT_METRICS_PORT'] = String(metricsPort);
    const [program = '', ...args] = command;
    const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
    const child = spawn(program, args, { cwd: base, env: { PATH, ...env } });
    try {
      const ended = once(child, 'close');
      let out = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => {
          out += text;
        });
      }
      const url = `http://127.0.0.1:${env['SAVEPOINT_PORT']}`;
      const hasSaid = (kind: string) => out.includes(`"kind":"${kind}"`) || child.exitCode !== null;
      await vi.waitUntil(() => hasSaid('listening'), { timeout: 60_000 });
      expect(child.exitCode, out).toBeNull();
      for (const path of probes) expect([path, await statusOf(url + path)]).toEqual([path, 200]);
      if (metricsPort !== null) expect(await statusOf(`http://127.0.0.1:${metricsPort}/metrics`)).toBe(200);
      const began = Date.now();
      child.kill('SIGTERM');
      await vi.waitUntil(() => hasSaid('draining'), { timeout: 20_000 });
      // Nobody is sent to it any more, and it is not taken for one that has to be started again.
      for (const path of probes)
        expect([path, await statusOf(url + path)]).toEqual([path, path === readiness ? 503 : 200]);
      expect((await ended)[0], out).toBe(0);
      expect(Date.now() - began).toBeLessThan(graceSeconds * 1000);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
