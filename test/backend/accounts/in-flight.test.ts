import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore } from '../../../src/backend/index.js';
import { createSqliteStore } from '../../../src/backend/sqlite.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { describeInFlight } from './in-flight-contract.js';

describeInFlight('in memory', () => {
  const store = createMemoryStore();
  return { open: async () => store, end: async () => {} };
});

describeInFlight('on SQLite', () => {
  const folder = temporaryFolder();
  const opening = createSqliteStore({ file: join(folder, 'saves.db') });
  return {
    open: () => opening,
    async end() {
      await (await opening).close();
      rmSync(folder, { recursive: true });
    },
  };
});
