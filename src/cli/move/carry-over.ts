import type { RawTables } from '../../backend/stores/sql/raw-tables.js';
import { Interrupted, orInterrupted } from '../interrupted.js';
import type { Io } from '../io.js';
import { createProgress } from '../progress.js';
import { UsageError } from '../usage-error.js';
import { type Copied, catchUp } from './catch-up.js';
import { copyTables, countRows, digestTables, firstDifference, type TableDigest } from './copy-tables.js';
import type { Source } from './source.js';

/** What was carried over. */
export interface Carried {
  tables: TableDigest[];
  /** Whether all of it was in the new store before. */
  wasThere: boolean;
  /** How many rows were changed while the others were copied. */
  changed: number;
  /** For how many seconds nobody could write. */
  heldSeconds: number;
}

interface Carrying {
  io: Io;
  /** Refuses a source. */
  check(tables: RawTables): Promise<void>;
  /** How large the parts are that are compared. */
  partBytes?: number | undefined;
}

/**
 * All that a store has gets into an empty one: most of it while others go on to write, and then, while nobody does, what
 * they have changed. The target has all or nothing: it commits once it was read through, and only then the source is
 * marked. Where this ends between the two, the next one finds the same in both.
 */
export async function carryOver(
  source: Source,
  openTarget: () => Promise<RawTables>,
  { io, check, partBytes }: Carrying,
): Promise<Carried> {
  const snapshot = await source.snapshot();
  if (snapshot === null) return carryOverHeld(source, openTarget, { io, check });
  let open: RawTables | null = snapshot;
  try {
    await check(snapshot);
    const target = await openTarget();
    try {
      // What a killed one has left there is compared with what nobody changes any more.
      const wasThere = (await countRows(target)) > 0;
      const copied = wasThere ? [] : await copyAndCheck(snapshot, target, { io, partBytes });
      await snapshot.close();
      open = null;
      const began = Date.now();
      const held = await source.hold();
      open = held;
      await check(held);
      const { tables, changed } = wasThere
        ? { tables: await compare(held, target, io), changed: 0 }
        : await orInterrupted(catchUpWith(held, target, { copied, io }), io.stop, nothingMoved);
      await finish(held, target);
      return { tables, wasThere, changed, heldSeconds: (Date.now() - began) / 1000 };
    } finally {
      await target.close();
    }
  } finally {
    await open?.close();
  }
}

/** The same where nobody has the source open: it is held from the beginning. */
async function carryOverHeld(
  source: Source,
  openTarget: () => Promise<RawTables>,
  { io, check }: Carrying,
): Promise<Carried> {
  const began = Date.now();
  const held = await source.hold();
  try {
    await check(held);
    const target = await openTarget();
    try {
      const wasThere = (await countRows(target)) > 0;
      const tables = wasThere
        ? await compare(held, target, io)
        : (await copyAndCheck(held, target, { io })).map(({ table, rows, digest }) => ({ table, rows, digest }));
      await finish(held, target);
      return { tables, wasThere, changed: 0, heldSeconds: (Date.now() - began) / 1000 };
    } finally {
      await target.close();
    }
  } finally {
    await held.close();
  }
}

async function finish(held: RawTables, target: RawTables): Promise<void> {
  await target.commit();
  await held.markMoved(Date.now());
  await held.commit();
}

/** Copies all rows into an empty store, and reads them back there. */
async function copyAndCheck(from: RawTables, target: RawTables, { io, partBytes }: Pick<Carrying, 'io' | 'partBytes'>) {
  const heard = progressOf(await countRows(from), io);
  // A database may be silent for long while it makes an index.
  const copied = await orInterrupted(
    copyTables(from, target, { heard: heard('copy'), partBytes }),
    io.stop,
    nothingMoved,
  );
  const there = await orInterrupted(digestTables(target, heard('check')), io.stop, nothingMoved);
  const difference = firstDifference(copied, there);
  if (difference !== null) throw new Error(`${difference} is not the same in both stores`);
  return copied;
}

/** Throws where a store that is not empty has anything else than the source. */
async function compare(held: RawTables, target: RawTables, io: Io): Promise<TableDigest[]> {
  const heard = progressOf(await countRows(held), io);
  const tables = await orInterrupted(digestTables(held, heard('compare')), io.stop, nothingMoved);
  const there = await orInterrupted(digestTables(target, heard('check')), io.stop, nothingMoved);
  if (firstDifference(tables, there) !== null) throw notEmpty();
  return tables;
}

async function catchUpWith(held: RawTables, target: RawTables, { copied, io }: { copied: Copied; io: Io }) {
  const heard = progressOf(
    copied.reduce((sum, table) => sum + table.rows, 0),
    io,
  );
  const caughtUp = await catchUp(held, target, { copied, heard: heard('catch up') });
  // Each part was compared by itself. That nothing lies between them is counted.
  const rows = caughtUp.tables.reduce((sum, table) => sum + table.rows, 0);
  if ((await countRows(target)) !== rows) throw new Error('the stores have not as many rows as each other');
  return caughtUp;
}

function progressOf(total: number, io: Io): (what: string) => (rows: number) => void {
  return (what) => {
    const progressed = createProgress(io, { what, unit: 'rows', total });
    return (rows) => {
      if (io.stop.aborted) throw new Interrupted(nothingMoved);
      progressed(rows);
    };
  };
}

const nothingMoved =
  'interrupted: nothing is moved, the old store is as it was, and the new one is empty; run it again, or go on with the old one';

function notEmpty(): UsageError {
  return new UsageError(
    '--to has records of its own: nothing is moved over them. Give a file that is not there yet, another database, or ' +
      'another schema (postgres://…?schema=name)',
  );
}
