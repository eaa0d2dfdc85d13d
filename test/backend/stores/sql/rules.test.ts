import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { migrations, textsFor } from '../../../../src/backend/stores/sql/migrations.js';
import { exceptions } from './exceptions.js';
import { parsed, readyToParse } from './parsed.js';
import { columnsOfTables, rules, statementOf } from './rules.js';
import { shardColumns, unspread } from './shards.js';

beforeAll(readyToParse);

/** The rules that a text breaks. */
function broken(text: string): string[] {
  const columns = columnsOfTables(
    migrations
      .flatMap((migration) => textsFor('postgres', migration))
      .flatMap((one) => parsed(one.replaceAll('@', ''))),
  );
  const statements = parsed(text).map((node) => statementOf(node, columns));
  return rules.filter((rule) => statements.some((statement) => rule.breaks(statement))).map(({ name }) => name);
}

describe('the rules for SQL that databases of many machines take', () => {
  it.each(rules.map((rule) => [rule.name, rule.example]))('%s catches its example', (name, example) => {
    expect(broken(example)).toContain(name);
  });

  it.each([
    ['a read of one account', 'SELECT key FROM entries WHERE account_id = $1 AND key = $2'],
    [
      'a join within an account',
      `SELECT e.key FROM accounts a LEFT JOIN entries e ON e.account_id = a.account_id WHERE a.account_id = $1`,
    ],
    [
      'a join by USING',
      'SELECT k.method FROM accounts LEFT JOIN account_links k USING (account_id, game_id) WHERE account_id = $1',
    ],
    [
      'a lock in one shard, in a subquery',
      `UPDATE entries SET body = $2 WHERE account_id = $1 AND EXISTS
        (SELECT 1 FROM accounts WHERE account_id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE)`,
    ],
    [
      'a subquery by the distribution column',
      `SELECT 1 FROM events e WHERE NOT EXISTS (SELECT 1 FROM events b WHERE b.account_id = e.account_id)`,
    ],
    [
      'rows of an account made of its rows',
      'INSERT INTO events (account_id, ordinal) SELECT account_id, revision FROM accounts WHERE account_id = $1',
    ],
    [
      'a recursive query in one shard',
      `WITH RECURSIVE n (c) AS (SELECT min(collection) FROM entries WHERE account_id = $1 UNION ALL
        SELECT (SELECT min(collection) FROM entries WHERE account_id = $1 AND collection > n.c) FROM n) SELECT c FROM n`,
    ],
  ])('let through %s', (_, text) => {
    expect(broken(text)).toEqual([]);
  });

  it.each([
    [
      'another account',
      'SELECT 1 FROM accounts WHERE account_id = $1 AND EXISTS (SELECT 1 FROM sessions WHERE account_id = $2 FOR UPDATE)',
    ],
    ['no account', 'SELECT 1 FROM accounts WHERE account_id = $1 OR game_id = $2 FOR UPDATE'],
    ['a table that lies elsewhere', 'SELECT 1 FROM accounts, nonces WHERE account_id = $1 AND nonce = $1 FOR UPDATE'],
  ])('see that a lock is of %s', (_, text) => {
    expect(broken(text)).toContain('citus/locks');
  });
});

describe('docs/scaling.md', () => {
  const page = readFileSync(new URL('../../../../docs/scaling.md', import.meta.url), 'utf8');

  it.each(exceptions.map(({ rule, means }) => [rule, means]))('says what %s means for us', (rule, means) => {
    const { source } = rules.find(({ name }) => name === rule) ?? { source: '' };
    expect(page).toContain(`- ${means} ([${rule.split('/')[0]}](${source}))`);
  });

  it('says by which column each table is spread, and how Citus is told', () => {
    for (const [table, column] of Object.entries(shardColumns)) {
      expect(page).toMatch(new RegExp(`^\\| [^|]*\`${table}\`[^|]* \\| \`${column}\``, 'm'));
      expect(page).toContain(`create_distributed_table('savepoint.${table}', '${column}', colocate_with => `);
    }
    for (const table of unspread) expect(page).toContain(`\`${table}\``);
  });
});
