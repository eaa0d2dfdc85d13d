// Where the stores of a run keep what they get: a folder and a PostgreSQL, and nothing of it is left when the run ends.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findPostgres, startPostgres } from '../../scripts/postgres.mjs';
import { stopAll } from './processes.mjs';

/**
 * Opens the PostgreSQL that TEST_DATABASE_URL names, else one of the run's own with these settings, on this machine's disk and
 * with `fsync`.
 * After `close` the services are ended and all that was made is gone; an interrupted run does that by itself.
 */
export async function openPlaces(settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-bench-'));
  const postgres = await openPostgres(settings);
  const schemas = [];
  const databases = [];
  let places = 0;

  /** One answer from a connection of its own, as it is asked a few times in a run. */
  async function ask(text, values = []) {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  }

  async function removeAll() {
    stopAll();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    if (postgres?.remove !== undefined) return postgres.remove();
    for (const name of schemas) await ask(`DROP SCHEMA IF EXISTS "${name}" CASCADE`);
    for (const name of databases) await ask(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    return undefined;
  }

  let closed = null;
  const close = () => {
    closed ??= removeAll();
    return closed;
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void close().finally(() => process.exit(130)));
  }

  const ownName = () => {
    places += 1;
    return `bench_${process.pid}_${places}`;
  };

  const newPlaceOf = {
    memory: () => ({}),
    SQLite: () => ({ file: join(folder, `${ownName()}.db`) }),
    PostgreSQL() {
      const schema = ownName();
      schemas.push(schema);
      return { connectionString: postgres.url, schema };
    },
  };

  return {
    folder,
    stores: Object.keys(newPlaceOf).filter((store) => store !== 'PostgreSQL' || postgres !== null),
    newPlace: (store) => newPlaceOf[store](),

    /** Where a database of its own is, for what would not stay in one schema. */
    async newDatabase() {
      if (postgres === null) throw new Error('there is no PostgreSQL');
      const name = ownName();
      databases.push(name);
      await ask(`CREATE DATABASE "${name}"`);
      const url = new URL(postgres.url);
      url.pathname = name;
      return url.href;
    },

    /** The bytes that a place has on the disk; null where it has none. */
    async sizeOf({ file, schema }) {
      if (file !== undefined) {
        const files = [file, `${file}-wal`].filter((path) => existsSync(path));
        return files.reduce((bytes, path) => bytes + statSync(path).size, 0);
      }
      if (schema === undefined) return null;
      const relations = `SELECT sum(pg_total_relation_size(format('%I.%I', schemaname, tablename)::regclass)) AS bytes
        FROM pg_tables WHERE schemaname = $1`;
      const [{ bytes }] = await ask(relations, [schema]);
      return Number(bytes);
    },

    close,
  };
}

async function openPostgres(settings) {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { url: given };
  const binaries = findPostgres();
  if (binaries !== null) return startPostgres(binaries, { isDurable: true, settings });
  console.log('PostgreSQL is left out: set TEST_DATABASE_URL, or install it (apt-get install postgresql).\n');
  return null;
}
