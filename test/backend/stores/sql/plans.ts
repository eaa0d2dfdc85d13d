import pg from 'pg';
import { gameId } from '../contract-records.js';

/** Tables that have more rows the more players there are, or the longer the service runs. */
const growing = [
  'accounts',
  'account_links',
  'links',
  'sessions',
  'entries',
  'snapshots',
  'choices',
  'events',
  'tickets',
  'codes',
  'nonces',
  'attempts',
  'audit',
  'counts',
];

/** Every account of the game, and what has expired is little, as it is where retention goes on. */
const account = `'a-' || n, 0, '${gameId}'`;
const owner = 'account_id, environment, game_id';
/** What is counted is one game's of ten: where it is all that there is, nothing is quicker than to read it all. */
const gameOfTen = `CASE WHEN n % 10 = 0 THEN '${gameId}' ELSE 'g-' || n % 10 END`;
const later = '9000000000000 + n';

/** What each table gets for each `n`: the columns, and their values. */
const rowsOf: { readonly [table: string]: readonly [columns: string, values: string] } = {
  accounts: [
    `${owner}, created_at, last_seen_at, orphaned_at, deleted_at, banned_at, banned_until, ban_reason, revision`,
    `${account}, n, n, CASE WHEN n % 100 = 0 THEN ${later} END, CASE WHEN n % 100 = 1 THEN ${later} END,
      CASE WHEN n % 100 = 2 THEN n END, CASE WHEN n % 100 = 2 THEN n END, CASE WHEN n % 100 = 2 THEN 'x' END, 0`,
  ],
  account_links: [`${owner}, method, subject, linked_at, ordinal`, `${account}, 'device', 'd-' || n, n, 1`],
  links: ['link_hash, account_id, linked_at', `'h-' || n, 'a-' || n, n`],
  sessions: [
    `${owner}, session_id, revision, opened_at, expires_at, method, subject, device, ordinal, refresh_tokens`,
    `${account}, 's', 0, n, ${later}, 'device', 'd-' || n, 'd-' || n, 1, '[]'`,
  ],
  entries: [`${owner}, collection, key, version, changed_at, body`, `${account}, 'c', 'k', 0, 0, '{}'`],
  snapshots: [
    `${owner}, snapshot_id, created_at, expires_at, reason, from_id, entry_count, bytes, ordinal, entries`,
    `${account}, 's-' || n, n, ${later}, 'local', 'a', 1, 1, 1, '[]'`,
  ],
  choices: [
    `${owner}, choice_id, choice, from_id, made_at, expires_at, moved`,
    `${account}, 'c-' || n, 'local', 'a', n, ${later}, '[]'`,
  ],
  // A few wait, and more are dead; what is delivered is gone.
  events: [
    `${owner}, ordinal, event_id, kind, at, attempts, due_at, dead_at, expires_at, details`,
    `'a-' || n, 0, ${gameOfTen}, n, 'e-' || n, 'linked', n, 0, ${later}, CASE WHEN n % 100 < 90 THEN n END, ${later}, '{}'`,
  ],
  tickets: [
    'ticket, game_id, environment, method, subject, link_hash, linked_at, local_id, session_id, cloud_id, device, expires_at, revision',
    `'t-' || n, '${gameId}', 0, 'name', 's', 'h', 0, 'a-' || n, 's', 'b-' || n, 'd', ${later}, 0`,
  ],
  codes: [
    'link_hash, kind, hash, account_id, link_revision, tries_left, used, expires_at',
    `'h-' || n, 'reset', 'h', 'a-' || n, 0, 5, 0, ${later}`,
  ],
  nonces: ['nonce, game_id, expires_at', `'n-' || n, ${gameOfTen}, ${later}`],
  attempts: [
    'key, count, window_ends_at, locked_until, locks, expires_at, revision',
    `'k-' || n, 1, n, 0, 0, ${later}, 0`,
  ],
  audit: [
    `audit_id, at, expires_at, key_name, action, ${owner}, details`,
    `'e-' || n, n, ${later}, 'ada', 'x', ${account}, '{"what":{}}'`,
  ],
  counts: ['slot, game_id, environment, day, kind, n', `n % 16, '${gameId}', 0, n / 160, 'k-' || n / 16 % 10, n`],
};

/** Gives each growing table so many rows, and PostgreSQL its statistics. */
export async function fillTables(
  { pool, schema }: { pool: pg.Pool; schema: string },
  rows: number,
  tables: readonly string[] = growing,
): Promise<void> {
  for (const table of tables) {
    const [columns, values] = rowsOf[table] ?? ['', ''];
    await pool.query(
      `INSERT INTO "${schema}".${table} (${columns}) SELECT ${values} FROM generate_series(1, ${rows}) AS n`,
    );
    // What only the index tells is read from there alone where the pages are known to be old: a transaction of another
    // test that began before keeps them from it until it ends.
    do await pool.query(`VACUUM (ANALYZE) "${schema}".${table}`);
    while (!(await isOld(pool, `"${schema}".${table}`)));
  }
}

/** Whether nearly all pages of a table are known to be old; the last ones may have nothing yet. */
async function isOld(pool: pg.Pool, table: string): Promise<boolean> {
  const text = 'SELECT relallvisible > 0.9 * relpages AS old FROM pg_class WHERE oid = $1::regclass';
  return (await pool.query<{ old: boolean }>(text, [table])).rows[0]?.old === true;
}

interface Explained {
  'QUERY PLAN': { Plan: Plan }[];
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** Whether a statement has a plan: what changes tables themselves, begins or ends has none. */
const isPlanned = (text: string): boolean => /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\b/.test(text);

/** The statement that a COPY reads by, or the statement itself; null for what has no plan. */
export function plannedOf(text: string): string | null {
  const asked = /^COPY \((.+)\) TO STDOUT$/s.exec(text)?.[1] ?? text;
  return isPlanned(asked) ? asked : null;
}

/** What reads a table that grows from end to end because all of it is wanted; the schema's name is an `@` in it. */
export const readOnPurpose: readonly { statements: RegExp; why: string }[] = [
  {
    statements: /^SELECT game_id, environment, count\(\*\) AS accounts FROM @accounts\s/,
    why: '`savepoint export` writes all players out, and counts them first.',
  },
  {
    statements: /^SELECT count\(\*\) AS count FROM @\w+$/,
    why: '`savepoint move` carries everything over, and counts it before and after.',
  },
  {
    statements: /^SELECT [\w, ]+ FROM @\w+ ORDER BY [\w, ]+$/,
    why: '`savepoint move` carries everything over: it reads each table once while the service goes on.',
  },
];

/** The growing tables that PostgreSQL would read from end to end for a statement, with these settings. */
export async function scannedFor(
  pool: pg.Pool,
  { text, values, isNamed = false }: { text: string; values: unknown[]; isNamed?: boolean },
  settings: readonly string[] = [],
): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query(['BEGIN', ...settings].join('; '));
    const { rows } = await client.query<Explained>(`${explain} ${text}`, values);
    return scannedBy([...rows, ...(isNamed ? await planForAny(client, text, values) : [])]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const explain = 'EXPLAIN (FORMAT JSON)';

/** The plan for any values, which PostgreSQL may keep of a statement with a name. */
async function planForAny(client: pg.PoolClient, text: string, values: unknown[]): Promise<Explained[]> {
  const given = values.map((value) => (value === null ? 'NULL' : pg.escapeLiteral(String(value)))).join(', ');
  await client.query(`SET LOCAL plan_cache_mode = force_generic_plan; PREPARE asked AS ${text}`);
  const { rows } = await client.query<Explained>(`${explain} EXECUTE asked${given === '' ? '' : `(${given})`}`);
  await client.query('DEALLOCATE asked');
  return rows;
}

function scannedBy(explained: readonly Explained[]): string[] {
  const scans = (plan: Plan): string[] => [
    ...(plan['Node Type'] === 'Seq Scan' ? [plan['Relation Name'] ?? ''] : []),
    ...(plan.Plans ?? []).flatMap(scans),
  ];
  const found = explained.flatMap(({ 'QUERY PLAN': plans }) => plans.flatMap(({ Plan: plan }) => scans(plan)));
  return [...new Set(found)].filter((table) => growing.includes(table));
}
