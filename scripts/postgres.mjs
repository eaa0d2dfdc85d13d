// A PostgreSQL of a run's own, from the machine's binaries: the tests and the benchmarks start theirs with this.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** Debian's place, which is not on the path. */
const debian = '/usr/lib/postgresql';

/**
 * The folder with PostgreSQL's programs, of the newest version; null where there is none.
 * @returns {string | null}
 */
export function findPostgres() {
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  const folders = versions
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(debian, version, 'bin'))
    .concat((process.env.PATH ?? '').split(':'));
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null;
}

/**
 * One that can be stopped. `stop` is as a crash is, without a word to anybody; `start` is on the same port and with the same
 * data; `remove` ends it for good.
 * @typedef {{ url: string, stop: () => void, start: () => void, remove: () => void }} OwnPostgres
 */

/**
 * Starts an empty one on a free port. `isDurable` has it wait for a disk, as one in production does; without, it is in
 * memory where that can be.
 * @param {string} binaries
 * @param {{ isDurable: boolean, settings?: Record<string, string | number> }} options
 * @returns {Promise<OwnPostgres>}
 */
export async function startPostgres(binaries, { isDurable, settings: given = {} }) {
  const place = !isDurable && existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const folder = mkdtempSync(join(place, 'savepoint-postgres-'));
  const run = programsIn(binaries, folder);
  const data = join(folder, 'data');
  const port = await freePort();
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync']);
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: isDurable ? 'on' : 'off',
    max_connections: 200,
    ...given,
  };
  const options = [`-p ${port}`, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].join(' ');
  const start = () => run('pg_ctl', ['-D', data, '-w', '-s', '-l', join(folder, 'log'), '-o', options, 'start']);
  const stop = () => run('pg_ctl', ['-D', data, '-w', '-s', '-m', 'immediate', 'stop']);
  start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop,
    start,
    remove() {
      if (existsSync(join(data, 'postmaster.pid'))) stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * PostgreSQL's programs, which are run in a folder that is theirs. They refuse root; Debian's package has made a user.
 * @param {string} binaries
 * @param {string} folder
 * @returns {(name: string, args: string[]) => void}
 */
export function programsIn(binaries, folder) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) execFileSync('chown', ['postgres:', folder]);
  return (name, args) => {
    const command = [join(binaries, name), ...args];
    const [file, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...command] : command;
    execFileSync(file, rest, { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
  };
}

/**
 * PgBouncer's program; null where there is none.
 * @returns {string | null}
 */
export function findPgBouncer() {
  // Debian's place is on root's path only.
  const folders = ['/usr/sbin', ...(process.env.PATH ?? '').split(':')];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file)) ?? null;
}

/**
 * Starts one in transaction mode before a PostgreSQL, which gives its few connections to whoever has a transaction.
 * @param {string} program
 * @param {string} url the PostgreSQL's address; whoever comes is let in as its user
 * @returns {Promise<{ url: string, remove: () => Promise<void> }>}
 */
export async function startPgBouncer(program, url) {
  const { hostname, port: serverPort, pathname, username, password } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-pgbouncer-'));
  const isRoot = process.getuid?.() === 0;
  const port = await freePort();
  const database = decodeURIComponent(pathname.slice(1));
  const user = { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  const server = Object.entries({ host: hostname, port: serverPort || 5432, dbname: database, ...user });
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: 3,
    max_client_conn: 100,
  };
  const lines = [
    '[databases]',
    `${database} = ${server
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}='${value}'`)
      .join(' ')}`,
    '[pgbouncer]',
    ...Object.entries(settings).map(([name, value]) => `${name} = ${value}`),
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, lines.join('\n'));
  // It refuses to run as root, and reads its file as whoever it becomes.
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', folder]);
  const child = spawn(program, [...(isRoot ? ['-u', 'postgres'] : []), file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (child.exitCode === null && !(await answers(port))) await wait(20);
  if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode} before it served.`);
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return {
    url: through.href,
    async remove() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
