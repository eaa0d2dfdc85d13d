// Fills a schema with accounts by COPY. Each has a device's link, a session, and two entries.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import pg from 'pg';

export const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
const rowsAtOnce = 2_000;
const notes = 'x'.repeat(900);

/** Ids that lie in no order, as those of a service do, and that are known again by a number. */
export function accountId(number) {
  const hex = createHash('md5').update(`account ${number}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20)].join('-');
}
export const deviceOf = (number) => `device-of-player-${number}`;
/** What is kept of a device. */
export const subjectOf = (number) => createHash('sha256').update(deviceOf(number)).digest('base64url');

/** As the service makes it: a sign-in that does not find its account ends the run. */
function linkHash(subject) {
  return createHash('sha256')
    .update(JSON.stringify([gameId, 0, 'device', subject]))
    .digest('base64url');
}

const tables = {
  accounts: {
    columns: 'account_id, environment, game_id, created_at, last_seen_at, revision, value_bytes',
    rows: (n, at) => [[accountId(n), 0, gameId, at, at, 0, 2_400]],
  },
  links: {
    columns: 'link_hash, account_id, linked_at',
    rows: (n, at) => [[linkHash(subjectOf(n)), accountId(n), at]],
  },
  account_links: {
    columns: 'account_id, environment, game_id, method, subject, linked_at, last_used_at, ordinal',
    rows: (n, at) => [[accountId(n), 0, gameId, 'device', subjectOf(n), at, at, 1]],
  },
  sessions: {
    columns:
      'account_id, environment, game_id, session_id, revision, opened_at, expires_at, method, subject, device, ordinal, refresh_tokens',
    // Of ten sessions one has expired, which retention finds.
    rows: (n, at, now) => [
      [
        accountId(n),
        0,
        gameId,
        `s${n}`,
        0,
        at,
        n % 10 === 0 ? at : now + 2_000_000_000,
        'device',
        subjectOf(n),
        subjectOf(n),
        1,
        '[]',
      ],
    ],
  },
  entries: {
    columns: 'account_id, environment, game_id, collection, key, version, changed_at, body, growth',
    rows: (n, at) =>
      ['main', 'settings'].map((key) => [
        accountId(n),
        0,
        gameId,
        'progress',
        key,
        1,
        at,
        JSON.stringify({ n, notes }),
        1_200,
      ]),
  },
};

/**
 * Fills the empty tables of a schema, two at a time, and says how far it is. Each table is one transaction that empties it, takes
 * its indexes away, copies frozen rows and makes the indexes again: no later VACUUM writes the pages anew, and with a `wal_level`
 * of minimal they are not in the log as well.
 */
export async function fill({ psql, connectionString, schema }, { accounts, now, say }) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const started = performance.now();
  const total = accounts * Object.keys(tables).length;
  let done = 0;
  const waiting = Object.keys(tables).reverse();
  const copied = (rows) => {
    done += rows;
    const rate = done / (performance.now() - started);
    return { part: Math.floor((100 * done) / total), perSecond: rate * 1_000, restMs: (total - done) / rate };
  };

  async function fillNext() {
    for (let table = waiting.shift(); table !== undefined; table = waiting.shift()) {
      const { columns } = tables[table];
      const { without, again } = await indexesOf(client, schema, table);
      const steps = [
        "SET maintenance_work_mem = '1GB'",
        `TRUNCATE "${schema}".${table}`,
        ...without,
        `COPY "${schema}".${table} (${columns}) FROM STDIN WITH (FREEZE)`,
        ...again,
        `ANALYZE "${schema}".${table}`,
      ];
      const options = ['-q', '-X', '-1', '-v', 'ON_ERROR_STOP=1', ...steps.flatMap((step) => ['-c', step])];
      const copy = spawn(psql, [connectionString, ...options], { stdio: ['pipe', 'inherit', 'inherit'] });
      const ended = once(copy, 'exit');
      copy.stdin.on('error', () => {});
      for (const [rows, text] of textOf(table, accounts, now)) {
        if (copy.exitCode !== null) break;
        if (!copy.stdin.write(text)) await Promise.race([once(copy.stdin, 'drain'), ended]);
        const { part, ...pace } = copied(rows);
        say(`${table}: ${part} %`, pace);
      }
      copy.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`COPY into ${table} ended with ${code}`);
    }
  }

  try {
    await Promise.all([fillNext(), fillNext()]);
  } finally {
    await client.end();
  }
}

/** The rows of a table as COPY reads them, and of how many accounts each text is. */
function* textOf(table, accounts, now) {
  const { rows } = tables[table];
  for (let from = 0; from < accounts; from += rowsAtOnce) {
    const to = Math.min(accounts, from + rowsAtOnce);
    let text = '';
    for (let n = from; n < to; n += 1) {
      // Over the year before.
      const made = now - 31_536_000_000 + (n % 31_536_000) * 1_000;
      for (const row of rows(n, made, now)) text += `${row.join('\t')}\n`;
    }
    yield [to - from, text];
  }
}

/** What takes the indexes of a table away, its primary key among them, and what makes them again. */
async function indexesOf(client, schema, table) {
  const { rows } = await client.query(
    `SELECT i.indexrelid::regclass::text AS index, pg_get_indexdef(i.indexrelid) AS definition,
        c.conname AS key, pg_get_constraintdef(c.oid) AS constraint
      FROM pg_index i LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid
      WHERE i.indrelid = $1::regclass`,
    [`"${schema}".${table}`],
  );
  const at = `ALTER TABLE "${schema}".${table}`;
  return {
    without: rows.map(({ index, key }) => (key === null ? `DROP INDEX ${index}` : `${at} DROP CONSTRAINT ${key}`)),
    again: rows.map(({ definition, key, constraint }) =>
      key === null ? definition : `${at} ADD CONSTRAINT ${key} ${constraint}`,
    ),
  };
}
