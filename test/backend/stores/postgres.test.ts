import { rmSync } from 'node:fs';
import { createPostgresStore, type PostgresStore } from 'savepoint/backend/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrations, textsFor } from '../../../src/backend/stores/sql/migrations.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { watchPool } from '../../support/watched-pool.js';
import { newLink, owner, quotas, snapshot, stepsOn } from './contract-records.js';
import { brokenRules } from './sql/broken-rules.js';
import { fillTables, plannedOf, readOnPurpose, scannedFor } from './sql/plans.js';
import { sentByExport, sentByMove } from './sql/sent-by-tools.js';
import { describeStore } from './store-contract.js';

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const { pool, schema } = database;
  const watched = watchPool(pool);
  let folder: string;
  let store: PostgresStore;

  beforeAll(async () => {
    folder = temporaryFolder();
    store = await createPostgresStore({ pool: watched, schema });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    return database.drop();
  });

  describeStore('on PostgreSQL', async () => {
    await database.empty();
    return store;
  });

  // It looks at what the tests above have had the store send.
  describe('all that was sent to it', () => {
    it('is SQL that Citus, YugabyteDB and CockroachDB document as theirs, but for the exceptions', async () => {
      expect(watched.sent.size).toBeGreaterThan(180);
      const texts = [...watched.sent.keys(), ...(await sentByMove(database)).map(({ text }) => text)];
      const { unexcused, unused } = await brokenRules(texts.map((text) => text.replaceAll(`"${schema}".`, '@')));
      expect(unexcused).toEqual([]);
      expect(unused).toEqual([]);
    });

    it('is answered along indexes, and reads no table that grows from end to end but where all of it is wanted', async () => {
      // A migration reads what there is, once.
      const once = new Set(
        migrations.flatMap((one) => textsFor('postgres', one)).map((text) => text.replaceAll('@', `"${schema}".`)),
      );
      const byStore = [...watched.sent].map(([text, values]) => ({ text, values, isNamed: watched.named.has(text) }));
      expect(byStore.filter(({ isNamed }) => isNamed).length).toBeGreaterThan(8);
      expect(byStore.filter(({ text }) => plannedOf(text) !== null && !once.has(text)).length).toBeGreaterThan(120);
      await database.empty();
      await addPlayer(store);
      const byExport = await sentByExport(database, folder);
      const byMove = await sentByMove(database);
      // Which plans move takes, it says itself.
      const settings = [
        ...new Set(byMove.map(({ text }) => text).filter((text) => text.startsWith('SET LOCAL enable_'))),
      ];
      expect(settings).toHaveLength(1);
      await database.empty();
      await fillTables(database, 100_000);
      const scanning: string[] = [];
      const meant = new Set<string>();
      for (const [sent, by] of [
        [byStore, []],
        [byExport, []],
        [byMove, settings],
      ] as const) {
        for (const { text, ...how } of sent) {
          const planned = once.has(text) ? null : plannedOf(text);
          if (planned === null) continue;
          const named = planned.replaceAll(`"${schema}".`, '@');
          const reason = readOnPurpose.find(({ statements }) => statements.test(named));
          if (reason !== undefined) meant.add(reason.why);
          else {
            for (const table of await scannedFor(pool, { text: planned, ...how }, by))
              scanning.push(`${table}: ${named}`);
          }
        }
      }
      expect(scanning).toEqual([]);
      expect([...meant].sort()).toEqual(readOnPurpose.map(({ why }) => why).sort());
    }, 120_000);
  });
});

/** A player with a save and a snapshot, for an export to read. */
async function addPlayer(store: PostgresStore): Promise<void> {
  const { account } = stepsOn(() => store);
  await account('a', newLink('device', 'one'));
  const entry = { collection: 'c', key: 'k', text: '{}', version: -1 };
  const now = Date.now();
  await store.updateEntry({
    ...entry,
    owner: owner('a'),
    sessionId: null,
    quotas: quotas(10),
    snapshot: snapshot('x'),
    now,
  });
  const kept = { ...entry, changedAt: now };
  await store.addSnapshot({
    owner: owner('a'),
    sessionId: null,
    entry: kept,
    snapshot: snapshot('kept', { expiresAt: now * 2 }),
    now,
  });
}
