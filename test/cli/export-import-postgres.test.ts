import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { describeOnPostgres } from '../support/on-postgres.js';
import { describeExportAndImport } from './moved-by-export.js';

describeOnPostgres('savepoint export and import', (newSchema) => {
  const [from, to] = [newSchema(), newSchema()];
  const postgres = (database: typeof from) => () => `${database.url}?schema=${database.schema}`;
  const sqlite = (folder: string) => join(folder, 'other.db');
  afterAll(() => Promise.all([from.drop(), to.drop()]));

  describe('from SQLite to PostgreSQL', () => describeExportAndImport({ from: sqlite, to: postgres(to) }));
  describe('from PostgreSQL to SQLite', () => describeExportAndImport({ from: postgres(from), to: sqlite }));
});
