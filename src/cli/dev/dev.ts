import type { Deliver } from '../../backend/index.js';
import { type ServedBackend, serve } from '../../backend/node.js';
import { startCourier } from '../../backend/webhooks/courier.js';
import { ownedLimits } from '../config/limits.js';
import { referencedText } from '../config/references.js';
import { resolvedFormerKeys } from '../config/signing-keys.js';
import { createChecked } from '../create-checked.js';
import type { ExitCode, Io } from '../io.js';
import { listening, stopped } from '../listening.js';
import { openGiven } from '../open-store.js';
import { UsageError } from '../usage-error.js';
import { banner, type Ready } from './banner.js';
import { createDevConsole } from './dev-console.js';
import { withFaults } from './faults.js';
import { devSealingKeys, devSigningKey } from './kept-signing-key.js';
import { logLine } from './log-line.js';
import { backendOptions, type DevOptions, readOptions } from './options.js';
import { seedDemo } from './seed-demo.js';
import { asksForStartPage, startPage } from './start-page.js';

/** `savepoint dev`: the whole service on a port, until it is asked to stop. */
export async function dev(args: readonly string[], io: Io): Promise<ExitCode> {
  const options = await readOptions(args, io);
  const given = await referencedText(options.store, 'store', io);
  const opened = await openGiven(given, ownedLimits(options.config.limits).postgres);
  try {
    await run(options, { ...opened, name: typeof given === 'string' && opened.kind === 'sqlite' ? given : null }, io);
  } finally {
    await opened.close();
  }
  return 0;
}

type Opened = Awaited<ReturnType<typeof openGiven>> & { name: string | null };

async function run(options: DevOptions, { store, kind, name }: Opened, io: Io): Promise<void> {
  const { gameId, privateKey, faults, port, host } = options;
  let isReady = false;
  const signingKey = await devSigningKey(options.config, name, io);
  const formerSigningKeys = await resolvedFormerKeys(options.config, io, (problem) => {
    throw new UsageError(problem);
  });
  const backend = createChecked({
    deliver: consoleDelivery(io),
    ...backendOptions(options),
    store,
    formerSigningKeys,
    ...(signingKey === null ? {} : { signingKey }),
    ...devSealingKeys(options.sealing, signingKey),
    // What it asks itself before it listens is nobody's request.
    log: (record) => {
      if (isReady) io.err(logLine(record));
    },
  });
  await backend.ready();
  const seeded = options.seed ? await seedDemo(backend, gameId) : [];
  isReady = true;
  const faulty = faults === null ? backend : withFaults(backend, faults, io);
  const ready = (): Ready => {
    const { url } = served;
    return { url, consoleUrl: url + devConsole.path, gameId, privateKey, store: name ?? kind, seeded, faults };
  };
  const devConsole = createDevConsole({
    backend: () => backend,
    host,
    port: () => served.port,
    games: options.games.map(({ id }) => id.toLowerCase()),
    operatorKey: options.operatorKey,
    folder: io.consoleFolder,
    ready,
    report: (error) => io.err(`the console failed: ${error instanceof Error ? error.message : 'no Error'}\n`),
  });
  const served: ServedBackend = await listening('dev', () =>
    serve(faulty, {
      port,
      host,
      limits: ownedLimits(options.config.limits).port,
      // Requests come after the service has its address.
      fallback: (request, from) =>
        devConsole.answer(request, from) ??
        (asksForStartPage(request) ? startPage(request, ready()) : backend.fetch(request, from)),
    }),
  );
  io.out(options.json ? `${JSON.stringify(said(ready()))}\n` : banner(ready()));
  const courier = startCourier(backend.deliverWebhooks, () => io.err('webhooks could not be looked up\n'));
  await stopped(io.stop);
  await Promise.all([served.close(), courier.end()]);
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
