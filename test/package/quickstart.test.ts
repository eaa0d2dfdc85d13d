import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { findPostgres, freePort, startPostgres } from '../../scripts/postgres.mjs';
import { startCaddy } from '../deploy/started-caddy.js';
import { startNginx } from '../deploy/started-nginx.js';
import { buildImage } from './image.js';
import { blocksOf, createShell, splitAt } from './quickstart.js';
import { repository } from './run.js';

type Environment = { [name: string]: string };
const patient = { timeout: 30_000, interval: 50 };
const ends: (() => unknown)[] = [];
let base: string;
let shell: ReturnType<typeof createShell>;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'savepoint-quickstart-'));
  shell = createShell(base, inject('tarball'));
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  rmSync(base, { recursive: true, force: true });
});

/** Starts a program that writes into a file, and nothing else of this process's environment than where programs are. */
function startLogged(log: string, [program = '', ...args]: string[], cwd: string, env: Environment): ChildProcess {
  const file = openSync(log, 'a');
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', file, file],
  });
  closeSync(file);
  ends.push(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  return child;
}

/** The variables of a file with a line for each. */
function variablesIn(file: string): Environment {
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split(/=(.*)/, 2)));
}

/** The database of compose.yaml: with the name, the user and the password that it is given there, which is asked for. */
async function startDatabase(settings: Environment, password: string): Promise<number> {
  const binaries = findPostgres();
  if (binaries === null) throw new Error('There is no PostgreSQL.');
  // Its own user reads it.
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-hba-'));
  chmodSync(folder, 0o755);
  const rules = 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n';
  writeFileSync(join(folder, 'pg_hba.conf'), rules);
  const server = await startPostgres(binaries, {
    isDurable: false,
    settings: { hba_file: join(folder, 'pg_hba.conf') },
  });
  ends.push(() => {
    server.remove();
    rmSync(folder, { recursive: true });
  });
  const { POSTGRES_USER: user, POSTGRES_DB: database } = settings;
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`);
  await client.query(`CREATE DATABASE ${database} OWNER ${user}`);
  await client.end();
  return Number(new URL(server.url).port);
}

describe('the quick start', () => {
  it('with Docker: its commands make what its parts run with, which a deployment check passes by way of Caddy', async () => {
    const [make = '', look = ''] = blocksOf('With Docker');
    const folder = join(base, 'context', 'files');
    mkdirSync(folder, { recursive: true });
    const [before] = splitAt(make, 'docker compose up');
    await shell(before, folder);
    expect(readdirSync(join(folder, 'secrets'))).toHaveLength(6);
    expect(statSync(join(folder, 'secrets')).mode & 0o077).toBe(0);

    const { services, networks } = parseYaml(readFileSync(join(folder, 'compose.yaml'), 'utf8')) as {
      services: { [name: string]: { environment: Environment } };
      networks: { default: { ipam: { config: { subnet: string }[] } } };
    };
    const dotEnv = variablesIn(join(folder, '.env'));
    const secrets = join(folder, 'secrets');
    const port = await freePort();
    const databasePort = await startDatabase(
      services['database']?.environment ?? {},
      readFileSync(join(secrets, 'database-password'), 'utf8').trim(),
    );
    // What Docker's network does: `database` is where the database is, and Caddy comes from that subnet.
    const store = readFileSync(join(secrets, 'store'), 'utf8').replace('@database:5432', `@127.0.0.1:${databasePort}`);
    writeFileSync(join(secrets, 'store'), store);
    const given = Object.entries(services['savepoint']?.environment ?? {}).map(([name, value]) => [
      name,
      value
        .replace(/^\$\{(\w+):\?.*\}$/, (_, variable) => dotEnv[variable] ?? '')
        .replace('/run/secrets', secrets)
        .replace(networks.default.ipam.config[0]?.subnet ?? 'none', '127.0.0.1'),
    ]);
    const image = await buildImage(base, folder, join(folder, 'Dockerfile'));
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...image.environment,
      ...Object.fromEntries(given),
      SAVEPOINT_PORT: String(port),
    };
    const log = join(base, 'log');
    startLogged(log, image.command, image.app, env);
    await expect.poll(() => image.checkHealth(env), patient).toBe(0);
    const caddy = await startCaddy(base, join(folder, 'Caddyfile'), `127.0.0.1:${port}`);
    ends.push(caddy.stop);

    const said = await shell(look.replaceAll('https://saves.example.com', caddy.url), folder);
    expect(said).toContain('"ok"');
    const health = await (await fetch(`${caddy.url}/health`)).json();
    expect(health).not.toMatchObject({ warnings: [expect.anything()] });
    expect(readFileSync(log, 'utf8')).toContain('"store":"postgres"');
  });

  it('with systemd: its commands make what the unit runs with, which reloads, and ends in time; nginx goes before it', async () => {
    const [block = ''] = blocksOf('With systemd');
    const root = join(base, 'root');
    const inRoot = (text: string): string =>
      text.replaceAll(/(?<![\w/])\/(opt\/savepoint|etc\/savepoint|etc\/systemd|var\/lib)\b/g, `${root}/$1`);
    for (const there of ['opt', 'etc/systemd/system', 'var/lib']) mkdirSync(join(root, there), { recursive: true });
    const [before, behind] = splitAt(inRoot(block), 'systemctl enable');
    await shell(before, root);
    // This Node may have no SQLite of its own; the page says what to install then.
    const packages = join(root, 'opt/savepoint/node_modules');
    if (!existsSync(join(packages, 'better-sqlite3')))
      symlinkSync(join(repository, 'node_modules/better-sqlite3'), join(packages, 'better-sqlite3'));

    const unit = inRoot(readFileSync(join(root, 'etc/systemd/system/savepoint.service'), 'utf8'));
    const setTo = (name: string): string => new RegExp(`^${name}=(.+)$`, 'm').exec(unit)?.[1] ?? '';
    const stateFolder = join(root, 'var/lib', setTo('StateDirectory'));
    mkdirSync(stateFolder);
    expect(setTo('WorkingDirectory')).toBe(stateFolder);
    const port = await freePort();
    const env = {
      ...Object.fromEntries([setTo('Environment').split('=', 2)]),
      ...variablesIn(setTo('EnvironmentFile').replace(/^-/, '')),
      SAVEPOINT_PORT: String(port),
    };
    const log = join(base, 'journal');
    const command = setTo('ExecStart').replace('/usr/bin/node', process.execPath).split(' ');
    const child = startLogged(log, command, stateFolder, env);
    const logged = () => readFileSync(log, 'utf8');
    await expect.poll(logged, patient).toContain('"listening"');
    const said = await shell(behind.replaceAll('4873', String(port)), root, { JOURNAL: log });
    expect(said).toContain('"kind":"listening"');
    expect(said).toContain('"status":"ok"');

    const proxy = await startNginx(base, join(repository, 'deploy/nginx.conf'), `127.0.0.1:${port}`);
    ends.push(proxy.stop);
    const check = [
      `npx savepoint check https://127.0.0.1:${proxy.tlsPort} --game-id ${env['SAVEPOINT_GAME_ID']}`,
      `--private-key-file ${root}/etc/savepoint/private.key --quick`,
    ].join(' ');
    await shell(check, join(root, 'opt/savepoint'), { NODE_EXTRA_CA_CERTS: proxy.certificate });

    expect(setTo('ExecReload')).toBe('/bin/kill -HUP $MAINPID');
    child.kill('SIGHUP');
    await expect.poll(logged, patient).toContain('"reloaded"');
    const stopped = performance.now();
    child.kill(setTo('KillSignal') as NodeJS.Signals);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(performance.now() - stopped).toBeLessThan(Number(setTo('TimeoutStopSec')) * 1_000);
  });
});
