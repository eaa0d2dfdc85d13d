import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EventRecord } from '../../../src/backend/stores/event-requests.js';
import { accountLists } from '../../../src/backend/stores/operator-requests.js';
import type { PostgresConnection, PostgresPool } from '../../../src/backend/stores/postgres/pool.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { gameId, owner, scope } from './contract-records.js';
import { mark } from './operators-contract.js';

const growing = ['accounts', 'account_links', 'sessions', 'entries', 'tickets', 'audit', 'events', 'counts'];
const place = { at: 50_000, id: 'a-50000' };

describeOnPostgres('an operator on PostgreSQL with many accounts', (newSchema) => {
  const database = newSchema();
  const { pool, schema } = database;
  const sent: { text: string; values: unknown[] }[] = [];
  let store: Store;

  /** The pool of the store, whose statements are noted. */
  const watched: PostgresPool = {
    async connect(): Promise<PostgresConnection> {
      const connection = await pool.connect();
      return {
        async query(text, values) {
          sent.push({ text, values: values ?? [] });
          return connection.query(text, values);
        },
        release: (destroy) => connection.release(destroy),
      };
    },
  };

  beforeAll(async () => {
    store = await createPostgresStore({ pool: watched, schema });
    const fill = (table: string, columns: string, select: string) =>
      pool.query(`INSERT INTO "${schema}".${table} (${columns}) SELECT ${select} FROM generate_series(1, 100000) AS n`);
    const account = `'a-' || n, 0, '${gameId}'`;
    await fill(
      'accounts',
      'account_id, environment, game_id, created_at, last_seen_at, orphaned_at, deleted_at, banned_at, banned_until, ban_reason, revision',
      `${account}, n, n, CASE WHEN n % 100 = 0 THEN n END, CASE WHEN n % 100 = 1 THEN n END,
        CASE WHEN n % 100 = 2 THEN n END, CASE WHEN n % 100 = 2 THEN n END, CASE WHEN n % 100 = 2 THEN 'x' END, 0`,
    );
    await fill(
      'account_links',
      'account_id, environment, game_id, method, subject, linked_at, ordinal',
      `${account}, 'device', 'd-' || n, n, 1`,
    );
    await fill(
      'sessions',
      'account_id, environment, game_id, session_id, revision, opened_at, expires_at, method, subject, device, ordinal, refresh_tokens',
      `${account}, 's', 0, n, n, 'device', 'd-' || n, 'd-' || n, 1, '[]'`,
    );
    await fill(
      'audit',
      'audit_id, at, expires_at, key_name, action, account_id, environment, game_id, details',
      `'e-' || n, n, n, 'ada', 'x', ${account}, '{"what":{}}'`,
    );
    await fill(
      'tickets',
      'ticket, game_id, environment, method, subject, link_hash, linked_at, local_id, session_id, cloud_id, device, expires_at, revision',
      `'t-' || n, '${gameId}', 0, 'name', 's', 'h', 0, 'a-' || n, 's', 'b-' || n, 'd', n, 0`,
    );
    await fill(
      'counts',
      'slot, game_id, environment, day, kind, n',
      `n % 16, '${gameId}', 0, n / 160, 'sign_in_' || (n % 160) / 16, 1`,
    );
    await fill(
      'events',
      'account_id, environment, game_id, ordinal, event_id, kind, at, attempts, due_at, dead_at, expires_at, details',
      `${account}, 1, 'e-' || n, 'linked', n, 0, n, CASE WHEN n % 2 = 0 THEN n END, n, '{}'`,
    );
    await fill(
      'entries',
      'account_id, environment, game_id, collection, key, version, changed_at, body',
      `${account}, 'c', 'k', 0, 0, '{}'`,
    );
    for (const table of growing) await pool.query(`ANALYZE "${schema}".${table}`);
  });
  afterAll(() => database.drop());

  const event = (accountId: string): EventRecord => ({
    ...owner(accountId),
    ...{ ordinal: 1, eventId: 'e', kind: 'linked', at: 1, details: {}, attempts: 0, lastStatus: null },
    ...{ dueAt: 1, deadAt: null, expiresAt: 1 },
  });
  const retryEvents = (eventId: string | null) =>
    store.changeAsOperator({
      change: 'retryEvents',
      request: { gameId, eventId, now: 1, max: 100 },
      mark: mark({ auditId: `retry-${eventId}`, action: 'retryWebhooks' }),
    });

  const asked: [what: string, ask: () => Promise<unknown>][] = [
    ...accountLists.flatMap((list): typeof asked => [
      [`the first page of ${list}`, () => store.listAccounts({ scope, list, after: null, max: 50, now: 1 })],
      [`a later page of ${list}`, () => store.listAccounts({ scope, list, after: place, max: 50, now: 1 })],
    ]),
    ['the audit log', () => store.readAudit({ owner: null, after: null, max: 50 })],
    ['a later page of the audit log', () => store.readAudit({ owner: null, after: place, max: 50 })],
    ["a player's audit log", () => store.readAudit({ owner: owner('a-5'), after: place, max: 50 })],
    [
      'what has expired of the audit log',
      () => store.removeExpired({ now: 0, orphanedBefore: 0, deletedBefore: 0, batch: 9 }),
    ],
    ['what was counted in a month', () => store.readCounts({ scope, from: 300, to: 330 })],
    ['how many events of a webhook wait', () => store.readEventQueue({ gameId, max: 1_000 })],
    ['the first page of events that were set aside', () => store.listDeadEvents({ gameId, after: null, max: 50 })],
    ['a later page of events that were set aside', () => store.listDeadEvents({ gameId, after: place, max: 50 })],
    ['which events are due', () => store.claimEvents({ gameId, now: 500, leaseUntil: 600, max: 8 })],
    ['an event that was delivered', () => store.settleEvent({ event: event('a-1'), failed: null })],
    [
      'an event that was not delivered',
      () => store.settleEvent({ event: event('a-3'), failed: { status: 500, dueAt: 9, deadAt: null } }),
    ],
    ['an event to send again', () => retryEvents('e-50000')],
    ['the events to send again', () => retryEvents(null)],
    ['the conflicts of a player', () => store.listConflicts({ owner: owner('a-5'), now: 0 })],
    ["a player's entries", () => store.listEntries({ owner: owner('a-5'), after: null, max: 50 })],
    ['an entry', () => store.readEntry({ owner: owner('a-5'), collection: 'c', key: 'k' })],
    ['a player', () => store.readAccount(owner('a-5'))],
  ];

  it.each(asked)('reads %s along an index, and scans no table that grows', async (_, ask) => {
    sent.length = 0;
    await ask();
    const looked = sent.filter(({ text }) => /^\s*(WITH|SELECT|DELETE|UPDATE)/.test(text));
    expect(looked.length).toBeGreaterThan(0);
    for (const { text, values } of looked) {
      const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
      const plan = JSON.stringify(rows);
      for (const table of growing) {
        expect(plan).not.toMatch(new RegExp(`"Node Type":"Seq Scan"[^{}]*"Relation Name":"${table}"`));
      }
    }
  });

  it('reads no more rows of a list than a page has', async () => {
    sent.length = 0;
    await store.listAccounts({ scope, list: 'newest', after: place, max: 50, now: 1 });
    const { text, values } = sent[0] ?? { text: '', values: [] };
    const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
    const counts = [...JSON.stringify(rows).matchAll(/"Actual Rows":([\d.]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
  });
});
