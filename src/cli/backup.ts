import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readArguments } from './arguments.js';
import { orDiskFull } from './disk-full.js';
import { whyNoFile } from './file-place.js';
import { Interrupted, orInterrupted } from './interrupted.js';
import type { ExitCode, Io } from './io.js';
import { storeKind } from './open-store.js';
import { askStoreSocket, type StoreTask } from './store-socket.js';
import { UsageError } from './usage-error.js';

/** `savepoint backup`: a copy of a store's file, while the service goes on. */
export async function backup(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'backup' }, args, {
    store: { type: 'string' },
    out: { type: 'string' },
  });
  if (values.out === undefined) throw new UsageError('say where to: savepoint backup --out <file>');
  const [store, out] = [storeFile(values.store, io), resolve(values.out)];
  requirePlace('--store', store);
  if (existsSync(out)) throw new UsageError(`--out: ${values.out} is there already, and nothing is written over it`);
  requirePlace('--out', out);
  const full = '--out: the disk is full, and there is no copy';
  await orDiskFull(carryOut(store, { do: 'backup', file: out }, io), full);
  await checkCopy(store, out);
  io.out(`${values.out} has all that was stored: ${megabytes(out)}, read through and sound.\n`);
  return 0;
}

/**
 * A copy that cannot be restored would be found on the day that it is needed: it is refused,
 * and the store is as it was.
 */
async function checkCopy(store: string, copy: string): Promise<void> {
  const { checkDatabase, DamagedDatabase, removeDatabase } = await import('../backend/stores/sqlite/backup.js');
  const { FileInUse } = await import('../backend/stores/sqlite/file-lock.js');
  try {
    await checkDatabase(copy);
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof DamagedDatabase) {
      throw new Error(
        `${message} So is ${store}, or the disk that the copy went to. The copy is kept, and docs/backup.md says what to do with it.`,
      );
    }
    // Somebody reads it already, and it is whole.
    if (error instanceof FileInUse) throw new Error(`${message} So the copy could not be read through; it is kept.`);
    removeDatabase(copy);
    throw new UsageError(`--store: no copy is kept, because none could be restored: ${message.replace(copy, store)}`);
  }
}

/** `savepoint restore`: a backup in the place of what a store has, while the service goes on or stands still. */
export async function restore(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'restore' }, args, {
    store: { type: 'string' },
    from: { type: 'string' },
  });
  if (values.from === undefined) throw new UsageError('say what: savepoint restore --from <file>');
  const [store, from] = [storeFile(values.store, io), resolve(values.from)];
  requirePlace('--store', store);
  requirePlace('--from', from);
  const { checkDatabase } = await import('../backend/stores/sqlite/backup.js');
  await checkDatabase(from).catch((error: Error) => {
    throw new UsageError(`--from: ${error.message}`);
  });
  const full = '--store: the disk is full, and the store is as it was';
  const former = await orDiskFull(carryOut(store, { do: 'restore', file: from }, io), full);
  io.out(`The store has what ${values.from} has.${former === null ? '' : ` What it had before is in ${former}.`}\n`);
  return 0;
}

/** By the process that has the file open, else by this one. */
async function carryOut(store: string, task: StoreTask, io: Io): Promise<string | null> {
  const say = tenths(io);
  // What it throws ends the copying, and takes away what was copied.
  const progressed = (share: number): void => {
    if (io.stop.aborted) throw new Interrupted(whatIsThen[task.do]);
    say(share);
  };
  const asking = askStoreSocket(store, task, { progressed, stop: io.stop });
  const answer = await orInterrupted(asking, io.stop, whatIsThen[task.do]);
  if (answer !== undefined) return answer;
  const { copyFile, restoreNew } = await import('../backend/stores/sqlite/backup.js');
  const isThere = existsSync(store);
  if (task.do === 'restore' && isThere) return restoreHere(store, task.file, progressed);
  if (!isThere && task.do === 'backup') throw new UsageError(`--store: there is no file ${store}`);
  if (task.do === 'backup') await asUsage(store, copyFile(store, task.file, progressed));
  else await asUsage(task.file, restoreNew(store, { from: task.file, progressed, now: Date.now() }));
  return null;
}

async function restoreHere(store: string, from: string, progressed: (share: number) => void): Promise<string> {
  const { openSqliteStore } = await import('../backend/stores/sqlite/store.js');
  const opened = await asUsage(store, openSqliteStore({ file: store }));
  try {
    return await opened.restore(from, progressed);
  } finally {
    await opened.close();
  }
}

const whatIsThen = {
  backup: 'interrupted: there is no copy; run it again',
  restore: 'interrupted: the store is as it was; run it again',
} as const;

/** A file that another process has open, or that is no database, is for the caller to set right. */
function asUsage<Result>(file: string, doing: Promise<Result>): Promise<Result> {
  return doing.catch((error: Error) => {
    if (error instanceof Interrupted) throw error;
    const { message } = error;
    throw new UsageError(message.includes(file) ? message : `${file}: ${message}`);
  });
}

/** Says each tenth once. */
function tenths(io: Io): (share: number) => void {
  let said = 0;
  return (share) => {
    const tenth = Math.floor(share * 10);
    if (tenth <= said) return;
    said = tenth;
    io.err(`${tenth * 10} %\n`);
  };
}

function storeFile(given: string | undefined, io: Io): string {
  const store = given ?? io.env['SAVEPOINT_STORE'];
  if (store === undefined) throw new UsageError('say which store: --store <file>, or SAVEPOINT_STORE');
  const kind = storeKind(store);
  if (kind === 'sqlite') return resolve(store);
  throw new UsageError(
    kind === 'memory'
      ? 'a store in memory has nothing to keep'
      : 'this is for a store in a file; a PostgreSQL database has pg_dump, pg_basebackup and its log (see docs/backup.md)',
  );
}

function requirePlace(option: string, file: string): void {
  const problem = whyNoFile(file);
  if (problem !== null) throw new UsageError(`${option}: ${problem}`);
}

function megabytes(file: string): string {
  return `${(statSync(file).size / 1e6).toFixed(1)} MB`;
}
