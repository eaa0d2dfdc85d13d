import { type Engine, firstRow, integerOf, rows, type SqlRunner, type Steps } from './statement.js';

/** The statements that make one version of the schema out of the one before. */
export type Migration = readonly MigrationStep[];

/** A statement in SQL that both engines share, or what each of them takes instead. */
type MigrationStep = string | { readonly [engine in Engine]: readonly string[] };

const owned = `
  account_id text COLLATE "C" NOT NULL,
  environment smallint NOT NULL,
  game_id text COLLATE "C" NOT NULL`;

const snapshotsOfAccount = 'account_id, environment, game_id, ordinal, snapshot_id';

/** The table of snapshots with this primary key: all that has changed in it since it was first made. */
const snapshotsBy = (key: string): string => `CREATE TABLE @snapshots (${owned},
      snapshot_id text COLLATE "C" NOT NULL,
      created_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      reason text NOT NULL,
      from_id text NOT NULL,
      entry_count bigint NOT NULL,
      bytes bigint NOT NULL,
      ordinal bigint NOT NULL,
      entries text NOT NULL,
      PRIMARY KEY (${key}))`;

/**
 * Every table has one column by which its rows can be spread over machines, and each unique index begins with it:
 * `account_id` for all that belongs to an account, so that it stays together; `link_hash`, `ticket`, `nonce`, `key`
 * and `slot` for the rest.
 *
 * Columns of long values stand last: SQLite has to read past them to the columns behind them.
 *
 * Never change a migration that has been released: add another one.
 */
export const migrations: readonly Migration[] = [
  [
    // A transaction locks an account by writing to it, and `revision` is there for that alone. Unlike explicit locks,
    // this works at every isolation level and on every engine.
    `CREATE TABLE @accounts (${owned},
      created_at bigint NOT NULL,
      orphaned_at bigint,
      deleted_at bigint,
      deleted_by text,
      revision bigint NOT NULL,
      PRIMARY KEY (account_id, environment, game_id))`,
    'CREATE INDEX accounts_orphaned_at ON @accounts (orphaned_at) WHERE orphaned_at IS NOT NULL',
    'CREATE INDEX accounts_deleted_at ON @accounts (deleted_at) WHERE deleted_at IS NOT NULL',
    // To which account a subject leads, by a hash of game, environment, method and subject.
    `CREATE TABLE @links (
      link_hash text COLLATE "C" NOT NULL PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      label text,
      credential text,
      linked_at bigint NOT NULL)`,
    // The same links beside their account. One transaction writes both.
    `CREATE TABLE @account_links (${owned},
      method text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      label text,
      credential text,
      linked_at bigint NOT NULL,
      ordinal bigint NOT NULL,
      PRIMARY KEY (account_id, environment, game_id, method, subject))`,
    `CREATE TABLE @sessions (${owned},
      session_id text COLLATE "C" NOT NULL,
      revision bigint NOT NULL,
      opened_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      method text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      device text COLLATE "C" NOT NULL,
      ordinal bigint NOT NULL,
      refresh_tokens text NOT NULL,
      PRIMARY KEY (account_id, environment, game_id, session_id))`,
    'CREATE INDEX sessions_expires_at ON @sessions (expires_at)',
    `CREATE TABLE @tickets (
      ticket text COLLATE "C" NOT NULL PRIMARY KEY,
      game_id text COLLATE "C" NOT NULL,
      environment smallint NOT NULL,
      method text COLLATE "C" NOT NULL,
      subject text COLLATE "C" NOT NULL,
      link_hash text COLLATE "C" NOT NULL,
      linked_at bigint NOT NULL,
      local_id text NOT NULL,
      session_id text NOT NULL,
      cloud_id text NOT NULL,
      device text NOT NULL,
      expires_at bigint NOT NULL,
      choice text,
      resolved_session_id text,
      revision bigint NOT NULL)`,
    'CREATE INDEX tickets_expires_at ON @tickets (expires_at)',
    'CREATE INDEX tickets_link_hash ON @tickets (link_hash)',
    `CREATE TABLE @entries (${owned},
      collection text COLLATE "C" NOT NULL,
      key text COLLATE "C" NOT NULL,
      version bigint NOT NULL,
      changed_at bigint NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (account_id, environment, game_id, collection, key))`,
    snapshotsBy('account_id, environment, game_id, snapshot_id'),
    'CREATE INDEX snapshots_expires_at ON @snapshots (expires_at)',
    `CREATE TABLE @nonces (
      nonce text COLLATE "C" NOT NULL,
      game_id text COLLATE "C" NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (nonce, game_id))`,
    'CREATE INDEX nonces_expires_at ON @nonces (game_id, expires_at)',
    `CREATE TABLE @attempts (
      key text COLLATE "C" NOT NULL PRIMARY KEY,
      count bigint NOT NULL,
      window_ends_at bigint NOT NULL,
      locked_until bigint NOT NULL,
      locks bigint NOT NULL,
      expires_at bigint NOT NULL,
      revision bigint NOT NULL)`,
    'CREATE INDEX attempts_expires_at ON @attempts (expires_at)',
  ],
  [
    // The ledger, in PostgreSQL's own form, so that an update need not read it from text. SQLite does not know the type
    // and keeps text. `times` is what players' devices keep beside the value.
    "ALTER TABLE @entries ADD COLUMN writes jsonb NOT NULL DEFAULT '{}'",
    "ALTER TABLE @entries ADD COLUMN times text NOT NULL DEFAULT '{}'",
  ],
  [
    // For the sweep, which takes the nonces of all games. The index above is for the count of a game's.
    'CREATE INDEX nonces_expiry ON @nonces (expires_at)',
  ],
  [
    // What a credential was checked against: a link's revision is that of its account when the link last changed.
    // `linked_at` of tickets is not read any more.
    'ALTER TABLE @links ADD COLUMN revision bigint NOT NULL DEFAULT 0',
    'ALTER TABLE @account_links ADD COLUMN revision bigint NOT NULL DEFAULT 0',
    'ALTER TABLE @tickets ADD COLUMN link_revision bigint NOT NULL DEFAULT 0',
    'DROP INDEX @tickets_link_hash',
  ],
  [
    // The bytes of all values of an account together, which a write compares with the quota under the account's lock;
    // and by how many bytes an entry's last write has changed them.
    'ALTER TABLE @accounts ADD COLUMN value_bytes bigint NOT NULL DEFAULT 0',
    'ALTER TABLE @entries ADD COLUMN growth bigint NOT NULL DEFAULT 0',
    `UPDATE @accounts AS a SET value_bytes = e.bytes FROM (
      SELECT account_id, environment, game_id, sum(octet_length(body)) AS bytes FROM @entries
        GROUP BY account_id, environment, game_id) AS e
      WHERE a.account_id = e.account_id AND a.environment = e.environment AND a.game_id = e.game_id`,
  ],
  [
    // Null in what an earlier version has written: a session was then authenticated when it began, and a link was used
    // when it was made.
    'ALTER TABLE @sessions ADD COLUMN authenticated_at bigint',
    'ALTER TABLE @account_links ADD COLUMN last_used_at bigint',
  ],
  [
    // Holds all that a new snapshot asks of those that are there, so that none of them is read for it.
    `CREATE INDEX snapshots_of_account
      ON @snapshots (account_id, environment, game_id, ordinal, reason, bytes, snapshot_id)`,
  ],
  [
    // Operators: their keys by the hash, and what they have changed. `account_id` and what follows it are null where a
    // change was none of an account.
    `CREATE TABLE @operator_keys (
      key_id text COLLATE "C" NOT NULL PRIMARY KEY,
      name text NOT NULL,
      scope text NOT NULL,
      hash text NOT NULL,
      created_at bigint NOT NULL,
      created_by text NOT NULL)`,
    `CREATE TABLE @audit (
      audit_id text COLLATE "C" NOT NULL PRIMARY KEY,
      at bigint NOT NULL,
      expires_at bigint NOT NULL,
      key_id text COLLATE "C",
      key_name text NOT NULL,
      action text NOT NULL,
      account_id text COLLATE "C",
      environment smallint,
      game_id text COLLATE "C",
      details text NOT NULL)`,
    'CREATE INDEX audit_at ON @audit (at, audit_id)',
    'CREATE INDEX audit_of_account ON @audit (account_id, environment, game_id, at, audit_id)',
    'CREATE INDEX audit_expires_at ON @audit (expires_at)',
  ],
  [
    // How `value_bytes` counts (value-bytes.ts). An entry's `growth` is up to how many bytes its value may grow in
    // there: what an earlier version keeps in it never is more than the value itself.
    'ALTER TABLE @accounts ADD COLUMN exact_until bigint',
  ],
  [
    // The lists of a game's accounts: each is read along an index of its own.
    'ALTER TABLE @accounts ADD COLUMN last_seen_at bigint NOT NULL DEFAULT 0',
    `UPDATE @accounts AS a SET last_seen_at = coalesce((
        SELECT max(coalesce(k.last_used_at, k.linked_at)) FROM @account_links AS k
          WHERE k.account_id = a.account_id AND k.environment = a.environment AND k.game_id = a.game_id), a.created_at)`,
    'CREATE INDEX accounts_by_age ON @accounts (game_id, environment, created_at, account_id)',
    'CREATE INDEX accounts_by_use ON @accounts (game_id, environment, last_seen_at, account_id)',
    `CREATE INDEX accounts_orphaned ON @accounts (game_id, environment, orphaned_at, account_id)
      WHERE orphaned_at IS NOT NULL`,
    `CREATE INDEX accounts_deleted ON @accounts (game_id, environment, deleted_at, account_id)
      WHERE deleted_at IS NOT NULL`,
    'CREATE INDEX tickets_local_id ON @tickets (local_id, expires_at)',
    'CREATE INDEX tickets_cloud_id ON @tickets (cloud_id, expires_at)',
  ],
  [
    // Bans; `banned_until` says whether there is one. The list of those that last is read along the index.
    'ALTER TABLE @accounts ADD COLUMN banned_at bigint',
    'ALTER TABLE @accounts ADD COLUMN banned_until bigint',
    'ALTER TABLE @accounts ADD COLUMN ban_reason text',
    `CREATE INDEX accounts_banned ON @accounts (game_id, environment, banned_until, account_id)
      WHERE banned_until IS NOT NULL`,
  ],
  [
    // One-time codes of links. Null in `tries_left` where nobody can guess the code.
    `CREATE TABLE @codes (
      link_hash text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      hash text NOT NULL,
      account_id text COLLATE "C" NOT NULL,
      link_revision bigint NOT NULL,
      tries_left bigint,
      used smallint NOT NULL,
      expires_at bigint NOT NULL,
      PRIMARY KEY (link_hash, kind))`,
    'CREATE INDEX codes_expires_at ON @codes (expires_at)',
  ],
  [
    // The latest choice that an account was chosen by, so that an operator can take it back. `moved` is the JSON of the
    // links that led to the account `from_id` before.
    `CREATE TABLE @choices (${owned},
      choice_id text NOT NULL,
      choice text NOT NULL,
      from_id text NOT NULL,
      snapshot_id text,
      made_at bigint NOT NULL,
      expires_at bigint NOT NULL,
      moved text NOT NULL,
      PRIMARY KEY (account_id, environment, game_id))`,
    'CREATE INDEX choices_expires_at ON @choices (expires_at)',
  ],
  [
    // What happened to accounts, until the game's back end has it. `dead_at` says since when it waits for an operator.
    `CREATE TABLE @events (${owned},
      ordinal bigint NOT NULL,
      event_id text COLLATE "C" NOT NULL,
      kind text NOT NULL,
      at bigint NOT NULL,
      attempts bigint NOT NULL,
      due_at bigint NOT NULL,
      dead_at bigint,
      expires_at bigint NOT NULL,
      details text NOT NULL,
      PRIMARY KEY (account_id, environment, game_id, ordinal))`,
    'CREATE INDEX events_due_at ON @events (game_id, due_at) WHERE dead_at IS NULL',
    'CREATE INDEX events_dead_at ON @events (game_id, dead_at, event_id) WHERE dead_at IS NOT NULL',
    'CREATE INDEX events_expires_at ON @events (expires_at)',
  ],
  [
    // How the last try to deliver an event was answered, and the oldest of those that wait.
    'ALTER TABLE @events ADD COLUMN last_status bigint',
    'CREATE INDEX events_at ON @events (game_id, at) WHERE dead_at IS NULL',
  ],
  [
    // How often something happened on a day in UTC, `day` days since 1970; `slot` is one of the
    // parts that are added up.
    `CREATE TABLE @counts (
      slot smallint NOT NULL,
      game_id text COLLATE "C" NOT NULL,
      environment smallint NOT NULL,
      day bigint NOT NULL,
      kind text COLLATE "C" NOT NULL,
      n bigint NOT NULL,
      PRIMARY KEY (slot, game_id, environment, day, kind))`,
  ],
  [
    // The e-mail address that the player of a name has verified; and the one that a code is to verify.
    'ALTER TABLE @links ADD COLUMN mail_address text',
    'ALTER TABLE @account_links ADD COLUMN mail_address text',
    'ALTER TABLE @codes ADD COLUMN mail_address text',
  ],
  [
    // The platforms that operators have registered: all of a game in one environment in a row, as JSON, so that whoever
    // changes one has them all, and whoever looks whether something has changed reads a number.
    `CREATE TABLE @platforms (
      game_id text COLLATE "C" NOT NULL,
      environment smallint NOT NULL,
      revision bigint NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (game_id, environment))`,
  ],
  [
    // The names of social platforms that are gone, with their presets: players are still linked by them.
    "ALTER TABLE @platforms ADD COLUMN former text NOT NULL DEFAULT '[]'",
    // The list of a game's open conflicts is read along it.
    `CREATE INDEX tickets_open ON @tickets (game_id, environment, expires_at, session_id) WHERE choice IS NULL`,
  ],
  [
    // The list of a game's choices is read along it.
    'CREATE INDEX choices_of_game ON @choices (game_id, environment, made_at, account_id)',
  ],
  [
    // A code that signs in to an account is found by its hash alone.
    'CREATE INDEX codes_hash ON @codes (hash)',
  ],
  [
    // When a session was last used, in seconds since 1970; null in what an earlier version has written. The index holds
    // all that a sign-in asks of the sessions that are there, so that none of them is read for it.
    'ALTER TABLE @sessions ADD COLUMN used_at bigint',
    `CREATE INDEX sessions_by_use
      ON @sessions (account_id, environment, game_id, used_at, ordinal, session_id)`,
  ],
  [
    // What an account's snapshots are together (snapshot-count.ts); null where nobody has counted them since.
    'ALTER TABLE @accounts ADD COLUMN snapshot_count bigint',
    'ALTER TABLE @accounts ADD COLUMN snapshot_bytes bigint',
    'ALTER TABLE @accounts ADD COLUMN newest_snapshot bigint',
    'ALTER TABLE @accounts ADD COLUMN snapshots_until bigint',
  ],
  [
    // What an account counts of its entries has the times beside the values from here on: its next write counts all.
    'UPDATE @accounts SET exact_until = 9007199254740991',
  ],
  [
    // When the player verified the e-mail address. One that is there already was verified before this migration, at the
    // latest; null in what an earlier version writes while it runs beside this one.
    'ALTER TABLE @links ADD COLUMN mail_address_at bigint',
    'ALTER TABLE @account_links ADD COLUMN mail_address_at bigint',
    ...['@links', '@account_links'].map(
      (table) => `UPDATE ${table} SET mail_address_at = (SELECT max(applied_at) FROM @schema_versions)
        WHERE mail_address IS NOT NULL`,
    ),
  ],
  [
    // The other accounts whose saves came into an entry (rules/origins.ts); null where an earlier version may have merged some.
    'ALTER TABLE @entries ADD COLUMN origins text',
  ],
  [
    // Snapshots in the order in which an account has made them, by the one key that stays: a forced write of an account that has as
    // many as it may adds a row at one end and removes one at the other. By their ids each was somewhere else, and that
    // index and the one of the order were two thirds of what SQLite wrote to the disk for it.
    {
      postgres: [
        `ALTER TABLE @snapshots DROP CONSTRAINT snapshots_pkey, ADD CONSTRAINT snapshots_pkey PRIMARY KEY (${snapshotsOfAccount})`,
        'DROP INDEX @snapshots_of_account',
      ],
      // SQLite gives a table its key when it makes it.
      sqlite: [
        'ALTER TABLE @snapshots RENAME TO snapshots_by_id',
        snapshotsBy(snapshotsOfAccount),
        'INSERT INTO @snapshots SELECT * FROM @snapshots_by_id ORDER BY rowid',
        'DROP TABLE @snapshots_by_id',
        'CREATE INDEX snapshots_expires_at ON @snapshots (expires_at)',
      ],
    },
  ],
  [
    // An account has some fifty sessions, which are found by their key, and each says when it was last used: to read them all is
    // less than one more place to write to for each new one, which was a tenth of what SQLite took for a new guest.
    'DROP INDEX @sessions_by_use',
    // Only the link of a name has an address. The link of a device got a copy of it where a deletion was taken back.
    `UPDATE @account_links SET mail_address = NULL, mail_address_at = NULL
      WHERE mail_address IS NOT NULL AND method <> 'name'`,
  ],
  [
    // What a session came from before its player has shown another login method (rules/session-links.ts).
    'ALTER TABLE @sessions ADD COLUMN former_links text',
  ],
];

/** The statements of a migration, as an engine takes them. */
export function textsFor(engine: Engine, migration: Migration): string[] {
  return migration.flatMap((step) => (typeof step === 'string' ? step : step[engine]));
}

/** Stands for a version in a store that was moved to another one: no service may start on it. */
export const movedAway = 1_000_000;

const versionTable = `
  CREATE TABLE IF NOT EXISTS @schema_versions (version integer NOT NULL PRIMARY KEY, applied_at bigint NOT NULL)`;

/**
 * Brings the schema to the latest version, in one transaction for each version, so that an interrupted migration leaves
 * the version before it. Processes that start at once wait for each other. Throws where the schema is newer than this
 * code. Where the schema has the latest version this only reads, so that a service needs no right to change it.
 */
export async function migrate(
  runner: SqlRunner,
  {
    steps = migrations,
    now,
    hasVersions,
    patient = runner,
  }: {
    steps?: readonly Migration[];
    now: number;
    /** Whether the table of versions is there already. */
    hasVersions: boolean;
    /** The runner for what changes the schema, where that may take longer than other statements. */
    patient?: SqlRunner;
  },
): Promise<void> {
  if (!hasVersions) await patient.transaction(() => rows(versionTable));
  let version = await runner.read(currentVersion);
  while (version < steps.length) {
    const migration = steps[version] ?? [];
    const next = version + 1;
    version = await patient.transaction(() => apply(textsFor(patient.engine, migration), { version: next, now }));
  }
  if (version === movedAway) {
    throw new Error('This store was moved to another one by savepoint move: start the service on that one.');
  }
  if (version > steps.length) {
    throw new Error(
      `The schema has version ${version}, and this savepoint knows ${steps.length}: it needs a newer one.`,
    );
  }
}

function* currentVersion(): Steps<number> {
  const row = yield* firstRow('SELECT coalesce(max(version), 0) AS version FROM @schema_versions');
  return row === null ? 0 : integerOf(row, 'version');
}

function* apply(texts: readonly string[], { version, now }: { version: number; now: number }): Steps<number> {
  // This row is written first: of two processes the second one waits here, and then finds the migration done.
  const claimed = yield* rows(
    `INSERT INTO @schema_versions (version, applied_at) VALUES ($1, $2)
      ON CONFLICT (version) DO NOTHING RETURNING version`,
    version,
    now,
  );
  if (claimed.length > 0) for (const text of texts) yield* rows(text);
  return yield* currentVersion();
}
