import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrations, movedAway } from '../../backend/stores/sql/migrations.js';
import type { RawTables } from '../../backend/stores/sql/raw-tables.js';
import { integerOf } from '../../backend/stores/sql/statement.js';
import { readArguments } from '../arguments.js';
import { orDiskFull } from '../disk-full.js';
import { whyNoFile } from '../file-place.js';
import { Interrupted, orInterrupted } from '../interrupted.js';
import type { ExitCode, Io } from '../io.js';
import { hasPassword, opening, openStore, storeKind } from '../open-store.js';
import { count, createProgress } from '../progress.js';
import { findSecret } from '../secrets.js';
import { postgresPlace } from '../store-adapters.js';
import { UsageError } from '../usage-error.js';
import { copyTables, countRows, digestTables, firstDifference, type TableDigest } from './copy-tables.js';

/** `savepoint move`: all that a store has, into an empty one of either kind. */
export async function move(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'move' }, args, {
    from: { type: 'string' },
    to: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const from = await storeOf(values.from, { option: 'from', variable: 'SAVEPOINT_STORE' }, io);
  const to = await storeOf(values.to, { option: 'to', variable: 'SAVEPOINT_MOVE_TO' }, io);
  if (from === to) throw new UsageError('--from and --to are the same store');
  if (storeKind(from) === 'sqlite' && !existsSync(from)) throw new UsageError(`--from: there is no file ${from}`);
  const problem = storeKind(from) === 'sqlite' ? whyNoFile(from) : null;
  if (problem !== null) throw new UsageError(`--from: ${problem}`);
  const began = Date.now();
  const source = await openTables(from, 'source');
  try {
    await requireVersion(source);
    // To open it is to make its tables, or to bring them up to date.
    await (await openStore(to)).close();
    const target = await openTables(to, 'target');
    try {
      const { tables, wasThere } = await orDiskFull(carryOver(source, target, io), noRoom);
      say({ tables, wasThere, seconds: (Date.now() - began) / 1000 }, values.json, io);
      return 0;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * The target has all or nothing: it commits once it was read through, and only then the source is marked. Where this
 * ends between the two, the next one finds the same in both.
 */
async function carryOver(
  source: RawTables,
  target: RawTables,
  io: Io,
): Promise<{ tables: TableDigest[]; wasThere: boolean }> {
  const total = await countRows(source);
  const wasThere = (await countRows(target)) > 0;
  const heard = (what: string): ((rows: number) => void) => {
    const progressed = createProgress(io, { what, unit: 'rows', total });
    return (rows) => {
      if (io.stop.aborted) throw new Interrupted(nothingMoved);
      progressed(rows);
    };
  };
  const readBoth = async (): Promise<{ tables: TableDigest[]; difference: string | null }> => {
    const tables = wasThere
      ? await digestTables(source, heard('compare'))
      : await copyTables(source, target, heard('copy'));
    return { tables, difference: firstDifference(tables, await digestTables(target, heard('check'))) };
  };
  // A database may be silent for long while it makes an index.
  const { tables, difference } = await orInterrupted(readBoth(), io.stop, nothingMoved);
  if (difference !== null) throw wasThere ? notEmpty() : new Error(`${difference} is not the same in both stores`);
  await target.commit();
  await source.markMoved(Date.now());
  await source.commit();
  return { tables, wasThere };
}

const nothingMoved =
  'interrupted: nothing is moved, the old store is as it was, and the new one is empty; run it again, or go on with the old one';

const noRoom = '--to: the disk is full; nothing is moved, and the old store is as it was';

function notEmpty(): UsageError {
  return new UsageError(
    '--to has records of its own: nothing is moved over them. Give a file that is not there yet, another database, or ' +
      'another schema (postgres://…?schema=name)',
  );
}

function say({ tables, wasThere, seconds }: Report, asJson: boolean, io: Io): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (asJson) {
    io.out(`${JSON.stringify({ rows, seconds, wasThere, tables })}\n`);
    return;
  }
  const width = Math.max(...tables.map(({ table }) => table.length));
  for (const { table, rows: held, digest } of tables) {
    io.out(`${table.padEnd(width)}  ${count(held).padStart(12)}  ${digest.slice(0, 16)}\n`);
  }
  const done = wasThere ? 'were moved before, and are the same in both' : 'are moved, and the same in both';
  io.out(`${count(rows)} rows ${done}: nobody could write for ${seconds.toFixed(1)} s.\n`);
  io.out('Start the service on the new store. The old one is as it was, and takes no writes any more.\n');
}

interface Report {
  tables: TableDigest[];
  wasThere: boolean;
  seconds: number;
}

async function storeOf(
  given: string | undefined,
  { option, variable }: { option: string; variable: string },
  io: Io,
): Promise<string> {
  if (given !== undefined && hasPassword(given)) {
    throw new UsageError(
      `--${option} must have no password: it would be in the list of processes. Give ${variable} or ${variable}_FILE`,
    );
  }
  const found = given ?? (await findSecret(io, { what: 'the store', option, file: undefined, variable }));
  if (found === null) throw new UsageError(`give --${option}, a file or postgres://…, or ${variable}`);
  const kind = storeKind(found);
  if (kind === 'memory') throw new UsageError(`--${option}: a store in memory has nothing to keep`);
  return kind === 'sqlite' ? resolve(found) : found;
}

function openTables(description: string, as: 'source' | 'target'): Promise<RawTables> {
  return opening(description, async () => {
    if (storeKind(description) === 'sqlite') {
      const { openSqliteTables } = await import('../../backend/stores/sqlite/raw-tables.js');
      return openSqliteTables(description, Date.now());
    }
    const { openPostgresTables } = await import('../../backend/stores/postgres/raw-tables.js');
    return openPostgresTables({ ...postgresPlace(description), as });
  });
}

async function requireVersion({ query, shapes }: RawTables): Promise<void> {
  if (shapes.length === 0) throw new UsageError('--from is no store of savepoint');
  const [row = {}] = await query({ text: 'SELECT max(version) AS version FROM @schema_versions', values: [] });
  const version = integerOf(row, 'version');
  if (version === movedAway) throw new UsageError('--from was moved already: the store that it was moved to goes on');
  if (version < migrations.length) throw new UsageError('--from has an older schema: savepoint migrate comes first');
  if (version > migrations.length) throw new UsageError('--from has a newer schema, which needs a newer savepoint');
}
