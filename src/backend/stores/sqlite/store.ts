import { setImmediate } from 'node:timers/promises';
import type { Slices } from '../../slices.js';
import { type Migration, migrate } from '../sql/migrations.js';
import { moved } from '../sql/raw-tables.js';
import type { SqlRunner, Steps } from '../sql/statement.js';
import { createSqlStore } from '../sql/store.js';
import type { Store } from '../store.js';
import { StoreUnavailable } from '../unavailable.js';
import { copyDatabase, moveDatabase, type Progressed, restoreBackup } from './backup.js';
import { openSqlite, type SqliteConnection } from './connection.js';
import { createDisk } from './disk.js';
import { createLockNote, takeFile } from './file-lock.js';
import { type WatchedName, watchName } from './file-name.js';
import { createSqliteRunner, type SqliteRunner } from './runner.js';
import { type SyncedLog, takeLog } from './synced-log.js';

/** Where an SQLite store keeps everything. */
export interface SqliteStoreOptions {
  /**
   * The path of the database's file, on a disk of this machine; the file is made where there is none. SQLite keeps
   * another one with `-wal` at its end beside it, and the store a note with `.lock`.
   */
  file: string;
}

/** A store in one file, for one process. */
export interface SqliteStore extends Store {
  /**
   * Copies all that is committed into a new file, some pages at a time, while the store goes on: what is written
   * meanwhile is in the copy as well. The file is there under its name once it is whole; it rejects with the code
   * `EEXIST` where one is there already. `progressed` hears the share that is done, from 0 to 1. Before Node 22.16,
   * Node's own SQLite copies in one go, which holds up the process.
   */
  backUp(file: string, progressed?: (share: number) => void): Promise<void>;
  /**
   * Puts a backup in the place of all that the store has, and answers the path under which the former file stays. For a
   * moment calls reject with `StoreUnavailable`. Where the backup cannot be opened, all stays as it was.
   */
  restore(file: string, progressed?: (share: number) => void): Promise<string>;
  /**
   * Takes no writes any more, which reject with `StoreUnavailable`, and then copies all into a new file, for
   * `savepoint move`. Reads go on.
   */
  handOver(file: string, progressed?: (share: number) => void): Promise<HandedOver>;
  /** Commits what is under way and closes the file, so that another process may open it. */
  close(): Promise<void>;
}

/** A store that takes no writes, because it was copied to be moved. */
export interface HandedOver {
  /** Marks the store as moved: it takes no writes until it is closed, and is not opened again. */
  markMoved(now: number): Promise<void>;
  /** Takes writes again. */
  release(): void;
}

/** What tests replace. */
interface Surroundings {
  steps?: readonly Migration[];
  now?: number;
  open?: (file: string) => Promise<SqliteConnection>;
  slices?: () => Slices;
  logOf?: typeof takeLog;
}

type Calls = Pick<SqlRunner, 'read' | 'readOften' | 'readTransaction' | 'write' | 'transaction'>;

/** A file that is this process's own, with its schema up to date. */
interface OpenFile {
  connection: SqliteConnection;
  runner: SqliteRunner;
  /** Commits what waits, and gives the file back. */
  close(): Promise<void>;
}

export async function openSqliteStore(
  { file }: SqliteStoreOptions,
  surroundings: Surroundings = {},
): Promise<SqliteStore> {
  if (typeof file !== 'string' || file === '') throw new TypeError('file must be the path of a file');
  let opened: OpenFile | null = await openFile(file, surroundings);
  const current = (): Calls => opened?.runner ?? absentRunner;
  /** Whether it was handed over. */
  let isHeld = false;
  const letGo = (): void => {
    isHeld = false;
  };
  const writing = (): Pick<Calls, 'write' | 'transaction'> => (isHeld ? heldRunner : current());
  /** A backup or a restore, of which one can run at a time. */
  let underWay: Promise<unknown> | null = null;
  let closing: Promise<void> | null = null;

  /** Runs a backup or a restore; `go` hears how far it has come, and throws there once the store is being closed. */
  async function maintain<Result>(
    progressed: Progressed,
    go: (from: OpenFile, progressed: Progressed) => Promise<Result>,
  ): Promise<Result> {
    if (underWay !== null) throw new Error('Another backup or restore is under way.');
    if (closing !== null || opened === null) throw new Error('The store is closed.');
    if (isHeld) throw new Error('The store is being moved.');
    const task = go(opened, (share) => {
      if (closing !== null) throw new Error('The store is being closed.');
      progressed(share);
    });
    underWay = task;
    try {
      return await task;
    } finally {
      underWay = null;
    }
  }

  /** Puts the file `from` in the place of this one; back where it cannot be opened. */
  async function replaceBy(from: string, former: string): Promise<void> {
    const closed = opened?.close();
    opened = null;
    await closed;
    moveDatabase(file, former);
    moveDatabase(from, file);
    try {
      opened = await openFile(file, surroundings);
    } catch (error) {
      moveDatabase(file, from);
      moveDatabase(former, file);
      opened = await openFile(file, surroundings);
      throw error;
    }
  }

  async function closeFile(): Promise<void> {
    await underWay?.catch(() => {});
    await opened?.close();
  }

  return {
    ...createSqlStore({
      ...opened.runner,
      ...callsOf(current, writing),
      turns: { ...opened.runner.turns, source: () => opened },
    }),
    backUp: (to, progressed = () => {}) =>
      maintain(progressed, ({ connection }, hear) => copyDatabase(connection, to, hear)),
    restore: (from, progressed = () => {}) =>
      maintain(progressed, (_, hear) =>
        restoreBackup(file, { from, progressed: hear, now: Date.now() }, async (next) => {
          const former = `${file}.before-${new Date().toISOString().replaceAll(':', '-')}`;
          await replaceBy(next, former);
          return former;
        }),
      ),
    handOver: (to, progressed = () => {}) =>
      maintain(progressed, async ({ connection, runner }, hear) => {
        isHeld = true;
        try {
          // What was asked for before is committed by then.
          await setImmediate();
          await copyDatabase(connection, to, hear);
        } catch (error) {
          letGo();
          throw error;
        }
        return {
          markMoved: (now) => runner.write(() => markMoved(now)),
          release: letGo,
        };
      }),
    close() {
      closing ??= closeFile();
      return closing;
    },
  };
}

function* markMoved(now: number): Steps<void> {
  yield moved(now);
}

/** The calls of whichever file is open at the time. */
function callsOf(reading: () => Calls, writing: () => Pick<Calls, 'write' | 'transaction'>): Calls {
  return {
    read: (steps) => reading().read(steps),
    readOften: (steps) => reading().readOften(steps),
    readTransaction: (steps) => reading().readTransaction(steps),
    write: (steps) => writing().write(steps),
    transaction: (steps) => writing().transaction(steps),
  };
}

async function openFile(
  file: string,
  { steps, now = Date.now(), open = openSqlite, slices, logOf = takeLog }: Surroundings,
): Promise<OpenFile> {
  const connection = await open(file);
  takeFile(connection, file);
  const note = createLockNote(file);
  let name: WatchedName | undefined;
  let log: SyncedLog | null = null;
  const giveBack = (): void => {
    connection.close();
    log?.close();
    name?.close();
    note.remove();
  };
  try {
    note.write(now);
    name = watchName(file);
    const { isThere } = name;
    await migrate(createSqliteRunner(connection, { isThere }), {
      now,
      hasVersions: false,
      ...(steps === undefined ? {} : { steps }),
    });
    log = logOf(connection, file);
    const runner = createSqliteRunner(connection, { isThere, slices, ...(log && { disk: createDisk(log) }) });
    const close = async (): Promise<void> => {
      await runner.end();
      giveBack();
    };
    return { connection, runner, close };
  } catch (error) {
    giveBack();
    throw error;
  }
}

const absent = (): Promise<never> => Promise.reject(new StoreUnavailable('it is closed, or being restored', undefined));

/** Stands in while the store has no file. */
const absentRunner: Calls = {
  read: absent,
  readOften: absent,
  readTransaction: absent,
  write: absent,
  transaction: absent,
};

const held = (): Promise<never> => Promise.reject(new StoreUnavailable('it is being moved', undefined));

/** Stands in for what writes while the store is handed over. */
const heldRunner: Pick<Calls, 'write' | 'transaction'> = { write: held, transaction: held };
