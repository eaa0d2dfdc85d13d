import type { Rule } from './rules.js';

/** SQL of ours that breaks a rule, so that a database is not ready for it, or not without a setting. docs/scaling.md shows it. */
export interface Exception {
  rule: Rule['name'];
  /** Which statements; the schema's name is an `@` in them. */
  statements: RegExp;
  /** What does not work there, and the way out. */
  means: string;
}

export const exceptions: readonly Exception[] = [
  {
    rule: 'citus/locks',
    statements: /^WITH picked AS MATERIALIZED \(\s+SELECT account_id, environment, game_id, ordinal FROM @events /,
    means:
      'Webhooks are not ready for Citus: a process claims events of many accounts with `FOR UPDATE SKIP LOCKED`. Configure no webhooks there.',
  },
  {
    rule: 'citus/correlated-subquery',
    statements: /^SELECT t\.method AS method, local_id, cloud_id/,
    means:
      "An operator's look at one player (`savepoint players show`), the player's timeline and the list of a game's open conflicts are not ready for Citus: they ask for each ticket whether its session lives, and the two lie in different shards.",
  },
  {
    rule: 'citus/rules-and-triggers',
    statements: /^CREATE TRIGGER moved /,
    means: '`savepoint move` is not ready for Citus as the store that is left: move before the tables are distributed.',
  },
  {
    rule: 'yugabytedb/table-locks',
    statements: /^LOCK TABLE @/,
    means: '`savepoint move` is not ready for YugabyteDB, neither from it nor to it.',
  },
  {
    rule: 'yugabytedb/ddl-in-a-transaction',
    statements: /^(CREATE (TABLE|INDEX|SCHEMA|FUNCTION|TRIGGER)|ALTER TABLE|DROP INDEX) /,
    means:
      'Where a migration is interrupted on YugabyteDB, what it had changed stays, and the next start fails at it: make a backup before an upgrade, and start again from that.',
  },
  {
    rule: 'cockroachdb/ddl-in-a-transaction',
    statements: /^(CREATE (SCHEMA|FUNCTION|TRIGGER)|ALTER TABLE|DROP INDEX) /,
    means:
      'The same on CockroachDB, which commits what stands before such a statement (`autocommit_before_ddl`): make a backup before an upgrade.',
  },
  {
    rule: 'cockroachdb/several-writes-to-a-table',
    statements: /^WITH held AS /,
    means:
      'Force-writes on CockroachDB need its setting `enable_multiple_modifications_of_table`: one statement takes the oldest snapshot away and adds one. It never touches the same row twice, which is what the setting warns of.',
  },
];
