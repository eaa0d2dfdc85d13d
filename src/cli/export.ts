import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ExportedAccount, type ExportLineOptions, exportLine } from '../backend/accounts/export-line.js';
import { platformLines } from '../backend/registry/platform-line.js';
import type { ListPlace, Owner, Scope, SnapshotRecord } from '../backend/stores/records.js';
import type { Store } from '../backend/stores/store.js';
import { readArguments } from './arguments.js';
import { openConfiguredStore } from './configured-store.js';
import { whyNoFile } from './file-place.js';
import { Interrupted } from './interrupted.js';
import type { ExitCode, Io } from './io.js';
import { createNewFile, type NewFile } from './new-file.js';
import { count, createProgress } from './progress.js';
import { readScope, scopeOptions } from './scope-arguments.js';
import { UsageError } from './usage-error.js';

interface Counts {
  players: number;
  entries: number;
  snapshots: number;
  /** Platforms of the games, with those that are gone. */
  platforms: number;
  /** Names whose password's hash is not in the file. */
  withoutPassword: number;
  /** Of the players: to whom nothing leads. */
  orphaned: number;
  /** Of the players: who are being deleted. */
  deleted: number;
  /** Guests to whom nothing but devices leads, where the file is to have none. */
  leftOut: { devicesOnly: number };
}

/** A page of the list of accounts, and how many of them are read at once: each may have all that its quota allows. */
const [pageAccounts, readAtOnce] = [200, 4];

/** `savepoint export`: all players, as `savepoint import` reads them. */
export async function exportPlayers(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'export' }, args, {
    ...scopeOptions,
    out: { type: 'string' },
    'with-password-hashes': { type: 'boolean', default: false },
    'with-devices': { type: 'boolean', default: false },
    store: { type: 'string' },
    config: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const wanted = readScope(values);
  const out = placeOf(values.out);
  const secrets = { passwords: values['with-password-hashes'], devices: values['with-devices'] };
  const hasScope = wanted.gameId === undefined || wanted.environment === undefined;
  const { store, close } = await openConfiguredStore(values, io, { mustBeThere: true });
  try {
    const file = await createNewFile(out);
    try {
      const counts = await writePlayers({ store, wanted, file, options: { secrets, hasScope, now: Date.now() } }, io);
      say({ ...counts, ...(await file.finish()) }, { out: values.out ?? out, asJson: values.json }, io);
      return 0;
    } finally {
      await file.abandon();
    }
  } finally {
    await close();
  }
}

function placeOf(given: string | undefined): string {
  if (given === undefined) throw new UsageError('say where to: savepoint export --out <file>');
  const out = resolve(given);
  if (existsSync(out)) throw new UsageError(`--out: ${given} is there already, and nothing is written over it`);
  const problem = whyNoFile(out);
  if (problem !== null) throw new UsageError(`--out: ${problem}`);
  return out;
}

interface Task {
  store: Store;
  wanted: Partial<Scope>;
  file: NewFile;
  options: ExportLineOptions;
}

async function writePlayers({ store, wanted, file, options }: Task, io: Io): Promise<Counts> {
  const counts: Counts = {
    players: 0,
    entries: 0,
    snapshots: 0,
    platforms: 0,
    withoutPassword: 0,
    orphaned: 0,
    deleted: 0,
    leftOut: { devicesOnly: 0 },
  };
  const scopes = (await store.listScopes()).filter(
    ({ gameId, environment }) =>
      gameId === (wanted.gameId ?? gameId) && environment === (wanted.environment ?? environment),
  );
  const total = scopes.reduce((sum, { accounts }) => sum + accounts, 0);
  const progressed = createProgress(io, { what: 'export', unit: 'players', total });
  for (const { gameId, environment } of scopes) {
    // Of one game in one environment the file is for elsewhere, where other platforms are.
    const platforms = options.hasScope ? await platformLines(store, { gameId, environment }) : [];
    for (const line of platforms) await file.write(`${line}\n`);
    counts.platforms += platforms.length;
    for await (const account of accountsOf(store, { gameId, environment }, options.now)) {
      if (io.stop.aborted) throw new Interrupted('interrupted: there is no file; run it again');
      progressed(1);
      if (account === null) continue;
      const made = exportLine(account, options);
      if (made === null) {
        counts.leftOut.devicesOnly += 1;
        continue;
      }
      counts.players += 1;
      counts.entries += made.entries;
      counts.snapshots += made.snapshots;
      if (made.state !== null) counts[made.state] += 1;
      counts.withoutPassword += made.lacksPassword ? 1 : 0;
      await file.write(`${made.line}\n`);
    }
  }
  return counts;
}

/** All accounts of a game, those that are made meanwhile aside; null for one that is gone since it was listed. */
async function* accountsOf(store: Store, scope: Scope, now: number): AsyncGenerator<ExportedAccount | null> {
  let after: ListPlace | null = null;
  for (;;) {
    const page = await store.listAccounts({ scope, list: 'newest', after, max: pageAccounts, now: 0 });
    for (let at = 0; at < page.length; at += readAtOnce) {
      const owners = page.slice(at, at + readAtOnce).map(({ account }) => ({ ...scope, accountId: account.accountId }));
      yield* await Promise.all(owners.map((owner) => readAccount(store, owner, now)));
    }
    const last = page.at(-1)?.account;
    if (last === undefined || page.length < pageAccounts) return;
    after = { at: last.createdAt, id: last.accountId };
  }
}

/** An account with the snapshots that it has right after. Null where it is gone. */
async function readAccount(store: Store, owner: Owner, now: number): Promise<ExportedAccount | null> {
  const profile = await store.readForExport(owner);
  if (profile === null) return null;
  const snapshots: SnapshotRecord[] = [];
  for (const { snapshotId } of await store.listSnapshots({ owner, now })) {
    const snapshot = await store.readSnapshot({ key: { ...owner, snapshotId }, now });
    if (snapshot !== null) snapshots.unshift(snapshot);
  }
  return { ...profile, snapshots };
}

interface Report extends Counts {
  bytes: number;
  sha256: string;
}

function say(report: Report, { out, asJson }: { out: string; asJson: boolean }, io: Io): void {
  if (asJson) {
    io.out(`${JSON.stringify(report)}\n`);
    return;
  }
  const { players, entries, snapshots, withoutPassword, orphaned, deleted, leftOut, bytes, sha256 } = report;
  io.out(
    `${out} has ${count(players)} players with ${count(entries)} entries and ${count(snapshots)} snapshots: ` +
      `${(bytes / 1e6).toFixed(1)} MB\n`,
  );
  const notes: readonly (readonly [number, string])[] = [
    [report.platforms, 'platforms are in it, their secrets sealed'],
    [withoutPassword, 'names without their password: --with-password-hashes takes it along'],
    [leftOut.devicesOnly, 'guests are left out, to whom nothing but devices leads: --with-devices takes them along'],
    [orphaned, 'of the players have nothing that leads to them'],
    [deleted, 'of the players are being deleted'],
  ];
  for (const [number, what] of notes) if (number > 0) io.out(`${count(number)} ${what}\n`);
  io.out(`SHA-256 ${sha256}\n`);
}
