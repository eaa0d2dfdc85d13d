import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore } from 'savepoint/backend';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterAll, beforeAll, describe } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { describeWorld } from './world/property.js';

describeWorld('the memory store', createMemoryStore);

describe('SQLite', () => {
  const folder = temporaryFolder();
  let store: Awaited<ReturnType<typeof createSqliteStore>>;
  beforeAll(async () => {
    store = await createSqliteStore({ file: join(folder, 'saves.db') });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  describeWorld('SQLite', () => store, { few: 100 });
});
