// What pgbench, PostgreSQL's own benchmark, does with the statement that the service sends for an update: the most that a
// process on this machine and this database could do. Each of its clients updates the entry of one player.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findPostgres } from '../../scripts/postgres.mjs';

const isUpdate = (text) => typeof text === 'string' && /^(WITH written AS \()?UPDATE "[^"]+"\.entries/.test(text);

/** Carries `task` out, and gives the text and the values of each update of an entry that it has sent meanwhile. */
export async function watchUpdates(task) {
  const { query } = pg.Client.prototype;
  const updates = [];
  pg.Client.prototype.query = function watched(config, values, ...rest) {
    const text = typeof config === 'string' ? config : config?.text;
    if (isUpdate(text)) updates.push({ text, values: (values ?? config.values).map(toText) });
    return query.call(this, config, values, ...rest);
  };
  try {
    await task();
  } finally {
    pg.Client.prototype.query = query;
  }
  return updates;
}

const toText = (value) => (value === null ? null : String(value));

/**
 * Runs the statement of `updates`, each of another player, for so many seconds, on as many connections as the store takes. In the
 * mode `prepared` it is parsed and planned once for each connection, as the store has it; in `extended` each time, as behind a
 * pooler. Gives how many were carried out in a second. Undefined where the machine has no pgbench.
 */
export async function runPgbench({ connectionString, folder, updates, seconds, mode }) {
  const binaries = findPostgres();
  if (binaries === null) return undefined;
  const [{ text, values }] = updates;
  const names = values.map((_, index) => `p${index + 1}`);
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`CREATE TABLE bench_updates (client integer, ${names.map((name) => `${name} text`)})`);
  for (const [index, update] of updates.entries()) {
    const places = names.map((_, place) => `$${place + 2}`);
    await client.query(`INSERT INTO bench_updates VALUES ($1, ${places})`, [index, ...update.values]);
  }
  try {
    const script = join(folder, 'update.sql');
    writeFileSync(script, scriptOf({ text, names }));
    const options = ['-n', '-M', mode, '-c', updates.length, '-j', 2, '-T', Math.ceil(seconds), '-D', 'begun=0'];
    const { stdout } = await promisify(execFile)(
      join(binaries, 'pgbench'),
      [...options, '-f', script, connectionString].map(String),
    );
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
  } finally {
    await client.query('DROP TABLE bench_updates');
    await client.end();
  }
}

/** A client reads its values once. The version is the last one that the statement has answered. */
function scriptOf({ text, names }) {
  const statement = text.replace(/\$(\d+)/g, (_, place) => (place === '8' ? ':version' : `:p${place}`));
  return [
    '\\if :begun = 0',
    `SELECT ${names}, CAST(p8 AS integer) + 1 AS version FROM bench_updates WHERE client = :client_id \\gset`,
    '\\set begun 1',
    '\\endif',
    `${statement} \\gset`,
    '',
  ].join('\n');
}
