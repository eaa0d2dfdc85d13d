// The stores that the benchmark knows. PostgreSQL needs TEST_DATABASE_URL; without one it is left out.
import { mkdtempSync, rmSync } from 'node:fs';
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
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { store, close };
  },

  async PostgreSQL() {
    const { createPostgresStore } = await import(built('postgres').href);
    // Tables of its own: what is measured there stays behind.
    const schema = `bench_${process.pid}`;
    const store = await createPostgresStore({ connectionString: process.env.TEST_DATABASE_URL, schema });
    return { store, close: () => store.close() };
  },
};

export function availableStores() {
  const hasDatabase = process.env.TEST_DATABASE_URL !== undefined;
  return Object.keys(stores).filter((name) => name !== 'PostgreSQL' || hasDatabase);
}
