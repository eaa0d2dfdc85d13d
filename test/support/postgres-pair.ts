import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import { freePort, programsIn } from '../../scripts/postgres.mjs';

/** A primary, and a standby that has each commit before it is answered. */
export interface PostgresPair {
  /** The address of the primary. */
  url(): string;
  /** Ends the primary as a lost machine does, with `kill -9` of all its processes, and makes the standby the primary. */
  failOver(): void;
  /** Makes a new standby, in the place of the primary that was lost. */
  addStandby(): Promise<void>;
  remove(): void;
}

interface Node {
  data: string;
  port: number;
}

export async function startPostgresPair(binaries: string): Promise<PostgresPair> {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-postgres-pair-'));
  const run = programsIn(binaries, folder);
  let primary: Node = { data: join(folder, 'first'), port: await freePort() };
  let other: Node = { data: join(folder, 'second'), port: await freePort() };
  const urlOf = ({ port }: Node): string => `postgres://postgres@127.0.0.1:${port}/postgres`;

  function start({ data, port }: Node): void {
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' };
    // In a file, which goes with the folder although nobody tidies up after `kill -9`.
    const memory = { dynamic_shared_memory_type: 'mmap' };
    const given = Object.entries({ ...settings, ...memory }).map(([name, value]) => `-c ${name}=${value}`);
    run('pg_ctl', ['-D', data, '-w', '-s', '-l', `${data}.log`, '-o', [`-p ${port}`, ...given].join(' '), 'start']);
  }

  function kill({ data }: Node): void {
    const note = join(data, 'postmaster.pid');
    if (!existsSync(note)) return;
    const [main = ''] = readFileSync(note, 'utf8').split('\n');
    // Its number may be another process's later.
    rmSync(note);
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', main], { encoding: 'utf8' }).trim().split(/\s+/);
    for (const pid of [main, ...children]) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended by itself: its parent is gone.
      }
    }
  }

  async function addStandby(): Promise<void> {
    rmSync(other.data, { recursive: true, force: true });
    run('pg_basebackup', ['-D', other.data, '-d', urlOf(primary), '-R', '-X', 'stream', '-c', 'fast', '--no-sync']);
    // Once it is the primary, it waits for nobody until it has a standby of its own.
    appendFileSync(join(other.data, 'postgresql.auto.conf'), "synchronous_standby_names = ''\n");
    start(other);
    const admin = new pg.Client({ connectionString: urlOf(primary) });
    await admin.connect();
    await admin.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await admin.query('SELECT pg_reload_conf()');
    const isSynchronous = async (): Promise<boolean> => {
      const { rows } = await admin.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
      return rows[0]?.sync_state === 'sync';
    };
    await vi.waitUntil(isSynchronous, { timeout: 30_000 });
    await admin.end();
  }

  run('initdb', ['-D', primary.data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync']);
  function remove(): void {
    for (const node of [primary, other]) kill(node);
    rmSync(folder, { recursive: true, force: true });
  }

  try {
    start(primary);
    await addStandby();
  } catch (error) {
    remove();
    throw error;
  }
  return {
    url: () => urlOf(primary),
    failOver() {
      kill(primary);
      [primary, other] = [other, primary];
      run('pg_ctl', ['-D', primary.data, '-w', '-s', 'promote']);
    },
    addStandby,
    remove,
  };
}
