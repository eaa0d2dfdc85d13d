import { existsSync, renameSync, rmSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { tokenDefaults } from '../../../protocol/gaps/tokens.js';
import { migrations, movedAway } from '../sql/migrations.js';
import { firstRow, integerOf, rows, type Steps } from '../sql/statement.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { FileInUse, orFileInUse, takeFile } from './file-lock.js';
import { createSqliteRunner } from './runner.js';

/** Hears how far a copy has come, from 0 to 1. */
export type Progressed = (share: number) => void;

const besides = ['', '-wal', '-shm', '-journal'];

/** Copies a database into a new file, which is there under its name only once it is whole. Never over another file. */
export async function copyDatabase(
  connection: Pick<SqliteConnection, 'backUp'>,
  file: string,
  progressed: Progressed,
): Promise<void> {
  refuseExisting(file);
  const partial = `${file}.partial`;
  removeDatabase(partial);
  try {
    await connection.backUp(partial, progressed);
    refuseExisting(file);
    renameSync(partial, file);
  } catch (error) {
    removeDatabase(partial);
    throw error;
  }
}

/** The same with a file that nobody has open. It is not changed: its schema stays as old as it is. */
export async function copyFile(from: string, to: string, progressed: Progressed): Promise<void> {
  const connection = await openSqlite(from);
  takeFile(connection, from);
  try {
    await copyDatabase(connection, to, progressed);
  } finally {
    connection.close();
  }
}

/** A restore: where its backup is, and what it tells. */
interface Restore {
  from: string;
  progressed: Progressed;
  /** In ms since 1970. */
  now: number;
}

/**
 * Copies a backup to a file beside a store's, and has it take the place of that one. Nothing of the copy is left where it did
 * not. Since the backup was made players have gone on with their sessions, of which it knows an end that may be past by now; a
 * token says itself how long it lasts, and none longer than from now on.
 */
export async function restoreBackup<Result>(
  file: string,
  { from, progressed, now }: Restore,
  takePlace: (next: string) => Result | Promise<Result>,
): Promise<Result> {
  const next = `${file}.restoring`;
  removeDatabase(next);
  // SQLite would make a file that is not there.
  await access(from);
  try {
    await copyFile(from, next, progressed);
    const connection = await openSqlite(next);
    try {
      await createSqliteRunner(connection).write(() => keepSessionsUntil(now + tokenDefaults.refreshIdleMs));
    } finally {
      connection.close();
    }
    return await takePlace(next);
  } finally {
    removeDatabase(next);
  }
}

/** Makes a store's file out of a backup, where there is none. It is there under its name only once it is whole. */
export async function restoreNew(file: string, restore: Restore): Promise<void> {
  await restoreBackup(file, restore, (next) => {
    refuseExisting(file);
    moveDatabase(next, file);
  });
}

function* keepSessionsUntil(end: number): Steps<void> {
  yield* rows('UPDATE @sessions SET expires_at = $1 WHERE expires_at < $1', end);
}

function refuseExisting(file: string): void {
  if (!existsSync(file)) return;
  throw Object.assign(new Error(`${file} is there already, and nothing is written over it.`), { code: 'EEXIST' });
}

/** Removes a database with what SQLite keeps beside it. */
export function removeDatabase(file: string): void {
  for (const ending of besides) rmSync(`${file}${ending}`, { force: true });
}

/** Gives a database another name, with what SQLite keeps beside it. */
export function moveDatabase(from: string, to: string): void {
  for (const ending of besides) if (existsSync(`${from}${ending}`)) renameSync(`${from}${ending}`, `${to}${ending}`);
}

/** Throws this where a file cannot be read through. What it still has may be all that is left of a store. */
export class DamagedDatabase extends Error {}

/** Reads a whole file, and throws where it is damaged, in use by another process, none of ours, or of a newer version of this package. */
export async function checkDatabase(file: string): Promise<void> {
  // SQLite would make a file that is not there.
  if (!existsSync(file)) throw Object.assign(new Error(`There is no file ${file}.`), { code: 'ENOENT' });
  const connection = await openSqlite(file);
  try {
    const runner = createSqliteRunner(connection);
    const found = await runner.read(damage).catch((error: Error) => {
      const inUse = orFileInUse(error, file);
      if (inUse instanceof FileInUse) throw inUse;
      return error.message;
    });
    if (found !== null) throw new DamagedDatabase(`${file} is damaged: ${found}.`);
    const problem = await runner.read(firstProblem);
    if (problem !== null) throw new Error(`${file} ${problem}.`);
  } finally {
    connection.close();
  }
}

function* damage(): Steps<string | null> {
  const found = String((yield* firstRow('PRAGMA quick_check(1)'))?.['quick_check']);
  return found === 'ok' ? null : found;
}

function* firstProblem(): Steps<string | null> {
  const table = yield* firstRow("SELECT 1 AS there FROM sqlite_master WHERE name = 'schema_versions'");
  if (table === null) return 'is no database of savepoint';
  const row = yield* firstRow('SELECT coalesce(max(version), 0) AS version FROM @schema_versions');
  const version = row === null ? 0 : integerOf(row, 'version');
  if (version === movedAway) return 'was moved to another store by savepoint move';
  return version > migrations.length ? `has version ${version}, and needs a newer savepoint` : null;
}
