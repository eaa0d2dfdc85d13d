import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterAll, inject } from 'vitest';
import type { Store } from '../../src/backend/stores/store.js';
import { chooseStore } from './chosen-store.js';
import { temporaryFolder } from './temporary-folder.js';

type OpenStore = Store & { close(): Promise<void> };

const opened: Promise<OpenStore>[] = [];
const cleanups: (() => Promise<void>)[] = [];

// Run before the test files of a project that sets TEST_STORE.
chooseStore(() => {
  const opening = process.env['TEST_STORE'] === 'sqlite' ? openOnSqlite() : openOnPostgres();
  opened.push(opening);
  const later = (name: keyof Store) => async (argument: never) => ((await opening)[name] as Call)(argument);
  return new Proxy({} as Store, { get: (_, name) => later(name as keyof Store) });
});

afterAll(async () => {
  for (const opening of opened) await (await opening).close();
  for (const cleanup of cleanups) await cleanup();
});

type Call = (argument: unknown) => Promise<unknown>;

async function openOnSqlite(): Promise<OpenStore> {
  const folder = temporaryFolder();
  cleanups.push(async () => rmSync(folder, { recursive: true }));
  return createSqliteStore({ file: join(folder, 'saves.db') });
}

async function openOnPostgres(): Promise<OpenStore> {
  const connectionString = inject('postgres');
  if (connectionString === null) throw new Error('This run has no PostgreSQL.');
  const schema = `run_${process.pid}_${opened.length}`;
  const pool = new pg.Pool({ connectionString, max: 4 });
  cleanups.push(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`);
    await pool.end();
  });
  return createPostgresStore({ pool, schema });
}
