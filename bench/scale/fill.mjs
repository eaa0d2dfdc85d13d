// Fills a schema with accounts by COPY. Each has a device's link, a session, and two entries.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';

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

/** Adds the accounts from one number up to another, and says how far it is. */
export async function fill({ psql, connectionString, schema }, { from, to, now, say }) {
  const started = performance.now();
  const total = (to - from) * Object.keys(tables).length;
  let done = 0;
  for (const [table, { columns, rows }] of Object.entries(tables)) {
    const copy = spawn(psql, [connectionString, '-qc', `COPY "${schema}".${table} (${columns}) FROM STDIN`], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    const ended = once(copy, 'exit');
    copy.stdin.on('error', () => {});
    for (let n = from; n < to; n += rowsAtOnce) {
      let text = '';
      for (let at = n; at < Math.min(to, n + rowsAtOnce); at += 1) {
        // Over the year before.
        const made = now - 31_536_000_000 + (at % 31_536_000) * 1_000;
        for (const row of rows(at, made, now)) text += `${row.join('\t')}\n`;
      }
      if (copy.exitCode !== null) break;
      if (!copy.stdin.write(text)) await Promise.race([once(copy.stdin, 'drain'), ended]);
      done += Math.min(to, n + rowsAtOnce) - n;
      const rate = done / (performance.now() - started);
      say(`${table}: ${Math.floor((100 * done) / total)} %`, {
        perSecond: rate * 1_000,
        restMs: (total - done) / rate,
      });
    }
    copy.stdin.end();
    const [code] = await ended;
    if (code !== 0) throw new Error(`COPY into ${table} ended with ${code}`);
  }
}
