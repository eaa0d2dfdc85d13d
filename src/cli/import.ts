import {
  type ImportedPlayer,
  type ImportHeader,
  type LineProblem,
  readImportLine,
} from '../backend/accounts/import-format.js';
import { type Imported, importPlayer } from '../backend/accounts/import-player.js';
import { deviceOf } from '../backend/accounts/player-links.js';
import { usernameSubject } from '../backend/accounts/usernames.js';
import { importPlatform } from '../backend/registry/platform-line.js';
import type { Scope } from '../backend/stores/records.js';
import { newUuid } from '../protocol/ids.js';
import { readArguments } from './arguments.js';
import { type ConfiguredStore, openConfiguredStore } from './configured-store.js';
import { orDiskFull } from './disk-full.js';
import { createInOrder } from './in-order.js';
import { Interrupted } from './interrupted.js';
import type { ExitCode, Io } from './io.js';
import { countLines, linesOf } from './lines.js';
import { count, createProgress } from './progress.js';
import { readScope, scopeOptions } from './scope-arguments.js';

interface Report {
  created: number;
  completed: number;
  there: number;
  /** Whose account would be removed at once: left out. */
  expired: number;
  /** Platforms that were registered. */
  platforms: number;
  refused: { line: number; path: string; problem: string }[];
}

/** How many players are looked at and written at once: as many as fill a commit of SQLite's and the usual pool. */
const playersAtOnce = 32;

/** A player has at most the quotas of values and of snapshots, besides what is around them: so many bytes. */
const aroundBytes = 4_000_000;

/** `savepoint import`: players from elsewhere. */
export async function importPlayers(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional: file } = readArguments({ command: 'import', takes: 'a file' }, args, {
    ...scopeOptions,
    store: { type: 'string' },
    config: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const given = readScope(values);
  const isDryRun = values['dry-run'];
  const opened = await openConfiguredStore(values, io, { mustBeThere: false });
  try {
    const importing = importLines({ file, opened, given, isDryRun, total: await countLines(file) }, io);
    const report = await orDiskFull(importing, '--store: the disk is full; make room, and run it again to go on');
    say(report, { isDryRun, asJson: values.json }, io);
    return report.refused.length > 0 ? 2 : 0;
  } finally {
    await opened.close();
  }
}

interface Task {
  file: string;
  opened: ConfiguredStore;
  given: Partial<Scope>;
  isDryRun: boolean;
  total: number;
}

async function importLines({ file, opened, given, isDryRun, total }: Task, io: Io): Promise<Report> {
  const { store, quotas, valueBytes } = opened;
  const report: Report = { created: 0, completed: 0, there: 0, expired: 0, platforms: 0, refused: [] };
  const progressed = createProgress(io, { what: isDryRun ? 'look' : 'import', unit: 'lines', total });
  const inOrder = createInOrder(playersAtOnce);
  let [line, header]: [number, ImportHeader | null] = [0, null];
  const note = (at: number, imported: Imported): void => {
    if (typeof imported === 'string') report[imported] += 1;
    else report.refused.push({ line: at, path: imported.path.map(String).join('.'), problem: imported.problem });
    progressed(1);
  };
  for await (const text of linesOf(file, 3 * (quotas.values + quotas.snapshotBytes) + aroundBytes)) {
    if (io.stop.aborted) break;
    line += 1;
    const at = line;
    if (text === '' || text?.trim() === '') {
      progressed(1);
      continue;
    }
    const read =
      text === null
        ? { path: [], problem: 'is longer than a player may be' }
        : readImportLine(text, { isFirst: line === 1, valueBytes });
    if ('header' in read) {
      header = read.header;
      progressed(1);
      continue;
    }
    if ('platform' in read) {
      const problem = otherPlace(read.platform, given);
      const target = { store, isDryRun, now: Date.now(), newId: newUuid };
      const became = problem ?? (await importPlatform(target, read.platform));
      if (became === 'created') report.platforms += 1;
      else if (became !== 'there') report.refused.push({ line: at, path: 'platform', problem: became.problem });
      progressed(1);
      continue;
    }
    const placed = 'problem' in read ? read : placeOf(read.player, given);
    if ('problem' in placed) {
      note(at, placed);
      continue;
    }
    const target = { store, quotas, header, isDryRun, now: Date.now(), newId: newUuid, scope: placed.scope };
    await inOrder.run(keysOf(placed), async () => note(at, await importPlayer(target, placed.player)));
  }
  await inOrder.end();
  if (io.stop.aborted) {
    const { created, completed, there, refused } = report;
    const done = `${count(created)} created, ${count(completed)} completed, ${count(there)} there already`;
    throw new Interrupted(
      `interrupted after line ${line} (${done}, ${count(refused.length)} refused): run it again to go on`,
    );
  }
  report.refused.sort((one, other) => one.line - other.line);
  return report;
}

interface Placed {
  player: ImportedPlayer;
  scope: Scope;
}

/** The game and the environment of a player: what the line says, or else what the command says. */
function placeOf(player: ImportedPlayer, given: Partial<Scope>): Placed | LineProblem {
  const gameId = player.gameId?.toLowerCase() ?? given.gameId;
  const environment = player.environment ?? given.environment;
  if (gameId === undefined) return { path: ['gameId'], problem: 'give the game: --game-id <uuid>' };
  if (environment === undefined)
    return { path: ['environment'], problem: 'give the environment: --environment 0, 1 or 2' };
  return otherPlace({ gameId, environment }, given) ?? { player, scope: { gameId, environment } };
}

/** What is wrong where a line says another game or environment than the command. */
function otherPlace({ gameId, environment }: Scope, given: Partial<Scope>): LineProblem | null {
  if (given.gameId !== undefined && gameId.toLowerCase() !== given.gameId) {
    return { path: ['gameId'], problem: 'it is another game than --game-id' };
  }
  if (given.environment !== undefined && environment !== given.environment) {
    return { path: ['environment'], problem: 'it is another one than --environment' };
  }
  return null;
}

/** By what two lines may be of one player: such lines come after one another. */
function keysOf({ player, scope }: Placed): string[] {
  const { userId, customId, name, identity, social, recovery, devices = [] } = player;
  const named = {
    userId: userId?.toLowerCase(),
    customId,
    name: name === undefined ? undefined : usernameSubject(name.name),
    identity,
    social,
    recovery,
  };
  const given = Object.entries(named).filter(([, value]) => value !== undefined);
  const all: unknown[] = [...given, ...devices.map((device) => ['device', deviceOf(device)[0]])];
  return all.map((key) => JSON.stringify([scope.gameId, scope.environment, key]));
}

function say(report: Report, { isDryRun, asJson }: { isDryRun: boolean; asJson: boolean }, io: Io): void {
  if (asJson) {
    io.out(`${JSON.stringify(report)}\n`);
    return;
  }
  const { created, completed, there, expired, platforms, refused } = report;
  for (const { line, path, problem } of refused) io.out(`line ${line}: ${path === '' ? '' : `${path}: `}${problem}\n`);
  const would = isDryRun ? 'would be ' : '';
  io.out(
    `${count(created)} ${would}created, ${count(completed)} ${would}completed, ${count(there)} there already, ` +
      `${count(refused.length)} refused\n`,
  );
  if (expired > 0) io.out(`${count(expired)} left out, whose account would be removed at once\n`);
  if (platforms > 0) io.out(`${count(platforms)} platforms ${would}registered\n`);
}
