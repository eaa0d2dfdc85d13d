import { createServiceCore } from '../../backend/http/service-core.js';
import type { Deliver, Log } from '../../backend/index.js';
import { type ServedBackend, serve } from '../../backend/node.js';
import { startCourier } from '../../backend/webhooks/courier.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { ownedLimits } from '../config/limits.js';
import { referencedText } from '../config/references.js';
import { resolvedFormerKeys } from '../config/signing-keys.js';
import { limitsRoute } from '../console/limits-in-use.js';
import { createRequestWatch, type RequestWatch } from '../console/request-watch.js';
import { createChecked } from '../create-checked.js';
import type { ExitCode, Io } from '../io.js';
import { listening, stopped } from '../listening.js';
import { openGiven, storeKind } from '../open-store.js';
import { UsageError } from '../usage-error.js';
import { asksForPage, toConsole } from './asks-for-page.js';
import { banner, oneLine, type Ready } from './banner.js';
import { splitCommand, startCompanion } from './companion.js';
import { createDevConsole } from './dev-console.js';
import { type DevService, startDevService } from './dev-service.js';
import { createDevTools } from './dev-tools.js';
import { plansOf } from './faults.js';
import { devSealingKeys, devSigningKey } from './kept-signing-key.js';
import { logLine } from './log-line.js';
import { backendOptions, type DevOptions, readOptions } from './options.js';
import { createRequestRecorder, isRequest, type RequestRecorder } from './recorded-requests.js';
import { type SeededPlayer, seedDemo } from './seed-demo.js';

/** A developer sees every request, and those that came before the page was open. */
const remembered = { events: 200, bytes: 2 ** 21 };
const [waitingBytes, listeners] = [2 ** 22, 16];

/** `savepoint dev`: the whole service on a port, until it is asked to stop. */
export async function dev(args: readonly string[], io: Io): Promise<ExitCode> {
  const { own, command } = splitCommand(args);
  const options = await readOptions(own, io);
  const given = await referencedText(options.store, 'store', io);
  const kind = typeof given === 'string' ? storeKind(given) : 'given';
  const file = kind === 'sqlite' ? (given as string) : null;
  const watch = createRequestWatch({
    stream: { remembered, waitingBytes, listeners },
    shownPerSecond: Number.POSITIVE_INFINITY,
    storeKind: kind,
    storeBytes: async () => service.bytes(),
    others: null,
    version: io.version,
    now: Date.now,
  });
  const recorder = createRequestRecorder({
    watch,
    games: options.games,
    secrets: [options.operatorKey],
    now: () => service.current().control.now(),
  });
  const seeded: SeededPlayer[] = [];
  const service = await startDevService({
    open: () => openGiven(given, ownedLimits(options.config.limits).postgres),
    file,
    create: backendMaker({ options, file, recorder, seeded, logs: command === null ? isAny : hasFailed, io }),
  });
  try {
    return await run(options, { service, watch, recorder, store: file ?? service.kind, seeded, command }, io);
  } finally {
    await service.close();
  }
}

const isAny = (): boolean => true;
/** Beside another command the terminal is for both; the console has every request. */
const hasFailed = (record: Parameters<Log>[0]): boolean =>
  record.kind !== 'request' || record.status === null || record.status >= 400;

/** Makes the service on a store; what it asks itself before anybody can is in no log. */
function backendMaker({
  options,
  file,
  recorder,
  seeded,
  logs,
  io,
}: {
  options: DevOptions;
  file: string | null;
  recorder: RequestRecorder;
  seeded: SeededPlayer[];
  /** Whether the terminal shows it. */
  logs: (record: Parameters<Log>[0]) => boolean;
  io: Io;
}) {
  let keys: Awaited<ReturnType<typeof signingKeysOf>> | undefined;
  const log: Log = (record) => {
    if ((!isRequest(record) || recorder.take(record)) && logs(record)) io.err(logLine(record));
  };
  return async (store: Parameters<Parameters<typeof startDevService>[0]['create']>[0]) => {
    // The file of a key that is made is beside the store's, whose folder is there by now.
    keys ??= await signingKeysOf(options, file, io);
    const { signingKey, formerSigningKeys } = keys;
    const backend = createChecked({
      deliver: consoleDelivery(io),
      ...backendOptions(options),
      store,
      formerSigningKeys,
      ...(signingKey === null ? {} : { signingKey }),
      ...devSealingKeys(options.sealing, signingKey),
      log,
    });
    await backend.ready();
    if (options.seed) seeded.splice(0, seeded.length, ...(await seedDemo(backend, options.gameId)));
    return backend;
  };
}

async function signingKeysOf({ config }: DevOptions, file: string | null, io: Io) {
  const signingKey = await devSigningKey(config, file, io);
  const formerSigningKeys = await resolvedFormerKeys(config, io, (problem) => {
    throw new UsageError(problem);
  });
  return { signingKey, formerSigningKeys };
}

interface Surroundings {
  service: DevService & { kind: string };
  watch: RequestWatch;
  recorder: RequestRecorder;
  /** What keeps everything, to be shown. */
  store: string;
  seeded: readonly SeededPlayer[];
  /** What runs beside it; null for nothing. */
  command: readonly string[] | null;
}

async function run(
  options: DevOptions,
  { service, watch, recorder, store, seeded, command }: Surroundings,
  io: Io,
): Promise<ExitCode> {
  const { gameId, privateKey, faults, port, host } = options;
  const { reset, current } = service;
  const tools = createDevTools({
    control: () => current().control,
    plans: plansOf(faults),
    storeKind: service.kind,
    reset,
  });
  const core = createServiceCore(recorder.recorded(service.answer));
  const ready = (): Ready => {
    const { url } = served;
    return { url, consoleUrl: url + devConsole.path, gameId, privateKey, store, seeded, faults };
  };
  const devConsole = createDevConsole({
    backend: current,
    say: (text) => io.err(`${new Date().toISOString()} ${text}\n`),
    routes: {
      ...watch.routes(),
      ...tools,
      ...limitsRoute(() => ({
        limits: backendOptions(options).limits,
        port: ownedLimits(options.config.limits).port,
        postgres: service.kind === 'postgres' ? {} : null,
        drain: null,
      })),
    },
    host,
    port: () => served.port,
    games: options.games.map(({ id }) => id.toLowerCase()),
    operatorKey: options.operatorKey,
    folder: io.consoleFolder,
    ready,
    report: (error) => io.err(`the console failed: ${error instanceof Error ? error.message : 'no Error'}\n`),
  });
  const open = (): Promise<ServedBackend> =>
    serve(
      { fetch: core.fetch, core },
      {
        port,
        host,
        limits: ownedLimits(options.config.limits).port,
        // Requests come after the service has its address.
        fallback: (request, from) =>
          devConsole.answer(request, from) ?? (asksForPage(request) ? toConsole() : core.fetch(request, from)),
      },
    );
  const served = await listening('dev', open, '--port', command ?? []);
  io.out(options.json ? `${JSON.stringify(said(ready()))}\n` : command === null ? banner(ready()) : oneLine(ready()));
  const beating = setInterval(() => void watch.beat(), operatorDefaults.consoleBeatMs);
  const courier = startCourier({
    games: () => current().webhooks.games(),
    deliver: (gameId, signal) => current().webhooks.deliver(gameId, signal),
    failed: () => io.err('webhooks could not be looked up\n'),
  });
  try {
    if (command === null) await stopped(io.stop);
    return command === null ? 0 : await beside(command, served.url, io);
  } finally {
    clearInterval(beating);
    watch.end();
    await Promise.all([served.close(), courier.end()]);
  }
}

/** Runs a command until it ends, or the program is asked to. */
async function beside(command: readonly string[], url: string, io: Io): Promise<ExitCode> {
  const companion = startCompanion(command, url, io);
  void stopped(io.stop).then(companion.stop);
  return companion.ended;
}

/** Who develops is the player: without a way to deliver, the terminal shows the code. */
function consoleDelivery(io: Io): Deliver {
  return ({ kind, name, code, address }) => {
    if (kind === 'reset') io.err(`the code to set a new password for "${name}": ${code}\n`);
    else if (kind === 'verify') io.err(`the code for "${name}" to verify ${address}: ${code}\n`);
  };
}

function said({ url, consoleUrl, gameId, privateKey }: Ready) {
  return { url, baseUrl: url, authUrl: url, consoleUrl, gameId, privateKey };
}
