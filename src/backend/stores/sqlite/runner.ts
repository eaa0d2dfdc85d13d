import { type Slices, slicesOfProcess } from '../../slices.js';
import { sqliteLedger } from '../sql/ledger-sql.js';
import { noLocks } from '../sql/row-locks.js';
import { sqliteRowOrder } from '../sql/row-order.js';
import type { SqlRunner, Steps, Turns } from '../sql/statement.js';
import { StoreUnavailable } from '../unavailable.js';
import type { SqliteConnection } from './connection.js';
import { type Disk, waitedFor } from './disk.js';
import { asUnavailableIfUndone } from './undone.js';

/** A transaction that waits for its turn. */
interface WaitingTransaction {
  /** Runs the steps, and returns a function that resolves the caller's promise; it is called after the commit. */
  carryOut(): () => void;
  fail(error: unknown): void;
}

export interface SqliteRunner extends SqlRunner {
  readonly turns: Turns;
  /** Commits what waits, and every later call is refused. Settles once all of it is on the disk, or the disk has failed. */
  end(): Promise<void>;
}

/** What a runner rests on. */
interface Ground {
  /** Whether the file still has its name: what is written to one that has none is gone when the process ends. */
  isThere?: () => boolean;
  /** Where not a commit itself waits for the disk. */
  disk?: Disk;
  slices?: (() => Slices) | undefined;
}

/**
 * Commits all that is written in one turn of the event loop together, each write in an SQL savepoint of its own. Nobody
 * hears of what is not on the disk yet, neither who wrote it nor who reads it; the event loop serves others meanwhile.
 */
export function createSqliteRunner(
  connection: SqliteConnection,
  { isThere = () => true, disk = waitedFor, slices = slicesOfProcess }: Ground = {},
): SqliteRunner {
  let waiting: WaitingTransaction[] = [];
  let hasEnded = false;

  function drive<Result>(steps: Steps<Result>): Result {
    let step = steps.next();
    while (step.done !== true) step = steps.next(connection.run(step.value));
    return step.value;
  }

  function refuseUnlessServing(): void {
    if (hasEnded) throw new Error('The store is closed.');
    disk.check();
  }

  /** A transaction never stays open after a turn of the event loop, so that a read sees only what is committed. */
  async function read<Result>(steps: () => Steps<Result>): Promise<Result> {
    refuseUnlessServing();
    const outcome = outcomeOf(steps);
    const onDisk = disk.hasReadable();
    if (onDisk !== null) await onDisk.catch(() => disk.check());
    return outcome();
  }

  /** An error may tell what it has seen as well. */
  function outcomeOf<Result>(steps: () => Steps<Result>): () => Result {
    try {
      const result = drive(steps());
      return () => result;
    } catch (error) {
      return () => {
        throw asUnavailableIfUndone(error, { isCommitting: false });
      };
    }
  }

  async function transaction<Result>(steps: () => Steps<Result>): Promise<Result> {
    refuseUnlessServing();
    return new Promise((resolve, reject) => {
      waiting.push({
        carryOut() {
          const result = drive(steps());
          return () => resolve(result);
        },
        fail: reject,
      });
      if (waiting.length === 1) setImmediate(commitWaiting);
    });
  }

  function commitWaiting(): void {
    const changes = waiting;
    waiting = [];
    if (changes.length === 0) return;
    const failAll = (error: unknown): void => {
      for (const { fail } of changes) fail(error);
    };
    let isCommitting = false;
    try {
      disk.check();
      if (!isThere()) throw new StoreUnavailable('its file was removed, or another one put in its place', undefined);
      connection.exec('BEGIN IMMEDIATE');
      const told = carryOutEach(connection, changes);
      isCommitting = true;
      connection.exec('COMMIT');
      const tellAll = (): void => {
        for (const tell of told) tell();
      };
      disk.hasCommitted().then(tellAll, failAll);
    } catch (error) {
      rollBack(connection);
      failAll(asUnavailableIfUndone(error, { isCommitting }));
    }
  }

  return {
    engine: 'sqlite',
    read,
    readOften: read,
    readTransaction: read,
    write: transaction,
    transaction,
    turns: { slices, source: () => connection, alone: createPlace() },
    canWriteInWith: false,
    ledgerSql: sqliteLedger,
    rowLocks: noLocks,
    rowOrder: sqliteRowOrder,
    async end() {
      commitWaiting();
      hasEnded = true;
      await disk.hasReadable()?.catch(() => {});
    },
  };
}

/** Carries out each in a savepoint, so that one that throws takes none of the others with it. */
function carryOutEach(connection: SqliteConnection, changes: readonly WaitingTransaction[]): (() => void)[] {
  return changes.map(({ carryOut, fail }) => {
    connection.exec('SAVEPOINT change');
    try {
      const tell = carryOut();
      connection.exec('RELEASE change');
      return tell;
    } catch (error) {
      undoChange(connection, error);
      return () => fail(asUnavailableIfUndone(error, { isCommitting: false }));
    }
  });
}

/** The place for one task at a time. */
function createPlace(): Turns['alone'] {
  let isTaken = false;
  return (task) => {
    if (isTaken) return null;
    isTaken = true;
    return task().finally(() => {
      isTaken = false;
    });
  };
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite has ended the transaction already.
  }
}

/**
 * Undoes one change of several. A full disk, for one, ends the whole transaction: then all of
 * them fail for that reason.
 */
function undoChange(connection: SqliteConnection, reason: unknown): void {
  try {
    connection.exec('ROLLBACK TO change');
    connection.exec('RELEASE change');
  } catch {
    throw reason;
  }
}
