import { join } from 'node:path';
import { describe } from 'vitest';
import { describeExportAndImport } from './moved-by-export.js';

describe('savepoint export and import, from SQLite to SQLite', () => {
  describeExportAndImport({ from: (folder) => join(folder, 'from.db'), to: (folder) => join(folder, 'to.db') });
});
