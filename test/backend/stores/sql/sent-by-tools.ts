import { join } from 'node:path';
import pg from 'pg';
import { vi } from 'vitest';
import { openPostgresTables } from '../../../../src/backend/stores/postgres/raw-tables.js';
import type { RowRange, TableShape } from '../../../../src/backend/stores/sql/raw-tables.js';
import { countRows } from '../../../../src/cli/move/copy-tables.js';
import { runCommand } from '../../../cli/in-process.js';
import { gameId } from '../contract-records.js';

/** A statement as it was sent, with its values. */
interface Sent {
  text: string;
  values: unknown[];
}

interface Place {
  url: string;
  schema: string;
}

/** What is sent while something is done, on whichever connection. */
async function sentDuring(doing: () => Promise<void>): Promise<Sent[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await doing();
    // A COPY is a query of our own, which has its text with it.
    return (query.mock.calls as unknown as [string | Partial<Sent>, unknown[]?][]).map(([given, beside]) => {
      // With a name, a statement has its values with it.
      const { text = '', values = beside } = typeof given === 'string' ? { text: given } : given;
      return { text, values: Array.isArray(values) ? values : [] };
    });
  } finally {
    query.mockRestore();
  }
}

/** What `savepoint move` sends. None of it is committed. */
export async function sentByMove({ url: connectionString, schema }: Place): Promise<Sent[]> {
  return sentDuring(async () => {
    const snapshot = await openPostgresTables({ connectionString, schema, as: 'snapshot' });
    await countRows(snapshot);
    for (const shape of snapshot.shapes) for await (const _ of snapshot.read(shape));
    await snapshot.close();
    const tables = await openPostgresTables({ connectionString, schema, as: 'source' });
    for (const shape of tables.shapes) {
      await tables.fill(shape, nothing());
      const [first, last] = [keyAt(shape, 3), keyAt(shape, 7)];
      const ranges: RowRange[] = [
        { after: null, to: first },
        { after: first, to: last },
        { after: last, to: null },
      ];
      for (const range of ranges) for await (const _ of tables.read(shape, range));
      // As many as one statement takes away.
      const removed = Array.from({ length: 500 }, (_, n) => keyAt(shape, n));
      await tables.replace(shape, { removed, added: { rows: 0, text: new Uint8Array() } });
    }
    await tables.markMoved(0);
    await tables.close();
  });
}

function keyAt({ key, integers }: TableShape, n: number): string[] {
  return key.map((column) => (integers.includes(column) ? String(n) : `n-${n}`));
}

async function* nothing(): AsyncGenerator<never> {}

/** What `savepoint export` of a game sends. */
export async function sentByExport({ url, schema }: Place, folder: string): Promise<Sent[]> {
  const store = new URL(url);
  store.searchParams.set('schema', schema);
  return sentDuring(async () => {
    const args = [
      'export',
      '--out',
      join(folder, 'players.ndjson'),
      '--game-id',
      gameId,
      '--environment',
      '0',
      '--with-devices',
      '--json',
    ];
    const { code, out, err } = await runCommand(args, { env: { SAVEPOINT_STORE: store.href } });
    if (code !== 0) throw new Error(err);
    const { players, snapshots } = JSON.parse(out);
    if (players === 0 || snapshots === 0) throw new Error('Nobody was written out.');
  });
}
