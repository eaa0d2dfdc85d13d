import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RequestSource } from '../../backend/http/service-core.js';
import type { Log, Observer } from '../../backend/index.js';
import { serve as listen, type ServeOptions } from '../../backend/node.js';
import type { SqliteStore } from '../../backend/sqlite.js';
import { startCourier } from '../../backend/webhooks/courier.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { readArguments } from '../arguments.js';
import { loadConfig, usualConfig } from '../config/load-config.js';
import type { ExitCode, Io } from '../io.js';
import { listening, stopped } from '../listening.js';
import { openGiven } from '../open-store.js';
import { openStoreSocket } from '../store-socket.js';
import { type PartOfSeveral, partOfSeveral } from './cluster.js';
import { createFront } from './front.js';
import { createHealth } from './health.js';
import { eventLine, jsonLine } from './json-log.js';
import { createMetrics, loadPrometheus, type Metrics } from './metrics.js';
import { openMetrics } from './metrics-port.js';
import type { Warning } from './relay.js';
import { createReloadable } from './reloadable.js';
import { createReloads, type Reloads } from './reloads.js';
import { serveOnProcesses } from './serve-on-processes.js';
import { createServedConsole, createServedWatch, type Say } from './served-console.js';
import { readSettings, type ServeSettings } from './settings.js';
import { both, createTraces, loadOpenTelemetry } from './traces.js';

/** What is written already is sent within this. */
const closeMs = 1_000;

/** `savepoint serve`: the service for production, until it is asked to stop. */
export async function serve(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'serve' }, args, {
    config: { type: 'string' },
    port: { type: 'string' },
    host: { type: 'string' },
    processes: { type: 'string' },
    'game-id': { type: 'string' },
    'private-key-file': { type: 'string' },
    'signing-key-file': { type: 'string' },
    'former-signing-key-file': { type: 'string', multiple: true },
    'operator-key-file': { type: 'string' },
    'sealing-key-file': { type: 'string' },
    'former-sealing-key-file': { type: 'string', multiple: true },
    store: { type: 'string' },
    'allowed-origin': { type: 'string', multiple: true },
    'trusted-proxy': { type: 'string', multiple: true },
    'new-guests-per-address-per-hour': { type: 'string' },
    rate: { type: 'string', multiple: true },
    limit: { type: 'string', multiple: true },
    'metrics-port': { type: 'string' },
    'metrics-host': { type: 'string' },
    'drain-notice': { type: 'string' },
    'drain-limit': { type: 'string' },
    'no-console': { type: 'boolean' },
  });
  const reloads = createReloads({ out: io.out, now: Date.now });
  io.onHangUp(reloads.ask);
  const file = values.config ?? usualConfig();
  const piped = rememberedInput(io);
  let readings = 0;
  const read = async (): Promise<ServeSettings> =>
    readSettings(values, file === null ? {} : await loadConfig(file, readings++), piped);
  const settings = await read();
  const part = partOfSeveral();
  if (settings.processes > 1 && part === null) return serveOnProcesses(settings, { io, piped: piped.remembered });
  const opened = await openGiven(settings.store, settings.postgresLimits);
  try {
    const socket = await socketOf(settings.store, opened, io);
    try {
      await run(settings, opened, { io, read, reloads, part });
    } finally {
      await socket?.close();
    }
  } finally {
    await opened.close();
  }
  io.out(eventLine(Date.now(), 'stopped'));
  return 0;
}

/** What comes in on stdin comes once. */
function rememberedInput(io: Io): Io & { remembered(): ReturnType<Io['input']> } {
  let piped: ReturnType<Io['input']> | undefined;
  return {
    ...io,
    remembered: async () => piped ?? null,
    input() {
      piped ??= io.input();
      return piped;
    },
  };
}

/** For `savepoint backup` and `restore`, where the store is a file that is now this process's alone. */
async function socketOf(
  given: ServeSettings['store'],
  { store, kind }: Awaited<ReturnType<typeof openGiven>>,
  io: Io,
): Promise<{ close(): Promise<void> } | null> {
  if (kind !== 'sqlite') return null;
  return openStoreSocket(store as SqliteStore, resolve(given as string)).catch((error: NodeJS.ErrnoException) => {
    io.out(eventLine(Date.now(), 'no-backups', { code: error.code ?? error.name }));
    return null;
  });
}

interface Surroundings {
  io: Io;
  /** Reads the settings again. */
  read(): Promise<ServeSettings>;
  reloads: Reloads;
  /** Null where this process serves alone. */
  part: PartOfSeveral | null;
}

async function run(
  settings: ServeSettings,
  { store, kind, connections, bytes }: Awaited<ReturnType<typeof openGiven>>,
  { io, read, reloads, part }: Surroundings,
): Promise<void> {
  const { metrics: shown, port, host, portLimits } = settings;
  const warnings = createWarnings(part);
  const watched = settings.console
    ? createServedWatch({
        storeKind: kind,
        storeBytes: bytes,
        others: part?.others ?? null,
        version: io.version,
        now: Date.now,
      })
    : null;
  const log: Log = (record) => {
    if (record.kind === 'warning' && !warnings.take(record)) return;
    io.out(jsonLine(record));
    watched?.take(record);
  };
  const metrics =
    shown === null
      ? null
      : createMetrics(await loadPrometheus(), {
          version: io.version,
          now: () => performance.now(),
          process: part?.number,
        });
  const observer = await observerOf(metrics, io.version);
  const service = await createReloadable(settings, { rest: { ...observer, store, log, recordRequests: false }, read });
  const health = createHealth(store);
  const front = createFront({
    service: service.core,
    health,
    warnings: warnings.codes,
    log,
    turnedAway: metrics?.turnedAway,
    now: Date.now,
    // Not the one of the commands, which ends when the program is asked to.
    wait: async (ms) => {
      await setTimeout(ms, undefined, { ref: false });
    },
  });
  metrics?.watch({
    load: () => service.current().load(),
    health,
    connections,
    isDraining: front.isDraining,
    warnings: warnings.codes,
    noncesPerGame: () => service.settings().backend.limits?.noncesPerGame,
  });
  const say: Say = (kind, more) => io.out(eventLine(Date.now(), kind, more));
  const atStart = { port: { ...portLimits, closeMs }, postgres: kind === 'postgres' ? settings.postgresLimits : null };
  const parts = { service, front, folder: io.consoleFolder, log, say, now: Date.now };
  const consoleOfService = watched && createServedConsole({ ...parts, watch: watched.watch, atStart });
  // The first of several processes shows those of all.
  if (metrics !== null) part?.answer('metrics', metrics.json);
  if (watched !== null) part?.answer('numbers', async () => watched.watch.told());
  const shownAt = metrics === null || shown === null || part !== null ? null : await openMetrics(metrics, shown);
  try {
    const fallback = (request: Request, from: RequestSource): Promise<Response> =>
      consoleOfService?.answer(request, from) ?? front.fetch(request, from);
    const served = await listening('serve', () =>
      listen(front, { port, host, fallback, limits: { ...portLimits, closeMs }, crowded: crowdedOf(say) }),
    );
    io.out(
      eventLine(Date.now(), 'listening', {
        url: served.url,
        store: kind,
        games: settings.backend.games.map(({ id }) => id),
        version: io.version,
        ...(part === null ? {} : { process: part.number }),
        ...(shownAt === null ? {} : { metrics: shownAt.url }),
      }),
    );
    const beating = setInterval(() => void watched?.watch.beat(), operatorDefaults.consoleBeatMs);
    const courier = startCourier({
      games: () => service.current().webhooks.games(),
      deliver: (gameId, signal) => service.current().webhooks.deliver(gameId, signal),
      failed: (error) => say('no-webhooks', { error: error instanceof Error ? error.name : 'Error' }),
    });
    reloads.begin(async () => {
      const told = await service.reload();
      // They were of the former configuration.
      warnings.forget();
      return told;
    });
    await stopped(io.stop);
    await reloads.end();
    clearInterval(beating);
    watched?.watch.end();
    io.out(eventLine(Date.now(), 'draining', { running: front.running() }));
    await Promise.all([front.drain(service.settings().drain), courier.end()]);
    await served.close();
  } finally {
    // To the last, so that somebody sees how it drains.
    await shownAt?.close();
  }
}

/** Whose connections were closed is a player's address, which no line has. */
const crowdedOf =
  (say: Say): ServeOptions['crowded'] =>
  ({ closed }) =>
    say('crowded', { level: 'warn', closed });

/** What this process knows to have been warned of. */
function createWarnings(part: PartOfSeveral | null) {
  const codes = new Set<string>();
  const note = (code: string): void => void codes.add(code);
  part?.others.onWarned(note);
  return {
    codes: (): readonly string[] => [...codes],
    /** Says whether it is to be logged here: of several processes the first one does, once for all. */
    take(warning: Warning): boolean {
      if (part === null) note(warning.code);
      else part.others.warn(warning);
      return part === null;
    },
    forget: () => codes.clear(),
  };
}

/** Nobody observes a service without metrics and traces, so that it pays for neither. */
async function observerOf(metrics: Metrics | null, version: string): Promise<{ observer?: Observer }> {
  const openTelemetry = await loadOpenTelemetry();
  const traces = openTelemetry === null ? null : createTraces(openTelemetry, version);
  if (metrics === null) return traces === null ? {} : { observer: traces };
  return { observer: traces === null ? metrics.observer : both(metrics.observer, traces) };
}
