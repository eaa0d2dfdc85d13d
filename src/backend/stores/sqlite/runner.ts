import type { SqlRunner, Steps } from '../sql/statement.js';
import type { SqliteConnection } from './connection.js';

/** A change that waits for its turn. */
interface WaitingTransaction {
  /** Carries it out, and gives back what tells its caller once it is safe. */
  carryOut(): () => void;
  fail(error: unknown): void;
}

export interface SqliteRunner extends SqlRunner {
  /** Commits what waits, and takes nothing more. */
  end(): void;
}

/**
 * All changes of one turn of the loop are one transaction, each in a savepoint of its own: a commit waits for the disk,
 * and a hundred players who save at once should not wait a hundred times. Nobody is told before the commit is through.
 */
export function createSqliteRunner(connection: SqliteConnection): SqliteRunner {
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

  /** Between two changes there is no transaction open, so a read sees what is committed. */
  async function read<Result>(steps: () => Steps<Result>): Promise<Result> {
    refuseAfterEnd();
    return drive(steps());
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
    try {
      connection.exec('BEGIN IMMEDIATE');
      told = changes.map(changes.length === 1 ? carryOutAlone : carryOut);
      connection.exec('COMMIT');
    } catch (error) {
      rollBack();
      for (const { fail } of changes) fail(error);
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
      // Where the whole transaction is gone, such as with a full disk, this throws as well, and all of them fail.
      connection.exec('ROLLBACK TO change');
      connection.exec('RELEASE change');
      return () => fail(error);
    }
  }

  function rollBack(): void {
    try {
      connection.exec('ROLLBACK');
    } catch {
      // It is gone already.
    }
  }

  return {
    read,
    readTransaction: read,
    write: transaction,
    transaction,
    canWriteInWith: false,
    end() {
      commitWaiting();
      hasEnded = true;
    },
  };
}
