import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrations, movedAway } from '../../backend/stores/sql/migrations.js';
import type { RawTables } from '../../backend/stores/sql/raw-tables.js';
import { integerOf } from '../../backend/stores/sql/statement.js';
import { readArguments } from '../arguments.js';
import { orDiskFull } from '../disk-full.js';
import { whyNoFile } from '../file-place.js';
import type { ExitCode, Io } from '../io.js';
import { hasPassword, opening, openStore, storeKind } from '../open-store.js';
import { count } from '../progress.js';
import { findSecret } from '../secrets.js';
import { postgresPlace } from '../store-adapters.js';
import { UsageError } from '../usage-error.js';
import { type Carried, carryOver } from './carry-over.js';
import { openSource } from './source.js';

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
  const openTarget = async (): Promise<RawTables> => {
    // To open it is to make its tables, or to bring them up to date.
    await (await openStore(to)).close();
    return openTables(to);
  };
  const carrying = carryOver(openSource(from, io), openTarget, { io, check: requireVersion });
  const carried = await orDiskFull(carrying, noRoom);
  say({ ...carried, seconds: (Date.now() - began) / 1000 }, values.json, io);
  return 0;
}

const noRoom = 'the disk is full; nothing is moved, and the old store is as it was';

function say({ tables, wasThere, changed, heldSeconds, seconds }: Report, asJson: boolean, io: Io): void {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  if (asJson) {
    io.out(`${JSON.stringify({ rows, seconds, heldSeconds, changed, wasThere, tables })}\n`);
    return;
  }
  const width = Math.max(...tables.map(({ table }) => table.length));
  for (const { table, rows: held, digest } of tables) {
    io.out(`${table.padEnd(width)}  ${count(held).padStart(12)}  ${digest.slice(0, 16)}\n`);
  }
  const done = wasThere ? 'were moved before, and are the same in both' : 'are moved, and the same in both';
  io.out(`${count(rows)} rows ${done}, in ${seconds.toFixed(1)} s; ${count(changed)} of them had changed meanwhile.\n`);
  io.out(`Nobody could write for ${heldSeconds.toFixed(1)} s.\n`);
  io.out('Start the service on the new store. The old one is as it was, and takes no writes any more.\n');
}

interface Report extends Carried {
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

function openTables(description: string): Promise<RawTables> {
  return opening(description, async () => {
    if (storeKind(description) === 'sqlite') {
      const { openSqliteTables } = await import('../../backend/stores/sqlite/raw-tables.js');
      return openSqliteTables(description, Date.now());
    }
    const { openPostgresTables } = await import('../../backend/stores/postgres/raw-tables.js');
    return openPostgresTables({ ...postgresPlace(description), as: 'target' });
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
