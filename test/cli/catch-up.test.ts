import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RawTables } from '../../src/backend/stores/sql/raw-tables.js';
import { openSqlite } from '../../src/backend/stores/sqlite/connection.js';
import { openSqliteTables } from '../../src/backend/stores/sqlite/raw-tables.js';
import { carryOver } from '../../src/cli/move/carry-over.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, fillStore } from './filled-store.js';

let folder: string;
let before: string;
let now: string;
let to: string;

beforeEach(async () => {
  folder = temporaryFolder();
  [before, now, to] = [join(folder, 'before.db'), join(folder, 'now.db'), join(folder, 'new.db')];
  await fillStore(before, 400);
  copyFileSync(before, now);
  await (await createSqliteStore({ file: to })).close();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Changes what a store had when the copy was made. */
async function change(statementOf: (table: string, column: string) => string[]): Promise<void> {
  const connection = await openSqlite(now);
  const tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_versions'";
  for (const { name } of connection.run({ text: tables, values: [] })) {
    const text = 'SELECT name FROM pragma_table_info($1) WHERE pk = 0 AND type = $2 ORDER BY name LIMIT 1';
    for (const type of ['bigint', 'text']) {
      const [column] = connection.run({ text, values: [String(name), type] });
      if (column === undefined) continue;
      for (const statement of statementOf(String(name), String(column['name']))) connection.exec(statement);
      break;
    }
  }
  connection.close();
}

function carry(partBytes: number, spoiled: (tables: RawTables) => RawTables = (tables) => tables) {
  return carryOver(
    { snapshot: () => openSqliteTables(before, 0), hold: () => openSqliteTables(now, 0) },
    async () => spoiled(await openSqliteTables(to, 0)),
    {
      io: { err: () => {}, stop: new AbortController().signal } as never,
      check: async () => {},
      partBytes,
    },
  );
}

const changes: { [what: string]: (table: string, column: string) => string[] } = {
  nothing: () => [],
  'a row in the middle of each table': (table, column) => [
    `UPDATE ${table} SET ${column} = 77 WHERE rowid = (SELECT max(rowid) / 2 FROM ${table})`,
  ],
  'every fifth row': (table, column) => [`UPDATE ${table} SET ${column} = 77 WHERE rowid % 5 = 0`],
  'rows that are gone, the first and the last too': (table) => [
    `DELETE FROM ${table} WHERE rowid % 3 = 0 OR rowid IN (SELECT min(rowid) FROM ${table})
      OR rowid = (SELECT max(rowid) FROM ${table})`,
  ],
  'all rows gone': (table) => [`DELETE FROM ${table}`],
};

describe('what has changed while a store was copied', () => {
  for (const [what, how] of Object.entries(changes)) {
    // So that a part is what is read at once, some of that, and all of a table.
    it.each([1, 20_000, 1e9])(`gets into the copy, in parts of %d bytes: ${what}`, async (partBytes) => {
      await change(how);
      const { changed, wasThere } = await carry(partBytes);
      expect(wasThere).toBe(false);
      expect(changed > 0).toBe(what !== 'nothing');
      expect(await contentOf(to)).toEqual(await contentOf(now));
    });
  }

  it.each([1, 20_000])('gets into the copy, in parts of %d bytes: rows that are new everywhere', async (partBytes) => {
    const full = await contentOf(before);
    // The copy is made of every other row: the rest are the new ones.
    const connection = await openSqlite(before);
    for (const table of Object.keys(full)) connection.exec(`DELETE FROM ${table} WHERE rowid % 2 = 0`);
    connection.close();
    expect((await carry(partBytes)).changed).toBeGreaterThan(100);
    expect(await contentOf(to)).toEqual(full);
  });

  it('does not hide what the copy lacks of that which has not changed', async () => {
    const had = await contentOf(now);
    const lossy = (tables: RawTables): RawTables => ({
      ...tables,
      async fill(shape, pieces) {
        async function* butTheFirst() {
          let isFirst = true;
          for await (const piece of pieces) {
            if (!isFirst || shape.name !== 'snapshots') yield piece;
            isFirst = false;
          }
        }
        return tables.fill(shape, butTheFirst());
      },
    });
    await expect(carry(20_000, lossy)).rejects.toThrow('snapshots is not the same in both stores');
    expect(Object.values(await contentOf(to)).flat()).toEqual([]);
    expect(await contentOf(now)).toEqual(had);
  });

  it('is compared with what the copy has then, and nothing is committed where that differs', async () => {
    await change(changes['every fifth row'] as never);
    const had = await contentOf(now);
    const forgetful = (tables: RawTables): RawTables => ({
      ...tables,
      replace: (shape, rows) =>
        tables.replace(shape, { ...rows, removed: [], added: { rows: 0, text: Buffer.alloc(0) } }),
    });
    await expect(carry(20_000, forgetful)).rejects.toThrow('is not the same in both stores');
    expect(Object.values(await contentOf(to)).flat()).toEqual([]);
    expect(await contentOf(now)).toEqual(had);
    await (await createSqliteStore({ file: now })).close();
  });
});
