// A process of its own that has a store, to be killed: a service, or one operation that dies at a statement.
import pg from 'pg';
import { createBackend, createMemoryStore, type Store } from '../../src/backend/index.js';
import { serve } from '../../src/backend/node.js';
import type { PostgresPool } from '../../src/backend/stores/postgres/pool.js';
import { openPostgresStore } from '../../src/backend/stores/postgres/store.js';
import { migrations } from '../../src/backend/stores/sql/migrations.js';
import { openSqlite } from '../../src/backend/stores/sqlite/connection.js';
import { openSqliteStore } from '../../src/backend/stores/sqlite/store.js';
import type { Task } from './store-processes.js';

const task = JSON.parse(process.argv[2] ?? '') as Task;
let armed = false;

/** What a kill by the system does, in the middle of what runs. */
function dieAt(sql: string, when: 'before' | 'after'): void {
  const { death } = task;
  if (armed && death?.when === when && new RegExp(death.at).test(sql)) process.kill(process.pid, 'SIGKILL');
}

async function mortalConnection(file: string) {
  const connection = await openSqlite(file);
  const dying = <Args extends unknown[], Result>(sqlOf: (...args: Args) => string, go: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      dieAt(sqlOf(...args), 'before');
      const result = go(...args);
      dieAt(sqlOf(...args), 'after');
      return result;
    };
  };
  return {
    ...connection,
    exec: dying((sql: string) => sql, connection.exec),
    run: dying(({ text }) => text, connection.run),
  };
}

function mortalPool(connectionString: string): PostgresPool {
  const pool = new pg.Pool({ connectionString, max: 10 });
  return {
    async connect() {
      const connection = await pool.connect();
      return {
        async query(text, values) {
          dieAt(text, 'before');
          const result = await connection.query(text, values);
          dieAt(text, 'after');
          return result;
        },
        release: (destroy) => connection.release(destroy),
      };
    },
  };
}

function openStore(): Promise<Store> | Store {
  const { store } = task;
  const surroundings = { steps: task.migration === undefined ? migrations : [...migrations, task.migration] };
  if (store.kind === 'sqlite') return openSqliteStore(store, { ...surroundings, open: mortalConnection });
  if (store.kind === 'postgres') {
    const { url, kind: _, ...options } = store;
    const where = task.death === undefined ? { connectionString: url } : { pool: mortalPool(url) };
    return openPostgresStore({ ...options, ...where }, surroundings);
  }
  return store.kind === 'naive' ? naive(createMemoryStore()) : createMemoryStore();
}

/** What a store must not do: look first, and write a moment later. */
function naive(store: Store): Store {
  return {
    ...store,
    async updateEntry(request) {
      const { owner, collection, key, version } = request;
      const current =
        (await store.readCollection({ owner, sessionId: null, collection }))?.find((entry) => entry.key === key) ??
        null;
      await new Promise((resolve) => setImmediate(resolve));
      if (version !== -1 && version !== (current?.version ?? 'absent')) return { outcome: 'mismatch', current };
      return store.updateEntry({ ...request, version: -1 });
    },
  };
}

armed = task.migration !== undefined;
const store = await openStore();
armed = true;
if (task.resolution !== undefined) {
  await store.resolveConflict(task.resolution);
} else if (task.service !== undefined) {
  const { gameId, privateKey, signingKey, quotas } = task.service;
  const backend = createBackend({
    // A portal whose tokens are the players' ids there.
    games: [{ id: gameId, privateKeys: [privateKey], socialPlatforms: { portal: async (token) => ({ id: token }) } }],
    store,
    signingKey,
    insecureFastPasswordsForTests: true,
    ...(quotas === undefined ? {} : { limits: { quotas } }),
  });
  await backend.ready();
  process.on('message', (ms: number) => {
    backend.control.advance(ms);
    process.send?.('advanced');
  });
  const served = await serve(backend, { port: 0 });
  process.stdout.write(`${served.url}\n`);
}
