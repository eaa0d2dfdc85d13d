import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type ImportHeader, readImportLine } from '../backend/accounts/import-format.js';
import { type Imported, importPlayer } from '../backend/accounts/import-player.js';
import type { Scope } from '../backend/stores/records.js';
import type { Store } from '../backend/stores/store.js';
import { isEnvironment } from '../protocol/environments.js';
import { isUuid, newUuid } from '../protocol/ids.js';
import { readArguments } from './arguments.js';
import type { ExitCode, Io } from './io.js';
import { openStore, storeKind } from './open-store.js';
import { count, createProgress } from './progress.js';
import { readBytes } from './secrets.js';
import { readStore } from './serve/settings.js';
import { UsageError } from './usage-error.js';

interface Report {
  created: number;
  completed: number;
  there: number;
  refused: { line: number; path: string; problem: string }[];
}

/** `savepoint import`: players from elsewhere. */
export async function importPlayers(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional: file } = readArguments({ command: 'import', takes: 'a file' }, args, {
    store: { type: 'string' },
    'game-id': { type: 'string' },
    environment: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const { 'game-id': gameId, 'dry-run': isDryRun } = values;
  if (!isUuid(gameId)) throw new UsageError('give the game: --game-id <uuid>');
  const environment = Number(values.environment ?? Number.NaN);
  if (!isEnvironment(environment)) throw new UsageError('give the environment: --environment 0, 1 or 2');
  const scope = { gameId: gameId.toLowerCase(), environment };
  const given = await readStore(values, {}, io, (problem) => {
    throw new UsageError(problem);
  });
  if (typeof given !== 'string' || storeKind(given) === 'memory') {
    throw new UsageError('a store in memory keeps nothing: give a file, or postgres://…');
  }
  const total = await countLines(file);
  const { store, close } = await openStore(given);
  try {
    const report = await importLines({ file, store, scope, isDryRun, total }, io);
    say(report, { isDryRun, asJson: values.json }, io);
    return report.refused.length > 0 ? 2 : 0;
  } finally {
    await close();
  }
}

async function importLines({ file, store, scope, isDryRun, total }: Task, io: Io): Promise<Report> {
  const report: Report = { created: 0, completed: 0, there: 0, refused: [] };
  const progressed = createProgress(io, { what: isDryRun ? 'look' : 'import', unit: 'lines', total });
  let [line, header]: [number, ImportHeader | null] = [0, null];
  for await (const text of linesOf(file)) {
    if (io.stop.aborted) throw new Error(`it was asked to end after line ${line}: run it again to go on`);
    line += 1;
    progressed(1);
    if (text.trim() === '') continue;
    const read = readImportLine(text, line === 1);
    if ('header' in read) {
      header = read.header;
      continue;
    }
    const target = { store, scope, header, isDryRun, now: Date.now(), newId: newUuid };
    note(report, line, 'problem' in read ? read : await importPlayer(target, read.player));
  }
  return report;
}

interface Task {
  file: string;
  store: Store;
  scope: Scope;
  isDryRun: boolean;
  total: number;
}

function note(report: Report, line: number, imported: Imported): void {
  if (typeof imported === 'string') report[imported] += 1;
  else report.refused.push({ line, path: imported.path.map(String).join('.'), problem: imported.problem });
}

function linesOf(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
}

async function countLines(file: string): Promise<number> {
  let lines = 0;
  try {
    for await (const _ of linesOf(file)) lines += 1;
  } catch {
    // In the words that every command has for it.
    await readBytes(file, 'the file');
  }
  return lines;
}

function say(report: Report, { isDryRun, asJson }: { isDryRun: boolean; asJson: boolean }, io: Io): void {
  if (asJson) {
    io.out(`${JSON.stringify(report)}\n`);
    return;
  }
  const { created, completed, there, refused } = report;
  for (const { line, path, problem } of refused) io.out(`line ${line}: ${path === '' ? '' : `${path}: `}${problem}\n`);
  const would = isDryRun ? 'would be ' : '';
  io.out(
    `${count(created)} ${would}created, ${count(completed)} ${would}completed, ${count(there)} there already, ` +
      `${count(refused.length)} refused\n`,
  );
}
