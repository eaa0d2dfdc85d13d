// better-auth with anonymous sign-in on SQLite, which waits for the disk as ours does. The database is better-sqlite3 of
// this repository.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { anonymous } from 'better-auth/plugins';
import Database from 'better-sqlite3';
import { report } from '../service/reporting.mjs';

const database = new Database(JSON.parse(process.env.BENCH_PLACE).file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
const options = {
  database,
  secret: 'a secret of nobody, as long as it has to be',
  baseURL: 'http://127.0.0.1',
  plugins: [anonymous()],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
};
await (await getMigrations(options)).runMigrations();
const server = createServer(toNodeHandler(betterAuth(options)));
server.listen(0, '127.0.0.1', () => report(server.address().port));
