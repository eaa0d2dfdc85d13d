import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the tests' PostgreSQL is; null where there is none. */
    postgres: string | null;
  }
}

/** Debian's place, which is not on the path. */
const debian = '/usr/lib/postgresql';

/**
 * Finds a PostgreSQL for all tests of the project: the one that TEST_DATABASE_URL names, else one of this run's own,
 * from the machine's binaries. Without any the tests are skipped, one line says so, and with REQUIRE_POSTGRES it is an error.
 */
export async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const given = process.env['TEST_DATABASE_URL'];
  const binaries = given ? null : findBinaries();
  if (given || binaries === null) {
    if (!given) sayThatThereIsNone();
    project.provide('postgres', given || null);
    return undefined;
  }
  const { url, stop } = await start(binaries);
  project.provide('postgres', url);
  return stop;
}

function sayThatThereIsNone(): void {
  const line = 'No PostgreSQL: set TEST_DATABASE_URL, or install it (apt-get install postgresql).';
  if (process.env['REQUIRE_POSTGRES']) throw new Error(line);
  console.warn(`${line} The tests on it are skipped.`);
}

function findBinaries(): string | null {
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = versions
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(debian, version, 'bin'))
    .concat((process.env['PATH'] ?? '').split(':'));
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

async function start(binaries: string): Promise<{ url: string; stop: () => void }> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'savepoint-postgres-'));
  // initdb refuses root; Debian's package has made this user.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['postgres:', folder]);
  const run = (name: string, args: readonly string[]): void => {
    const command = [join(binaries, name), ...args];
    const [file = '', ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
  };
  const data = join(folder, 'data');
  const port = await freePort();
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync']);
  // Durability is PostgreSQL's own, and here nobody pulls its plug.
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=200`;
  run('pg_ctl', ['-D', data, '-w', '-s', '-l', join(folder, 'log'), '-o', options, 'start']);
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop() {
      run('pg_ctl', ['-D', data, '-w', '-s', '-m', 'immediate', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
