// The stores that the benchmark knows. One whose entry is not there (yet), or whose database is not, is left out.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const built = (name) => new URL(`../../dist/backend/${name}.js`, import.meta.url);

export const stores = {
  memory: async () => ({}),

  async SQLite() {
    const { createSqliteStore } = await import(built('sqlite').href);
    const folder = mkdtempSync(join(tmpdir(), 'savepoint-bench-'));
    const store = await createSqliteStore({ file: join(folder, 'bench.db') });
    const close = async () => {
      await store.close?.();
      rmSync(folder, { recursive: true, force: true });
    };
    return { store, close };
  },

  async PostgreSQL() {
    const { createPostgresStore } = await import(built('postgres').href);
    const store = await createPostgresStore({ url: process.env.TEST_DATABASE_URL });
    return { store, close: () => store.close?.() };
  },
};

export function availableStores() {
  const has = { memory: true, SQLite: existsSync(built('sqlite')) };
  has.PostgreSQL = existsSync(built('postgres')) && process.env.TEST_DATABASE_URL !== undefined;
  return Object.keys(stores).filter((name) => has[name]);
}
