import { migrate } from '../../../src/backend/stores/sql/migrations.js';
import { rows, type Statement } from '../../../src/backend/stores/sql/statement.js';
import { createSqlStore } from '../../../src/backend/stores/sql/store.js';
import { openSqlite } from '../../../src/backend/stores/sqlite/connection.js';
import { createSqliteRunner } from '../../../src/backend/stores/sqlite/runner.js';

/** A store on SQLite in memory, and the statements that it runs. */
export async function openWatchedSqlite() {
  const connection = await openSqlite(':memory:');
  let statements: string[] = [];
  const runner = createSqliteRunner({
    ...connection,
    run(statement: Statement) {
      statements.push(statement.text);
      return connection.run(statement);
    },
  });
  await migrate(runner, { now: 1, hasVersions: false });
  return {
    store: createSqlStore(runner),
    run: (text: string) => runner.write(() => rows(text)),
    /** The statements since it was asked last. */
    since(): string[] {
      const found = statements;
      statements = [];
      return found;
    },
    async close(): Promise<void> {
      await runner.end();
      connection.close();
    },
  };
}
