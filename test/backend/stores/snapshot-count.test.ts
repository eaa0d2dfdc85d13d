import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gameId, newLink, owner, quotas, snapshot } from './contract-records.js';
import { openWatchedSqlite } from './watched-sqlite.js';

describe('the count of the snapshots of an account in a database', () => {
  let sqlite: Awaited<ReturnType<typeof openWatchedSqlite>>;
  let writes = 0;

  /** A forced write, which keeps the former value as a snapshot of this name. */
  const force = (id: string, { now = 5, bytes = 100, max = 3, maxBytes = 10_000, expiresAt = 1_000 } = {}) => {
    writes += 1;
    const text = String(writes).padStart(bytes, '1');
    const kept = snapshot(id, { max, maxBytes, expiresAt });
    const request = { owner: owner('a'), sessionId: null, collection: 'c', key: 'k', text, version: -1 } as const;
    return sqlite.store.updateEntry({ ...request, snapshot: kept, quotas: quotas(10), now });
  };
  const kept = async (now = 5) =>
    (await sqlite.store.listSnapshots({ owner: owner('a'), now })).map(({ snapshotId }) => snapshotId);
  const counts = () => sqlite.since().filter((text) => /sum\(bytes\)/.test(text)).length;
  const expire = (now: number) => sqlite.store.removeExpired({ now, orphanedBefore: 0, deletedBefore: 0, batch: 100 });

  beforeEach(async () => {
    writes = 100;
    sqlite = await openWatchedSqlite();
    await sqlite.store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    await force('none');
  });
  afterEach(() => sqlite.close());

  it('is kept with the account, so that no forced write goes through them', async () => {
    for (let n = 1; n <= 20; n += 1) await force(`s${n}`);
    expect(counts()).toBe(0);
    expect(await kept()).toEqual(['s20', 's19', 's18']);
    for (let n = 21; n <= 25; n += 1) await force(`s${n}`, { max: 200, maxBytes: 450 });
    expect(await kept()).toEqual(['s25', 's24', 's23', 's22']);
    await force('s26', { max: 2 });
    expect(await kept()).toEqual(['s26', 's25']);
    await force('s27');
    expect(await kept()).toEqual(['s27', 's26', 's25']);
  });

  it('is taken anew once one of them has expired, until that one is removed', async () => {
    for (const [id, expiresAt] of [
      ['s1', 50],
      ['s2', 500],
      ['s3', 500],
    ] as const)
      await force(id, { expiresAt });
    await expire(60);
    counts();
    await force('s4', { now: 60, expiresAt: 500 });
    expect(counts()).toBe(1);
    expect(await kept()).toEqual(['s4', 's3', 's2']);
    await force('s5', { now: 61, expiresAt: 500 });
    expect([counts(), await kept()]).toEqual([0, ['s5', 's4', 's3']]);
  });

  it('is taken anew where the newest one was removed', async () => {
    for (const id of ['s1', 's2']) await force(id, { expiresAt: 500 });
    await force('s3', { expiresAt: 50 });
    await expire(60);
    await force('s4', { now: 60 });
    expect(await kept()).toEqual(['s4', 's2', 's1']);
  });

  it('has what a process of an earlier version adds without counting it', async () => {
    for (const id of ['s1', 's2']) await force(id);
    await sqlite.run(`INSERT INTO @snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at,
        reason, from_id, entries, entry_count, bytes, ordinal)
      VALUES ('a', 0, '${gameId}', 'other', 5, 1000, 'overwrite', 'a', '[]', 1, 100, 3)`);
    await force('s3');
    expect(await kept()).toEqual(['s3', 'other', 's2']);
    await sqlite.run('UPDATE @accounts SET snapshot_count = NULL, newest_snapshot = NULL, snapshots_until = NULL');
    await force('s4');
    expect(await kept()).toEqual(['s4', 's3', 'other']);
  });
});
