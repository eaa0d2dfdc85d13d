import { expect } from 'vitest';
import type { Store } from '../../../src/backend/stores/store.js';
import { gameId, owner, quotas, snapshot } from './contract-records.js';

/** The statements that put an account with one entry and one snapshot into a database of the first version of the schema. */
export function entryOfTheFirstVersion(schema: string): string[] {
  const key = `'a', 0, '${gameId}'`;
  const kept = '[{"collection":"c","key":"k","text":"{\\"n\\":0}","version":6,"changedAt":4}]';
  return [
    `INSERT INTO ${schema}accounts (account_id, environment, game_id, created_at, revision) VALUES (${key}, 1, 0)`,
    `INSERT INTO ${schema}entries (account_id, environment, game_id, collection, key, version, changed_at, body)
      VALUES (${key}, 'c', 'k', 7, 5, '{"n":1}')`,
    `INSERT INTO ${schema}snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason,
        from_id, entry_count, bytes, ordinal, entries)
      VALUES (${key}, 'old', 4, 5000, 'overwrite', 'a', 1, 7, 1, '${kept}')`,
  ];
}

/** That entry is counted, takes named writes, and its snapshot can be restored. */
export async function expectLedger(store: Store): Promise<void> {
  const read = () => store.readCollection({ owner: owner('a'), sessionId: null, collection: 'c' });
  expect(await read()).toEqual([{ key: 'k', text: '{"n":1}', version: 7, changedAt: 5, origins: null }]);
  const usage = () => store.readUsage({ owner: owner('a'), now: 6 });
  expect(await usage()).toMatchObject({ values: 7, entries: 1, collections: 1, snapshots: 1, snapshotBytes: 7 });
  const write = (version: number) =>
    store.updateEntry({
      owner: owner('a'),
      sessionId: null,
      collection: 'c',
      key: 'k',
      text: '{"n":2}',
      times: '{"n":9}',
      version,
      name: { device: 'd', write: 'w' },
      snapshot: snapshot('lost'),
      quotas: quotas(10),
      now: 6,
    });
  expect(await write(6)).toMatchObject({ outcome: 'mismatch', carriedOut: false });
  for (const version of [7, 7, -1]) expect(await write(version)).toEqual({ outcome: 'written', version: 8 });
  const restored = await store.restoreSnapshot({
    key: { ...owner('a'), snapshotId: 'old' },
    sessionId: null,
    quotas: quotas(10),
    snapshot: snapshot('undo'),
    now: 7,
  });
  expect(restored).toMatchObject({ outcome: 'restored', entries: [{ version: 9 }] });
  expect(await read()).toEqual([{ key: 'k', text: '{"n":0}', version: 9, changedAt: 7, origins: null }]);
}
