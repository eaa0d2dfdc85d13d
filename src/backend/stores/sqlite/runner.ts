import { type Slices, slicesOfProcess } from '../../slices.js';
import { sqliteLedger } from '../sql/ledger-sql.js';
import { noLocks } from '../sql/row-locks.js';
import { sqliteRowOrder } from '../sql/row-order.js';
import type { SqlRunner, Steps } from '../sql/statement.js';
import { StoreUnavailable } from '../unavailable.js';
import type { SqliteConnection } from './connection.js';
import { asUnavailableIfUndone } from './undone.js';

/** A transaction that waits for its turn. */
interface WaitingTransaction {
  /** Runs the steps, and returns a function that resolves the caller's promise; it is called after the commit. */
  carryOut(): () => void;
  fail(error: unknown): void;
}

export interface SqliteRunner extends SqlRunner {
  /** Commits what waits; every later call is refused. */
  end(): void;
}

/**
 * Commits all that is written in one turn of the event loop together, each write in an SQL savepoint of its own: a
 * commit waits for the disk, and a hundred players who save at once should not wait a hundred times. A caller is told
 * only after the commit. `isThere` says whether the file still has its name: what is written to one that has none is
 * gone when the process ends, so that it takes no writes any more.
 */
export function createSqliteRunner(
  connection: SqliteConnection,
  isThere: () => boolean = () => true,
  slices: () => Slices = slicesOfProcess,
): SqliteRunner {
  let waiting: WaitingTransaction[] = [];
  let hasEnded = false;

  function drive<Result>(steps: Steps<Result>): Result {
    let step = steps.next();
    while (step.done !== true) step = steps.next(connection.run(step.value));
    return step.value;
  }

  function refuseAfterEnd(): void {
    if (hasEnded) throw new Error('The store is closed.');
  }

  /** A transaction never stays open after a turn of the event loop, so that a read sees only what is committed. */
  async function read<Result>(steps: () => Steps<Result>): Promise<Result> {
    refuseAfterEnd();
    try {
      return drive(steps());
    } catch (error) {
      throw asUnavailableIfUndone(error, { isCommitting: false });
    }
  }

  async function transaction<Result>(steps: () => Steps<Result>): Promise<Result> {
    refuseAfterEnd();
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
    let told: (() => void)[];
    let isCommitting = false;
    try {
      if (!isThere()) throw new StoreUnavailable('its file was removed, or another one put in its place', undefined);
      connection.exec('BEGIN IMMEDIATE');
      told = changes.map(changes.length === 1 ? carryOutAlone : carryOut);
      isCommitting = true;
      connection.exec('COMMIT');
    } catch (error) {
      rollBack(connection);
      const failure = asUnavailableIfUndone(error, { isCommitting });
      for (const { fail } of changes) fail(failure);
      return;
    }
    for (const tell of told) tell();
  }

  function carryOutAlone({ carryOut: go }: WaitingTransaction): () => void {
    return go();
  }

  function carryOut({ carryOut: go, fail }: WaitingTransaction): () => void {
    connection.exec('SAVEPOINT change');
    try {
      const tell = go();
      connection.exec('RELEASE change');
      return tell;
    } catch (error) {
      undoChange(connection, error);
      return () => fail(asUnavailableIfUndone(error, { isCommitting: false }));
    }
  }

  return {
    engine: 'sqlite',
    read,
    readTransaction: read,
    write: transaction,
    transaction,
    slices,
    canWriteInWith: false,
    ledgerSql: sqliteLedger,
    rowLocks: noLocks,
    rowOrder: sqliteRowOrder,
    end() {
      commitWaiting();
      hasEnded = true;
    },
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
