import type { BackendLimits, BackendOptions, Rate, SecretReference, ServiceConfig } from '../../backend/index.js';
import { drainDefaults, processDefaults } from '../../protocol/gaps/port-timeouts.js';
import { type GameArguments, type Missing, readGames } from '../config/games.js';
import { limitOf, type OwnedLimits, ownedLimits } from '../config/limits.js';
import { type OperatorArguments, readOperatorKey } from '../config/operator-key.js';
import { isReference, referenced, unresolved } from '../config/references.js';
import { readSealingKeys, type SealingArguments } from '../config/sealing-keys.js';
import { type KeyArguments, readFormerKeys, readSigningKey } from '../config/signing-keys.js';
import { trustedAddresses } from '../config/trusted-addresses.js';
import { usualHost, usualPort } from '../demo.js';
import type { Io } from '../io.js';
import { hasPassword, storeKind } from '../open-store.js';
import { findSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';

export interface ServeArguments extends GameArguments, KeyArguments, OperatorArguments, SealingArguments {
  port?: string | undefined;
  host?: string | undefined;
  processes?: string | undefined;
  store?: string | undefined;
  'allowed-origin'?: string[] | undefined;
  'trusted-proxy'?: string[] | undefined;
  'new-guests-per-address-per-hour'?: string | undefined;
  rate?: string[] | undefined;
  limit?: string[] | undefined;
  'metrics-port'?: string | undefined;
  'metrics-host'?: string | undefined;
  'drain-notice'?: string | undefined;
  'drain-limit'?: string | undefined;
  'no-console'?: boolean | undefined;
}

export interface ServeSettings {
  port: number;
  host: string;
  /** How many there are of this program on the port. */
  processes: number;
  store: NonNullable<Exclude<ServiceConfig['store'], SecretReference>>;
  /** Where metrics are shown; null where nowhere. */
  metrics: { port: number; host: string } | null;
  drain: { noticeMs: number; maxMs: number };
  /** Whether operators have their console at `/console/`. */
  console: boolean;
  backend: BackendOptions;
  portLimits: OwnedLimits['port'];
  postgresLimits: OwnedLimits['postgres'];
}

/**
 * Puts together what the command line, the environment and the file say, in this order. Throws one UsageError with
 * everything that is missing, each with the ways to give it.
 */
export async function readSettings(given: ServeArguments, config: ServiceConfig, io: Io): Promise<ServeSettings> {
  const problems: string[] = [];
  const missing = (problem: string): null => {
    problems.push(problem);
    return null;
  };
  const games = await readGames(given, config, io, missing);
  const signingKey = await readSigningKey(given, config, io, missing);
  const formerSigningKeys = await readFormerKeys(given, config, io, missing);
  const operatorKey = await readOperatorKey(given, config, io, missing);
  const { sealingKey, formerSealingKeys } = await readSealingKeys(given, config, io, missing);
  const store = await readStore(given, config, io, missing);
  if (games === null || signingKey === null || store === null || problems.length > 0) {
    throw new UsageError(
      `the service is only half configured:\n${problems.map((one) => `  ${one}\n`).join('')}`.trimEnd(),
    );
  }
  const { env } = io;
  const {
    games: _,
    store: __,
    signingKey: ___,
    limits: ____,
    operatorKey: _____,
    sealingKey: ______,
    port,
    host,
    processes,
    drain,
    metrics,
    console: hasConsole = true,
    ...options
  } = config;
  const origins = given['allowed-origin'] ?? listOf(env['SAVEPOINT_ALLOWED_ORIGINS']) ?? config.allowedOrigins;
  const proxies = given['trusted-proxy'] ?? listOf(env['SAVEPOINT_TRUSTED_PROXIES']) ?? config.trustedProxies;
  const limits = ownedLimits({ ...config.limits, ...readLimits(given, env), rates: readRates(given, config, env) });
  return {
    portLimits: limits.port,
    postgresLimits: limits.postgres,
    port: portOf(given.port ?? env['SAVEPOINT_PORT'] ?? env['PORT'] ?? port ?? usualPort),
    host: given.host ?? env['SAVEPOINT_HOST'] ?? host ?? usualHost,
    processes: processesOf(given.processes ?? env['SAVEPOINT_PROCESSES'] ?? processes ?? 1, store),
    store,
    metrics: metricsOf(given, metrics, env),
    drain: {
      noticeMs: secondsOf(given['drain-notice'], '--drain-notice') ?? drain?.noticeMs ?? drainDefaults.noticeMs,
      maxMs: secondsOf(given['drain-limit'], '--drain-limit') ?? drain?.maxMs ?? drainDefaults.maxMs,
    },
    console: hasConsole && given['no-console'] !== true,
    backend: {
      ...options,
      games,
      signingKey,
      formerSigningKeys,
      formerSealingKeys,
      limits: limits.service,
      ...(sealingKey === null ? {} : { sealingKey }),
      ...(operatorKey === null ? {} : { operatorKey }),
      ...(origins === undefined ? {} : { allowedOrigins: origins }),
      ...(proxies === undefined
        ? {}
        : { trustedProxies: typeof proxies === 'function' ? proxies : trustedAddresses(proxies) }),
    },
  };
}

/**
 * Which store the command line, the environment or the file names; null where `missing` has
 * been told why there is none.
 */
export async function readStore(
  given: Pick<ServeArguments, 'store'>,
  config: ServiceConfig,
  io: Io,
  missing: Missing,
): Promise<ServeSettings['store'] | null> {
  if (given.store !== undefined) {
    if (hasPassword(given.store)) {
      throw new UsageError(
        '--store must have no password: it would be in the list of processes. Give SAVEPOINT_STORE or SAVEPOINT_STORE_FILE',
      );
    }
    return given.store;
  }
  const found = await findSecret(io, {
    what: 'the store',
    option: 'store',
    file: undefined,
    variable: 'SAVEPOINT_STORE',
  });
  if (found !== null) return found;
  const { store } = config;
  if (store !== undefined && !isReference(store)) return store;
  const text = store === undefined ? null : await referenced(store, 'store', io);
  if (text !== null) return text;
  if (store !== undefined) return missing(unresolved(store, 'store'));
  return missing(
    'No store: give --store ./savepoint.db, SAVEPOINT_STORE=postgres://…, or --store memory where all may be lost when it stops',
  );
}

/** The limits of the environment, and over them those of the command line. */
function readLimits({ limit = [] }: ServeArguments, env: Io['env']): { [name: string]: number } {
  return Object.fromEntries([...(listOf(env['SAVEPOINT_LIMITS']) ?? []), ...limit].map(limitOf));
}

/** The rates of the file, and over them those of the environment, and over these those of the command line. */
function readRates(given: ServeArguments, config: ServiceConfig, env: Io['env']): NonNullable<BackendLimits['rates']> {
  const inFile = config.limits?.rates ?? true;
  const guests = 'newGuestsPerAddressPerHour';
  const named = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${name}=${value}`];
  const written = [
    ...(listOf(env['SAVEPOINT_RATES']) ?? []),
    ...named(guests, env['SAVEPOINT_NEW_GUESTS_PER_ADDRESS_PER_HOUR']),
    ...(given.rate ?? []),
    ...named(guests, given['new-guests-per-address-per-hour']),
  ].map(rateOf);
  if (written.length === 0) return inFile;
  return { ...(typeof inFile === 'object' ? inFile : {}), ...Object.fromEntries(written) };
}

/** `name=5/60` is five in a minute, and `name=1000` a number alone. */
function rateOf(text: string): [name: string, rate: Rate | number] {
  const [, name = '', tries, seconds] = /^(\w+)=([1-9]\d{0,8})(?:\/([1-9]\d{0,5}))?$/.exec(text.trim()) ?? [];
  if (tries === undefined) {
    throw new UsageError(
      'a rate must be as in readsPerAccount=3000/60 (how many, in how many seconds), a single number as in newGuestsPerAddressPerHour=1000',
    );
  }
  return [name, seconds === undefined ? Number(tries) : { tries: Number(tries), windowMs: Number(seconds) * 1000 }];
}

/** Metrics are shown only where a port is given for them. */
function metricsOf(given: ServeArguments, inFile: ServiceConfig['metrics'], env: Io['env']): ServeSettings['metrics'] {
  const port = given['metrics-port'] ?? env['SAVEPOINT_METRICS_PORT'] ?? inFile?.port;
  if (port === undefined || port === '') return null;
  return {
    port: portOf(port, 'metrics port'),
    host: given['metrics-host'] ?? env['SAVEPOINT_METRICS_HOST'] ?? inFile?.host ?? usualHost,
  };
}

function listOf(text: string | undefined): string[] | undefined {
  const found = text
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return found === undefined || found.length === 0 ? undefined : found;
}

function portOf(given: string | number, what = 'port'): number {
  const text = String(given);
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`the ${what} must be a number from 0 to 65535`);
  return Number(text);
}

/** Several processes share nothing but the store. */
function processesOf(given: string | number, store: ServeSettings['store']): number {
  const count = /^\d{1,3}$/.test(String(given)) ? Number(given) : 0;
  if (count < 1 || count > processDefaults.processes) {
    throw new UsageError(`the number of processes must be from 1 to ${processDefaults.processes}`);
  }
  if (count === 1) return count;
  if (typeof store !== 'string') {
    throw new UsageError('the configuration opens its store itself, which only one process can have: give its address');
  }
  const kind = storeKind(store);
  if (kind === 'postgres') return count;
  const reason = kind === 'sqlite' ? 'a file is for one process' : 'what is in memory is for one process';
  const wayOut = kind === 'sqlite' ? ' (savepoint move carries all over)' : '';
  throw new UsageError(
    `--processes ${count} needs PostgreSQL, for ${reason}: give SAVEPOINT_STORE=postgres://…${wayOut}`,
  );
}

function secondsOf(given: string | undefined, option: string): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,4}$/.test(given)) throw new UsageError(`${option} must be a whole number of seconds`);
  return Number(given) * 1000;
}
