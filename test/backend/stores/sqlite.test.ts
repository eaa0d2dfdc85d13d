import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore, type SqliteStore } from 'savepoint/backend/sqlite';
import { afterAll, afterEach } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { describeStore } from './store-contract.js';

const folder = temporaryFolder();
const open: SqliteStore[] = [];
let files = 0;

afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function newStore(): Promise<SqliteStore> {
  files += 1;
  const store = await createSqliteStore({ file: join(folder, `${files}.db`) });
  open.push(store);
  return store;
}

describeStore('on SQLite', newStore);
