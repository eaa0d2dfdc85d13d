import type pg from 'pg';
import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import {
  key,
  loginQuotas,
  newLink,
  newSession,
  openSession,
  owner,
  quotas,
  scope,
  sessionOf,
  snapshot,
} from './contract-records.js';

// Who waits for whom, one step after the other: with many writers at once it would be a matter of luck.
describeOnPostgres('writes and locks on PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { pool, schema } = database;
  const session = { ...owner('a'), sessionId: 'mine' };
  const entry = { collection: 'c', key: 'k', text: '{"lost":1}', version: -1, changedAt: 5 };
  let store: PostgresStore;
  let other: pg.PoolClient;

  const run = (text: string) => other.query(text.replaceAll('@', `"${schema}".`));
  const update = (more: Partial<UpdateRequest> = {}) =>
    store.updateEntry({
      owner: owner('a'),
      sessionId: 'mine',
      collection: 'c',
      key: 'k',
      text: '{"n":2}',
      version: 0,
      snapshot: snapshot('lost'),
      quotas: quotas(10),
      now: 6,
      ...more,
    });

  const writes: { [way: string]: () => Promise<{ outcome: string }> } = {
    'an update': () => update(),
    'a named update': () => update({ name: { device: 'd', write: '2' } }),
    "a device's first named update": () => update({ name: { device: 'new', write: '1' } }),
    'a forced write': () => update({ version: -1 }),
    'a named forced write': () => update({ version: -1, name: { device: 'd', write: '2' } }),
    'a new entry': () => update({ version: 'absent', key: 'new' }),
    'a snapshot': () => store.addSnapshot({ ...session, owner: owner('a'), entry, snapshot: snapshot('new'), now: 6 }),
    'the return of a snapshot': () =>
      store.restoreSnapshot({
        key: { ...owner('a'), snapshotId: 'kept' },
        sessionId: 'mine',
        quotas: quotas(10),
        snapshot: snapshot('undone'),
        now: 6,
      }),
  };
  const ways = Object.entries(writes);

  /** Waits until so many statements wait for a lock, or the call that was to wait has ended. */
  async function untilWaiting(count: number, call: Promise<unknown>): Promise<void> {
    let hasEnded = false;
    const ended = () => {
      hasEnded = true;
    };
    call.then(ended, ended);
    const text = `SELECT count(*) AS waiting FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}"%'`;
    for (;;) {
      const { rows } = await pool.query<{ waiting: string }>(text);
      if (hasEnded || Number(rows[0]?.waiting) >= count) return;
    }
  }

  beforeAll(async () => {
    store = await createPostgresStore({ pool, schema });
    other = await pool.connect();
  });
  afterAll(async () => {
    other.release();
    await database.drop();
  });

  beforeEach(async () => {
    await database.empty();
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    await store.ensureAccount({ link: newLink('name', 'ada'), accountId: 'cloud', now: 1 });
    await openSession(store, sessionOf('a', 'mine', key('device', 'one'), 'one'));
    await update({ version: 'absent', text: '{"n":1}', name: { device: 'd', write: '1' } });
    await store.addSnapshot({ owner: owner('a'), sessionId: null, entry, snapshot: snapshot('kept'), now: 5 });
  });

  it.each(ways)(
    'what ends the session while the account is locked is seen by a write that waited: %s',
    async (_, write) => {
      await run('BEGIN');
      await run(`UPDATE @accounts SET revision = revision + 1 WHERE account_id = 'a'`);
      const waiting = write();
      await untilWaiting(1, waiting);
      await run(`DELETE FROM @sessions WHERE account_id = 'a'`);
      await run('COMMIT');
      expect(await waiting).toEqual({ outcome: 'no_session' });
    },
  );

  it.each(ways)('a sign-out that is under way is waited for: %s', async (_, write) => {
    await run('BEGIN');
    await run(`DELETE FROM @sessions WHERE account_id = 'a'`);
    const waiting = write();
    await untilWaiting(1, waiting);
    await run('COMMIT');
    expect(await waiting).toEqual({ outcome: 'no_session' });
  });

  it.each(ways)('a sign-out that comes to nothing ends no write: %s', async (_, write) => {
    await run('BEGIN');
    await run(`DELETE FROM @sessions WHERE account_id = 'a'`);
    const waiting = write();
    await untilWaiting(1, waiting);
    await run('ROLLBACK');
    expect((await waiting).outcome).toMatch(/^(written|kept|restored)$/);
  });

  it.each<[string, Partial<UpdateRequest>]>([
    ['an update', {}],
    ['a forced write', { version: -1 }],
    ['a new entry', { key: 'new', version: 'absent' }],
  ])("a deletion that is under way is seen by the back end's write: %s", async (_, request) => {
    await run('BEGIN');
    await run(`UPDATE @accounts SET revision = revision + 1, deleted_at = 9 WHERE account_id = 'a'`);
    const waiting = update({ ...request, sessionId: null });
    await untilWaiting(1, waiting);
    await run('COMMIT');
    expect(await waiting).toEqual({ outcome: 'deleted', deletedAt: 9 });
  });

  it.each([
    ['an update', {}],
    ['a named update', { name: { device: 'd', write: '2' } }],
    ['a forced write', { version: -1 }],
    ["the back end's update", { sessionId: null }],
    ["the back end's forced write", { sessionId: null, version: -1 }],
  ])('a choice waits for a write that is under way, and keeps it: %s', async (_, request) => {
    await store.openTicket({
      ...key('name', 'ada'),
      ticket: 'hash',
      linkRevision: (await store.findLink(key('name', 'ada')))?.revision ?? -1,
      localId: 'a',
      sessionId: 'mine',
      cloudId: 'cloud',
      device: 'one',
      expiresAt: 1_000,
      choice: null,
      resolvedSessionId: null,
    });
    // The write has the account, and has to wait for the entry.
    await run('BEGIN');
    await run(`UPDATE @entries SET changed_at = changed_at WHERE account_id = 'a'`);
    const writing = update(request);
    await untilWaiting(1, writing);
    const choosing = store.resolveConflict({
      quotas: loginQuotas,
      scope,
      ticket: 'hash',
      device: 'one',
      choice: 'cloud',
      merge: null,
      session: newSession('in-cloud'),
      snapshots: [snapshot('other'), snapshot('own')],
      now: 100,
    });
    await untilWaiting(2, choosing);
    await run('COMMIT');
    expect(await writing).toEqual({ outcome: 'written', version: 1 });
    expect((await choosing).outcome).toBe('resolved');
    const kept = await store.readSnapshot({ key: { ...owner('cloud'), snapshotId: 'other' }, now: 101 });
    expect(kept?.entries).toMatchObject([{ key: 'k', text: '{"n":2}', version: 1 }]);
  });

  it('a forced write that has waited sees which snapshots there are by then', async () => {
    await run('BEGIN');
    await run(`UPDATE @accounts SET revision = revision + 1 WHERE account_id = 'a'`);
    const waiting = update({ version: -1, snapshot: snapshot('lost', { max: 1 }) });
    await untilWaiting(1, waiting);
    await run(`UPDATE @snapshots SET snapshot_id = 'other' WHERE account_id = 'a'`);
    await run('COMMIT');
    expect((await waiting).outcome).toBe('written');
    const kept = await store.listSnapshots({ owner: owner('a'), now: 7 });
    expect(kept.map(({ snapshotId }) => snapshotId)).toEqual(['lost']);
  });

  it('a choice has its turn, however many write at once', async () => {
    let isChosen = false;
    let version = 0;
    const writers = Array.from({ length: 6 }, async (_, at) => {
      while (!isChosen) await update({ sessionId: null, key: `k${at}`, version: -1, text: `{"n":${version++}}` });
    });
    await store.deleteAccount({ session, recovery: newLink('recovery', 'code'), now: 7 });
    isChosen = true;
    await Promise.all(writers);
    expect((await store.readAccount(owner('a')))?.account.deletedAt).toBe(7);
  });
});
