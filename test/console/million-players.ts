import { openSqlite } from '../../src/backend/stores/sqlite/connection.js';
import { openStore } from '../../src/cli/open-store.js';

const count = 1_000_000;

/** Ids that lie in no order, as those of a service do, and that are known again by a number. */
const idOf = (number: string): string =>
  `printf('%08x-%04x-4%03x-a%03x-%012x', (${number} * 2654435761) & 4294967295, ${number} & 65535, (${number} * 7) & 4095,
    (${number} * 13) & 4095, ${number})`;

/**
 * Makes an SQLite file with a million players who were made over the year before `now`, to be listed: nobody can sign in as one of
 * them. Each has a device, every tenth one a name, and every hundredth is banned.
 */
export async function fillWithPlayers(file: string, { gameId, now }: { gameId: string; now: number }): Promise<void> {
  await (await openStore(file)).close();
  const db = await openSqlite(file);
  try {
    db.exec('PRAGMA synchronous = OFF');
    const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`;
    const at = `${now - 31_536_000_000} + n * 31536`;
    const link = (method: string, subject: string, where: string) => `${numbers}
      INSERT INTO account_links (account_id, environment, game_id, method, subject, label, linked_at, last_used_at, ordinal)
        SELECT ${idOf('n')}, 0, '${gameId}', '${method}', ${subject}, ${method === 'name' ? subject : 'NULL'}, ${at}, ${at}, 1
          FROM numbers WHERE ${where}`;
    const statements = [
      `${numbers} INSERT INTO accounts (account_id, environment, game_id, created_at, last_seen_at, revision, value_bytes)
        SELECT ${idOf('n')}, 0, '${gameId}', ${at}, ${at}, 0, 0 FROM numbers`,
      `UPDATE accounts SET banned_at = created_at, banned_until = 8640000000000000, ban_reason = 'a million of them'
        WHERE game_id = '${gameId}' AND created_at / 31536 % 100 = 0`,
      link('device', "printf('%043d', n)", 'true'),
      link('name', "'player-' || n", 'n % 10 = 0'),
    ];
    db.exec(['BEGIN', ...statements, 'COMMIT'].join(';\n'));
  } finally {
    db.close();
  }
}
