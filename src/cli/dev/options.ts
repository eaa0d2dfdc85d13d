import { type AllowedOrigins, allowsOrigin, isOriginEntry } from '../../backend/http/cors.js';
import type { BackendOptions, GameConfig, GameOptions, ServiceConfig } from '../../backend/index.js';
import { isUuid } from '../../protocol/ids.js';
import { readArguments } from '../arguments.js';
import { resolvedKeys } from '../config/games.js';
import { ownedLimits } from '../config/limits.js';
import { loadConfig } from '../config/load-config.js';
import { readOperatorKey } from '../config/operator-key.js';
import { resolvedPlatforms } from '../config/platforms.js';
import { type FoundSealingKeys, readSealingKeys } from '../config/sealing-keys.js';
import { trustedAddresses } from '../config/trusted-addresses.js';
import { newSecret } from '../console/new-secret.js';
import { demoGame, demoPlatforms, isLoopbackOrigin, usualHost, usualPort } from '../demo.js';
import type { Io } from '../io.js';
import { storeKind } from '../open-store.js';
import { UsageError } from '../usage-error.js';
import { type FaultRates, readFaults } from './faults.js';

export interface DevOptions {
  port: number;
  host: string;
  games: GameOptions[];
  /** The first game's, to be shown. */
  gameId: string;
  privateKey: string;
  store: NonNullable<ServiceConfig['store']>;
  rateLimits: boolean;
  /** The given one, or one that only this start's console has. */
  operatorKey: string;
  sealing: FoundSealingKeys;
  json: boolean;
  seed: boolean;
  faults: FaultRates | null;
  config: ServiceConfig;
}

export async function readOptions(args: readonly string[], io: Io): Promise<DevOptions> {
  const { values } = readArguments({ command: 'dev' }, args, {
    port: { type: 'string' },
    host: { type: 'string' },
    'game-id': { type: 'string' },
    'private-key': { type: 'string' },
    store: { type: 'string' },
    'allowed-origin': { type: 'string', multiple: true },
    config: { type: 'string' },
    'seed-demo': { type: 'boolean' },
    faults: { type: 'string' },
    'rate-limits': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const file = values.config === undefined ? {} : await loadConfig(values.config);
  const config = { ...file, allowedOrigins: readOrigins(values['allowed-origin'] ?? file.allowedOrigins ?? []) };
  const port = values.port ?? String(config.port ?? usualPort);
  const host = values.host ?? config.host ?? usualHost;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError('--port must be a number from 0 to 65535');
  if (host.trim() === '') throw new UsageError('--host must be a host name or an address');
  const games = await gamesOf(values, config, io);
  const [first] = games;
  const store = values.store ?? config.store ?? 'memory';
  if (typeof store === 'string') storeKind(store);
  return {
    port: Number(port),
    host,
    games,
    gameId: first?.id.toLowerCase() ?? '',
    privateKey: first?.privateKeys[0] ?? '',
    store,
    rateLimits: values['rate-limits'] ?? false,
    operatorKey: (await readOperatorKey({}, config, io, refuse)) ?? newSecret(),
    sealing: await readSealingKeys({}, config, io, refuse),
    json: values.json ?? false,
    seed: values['seed-demo'] ?? false,
    faults: values.faults === undefined ? null : readFaults(values.faults),
    config,
  };
}

function readOrigins(origins: AllowedOrigins): AllowedOrigins {
  const isRight = typeof origins === 'function' || (Array.isArray(origins) && origins.every(isOriginEntry));
  if (isRight) return origins;
  throw new UsageError(
    '--allowed-origin must be an origin such as https://game.example, without a slash at the end, or https://*.itch.zone',
  );
}

function refuse(problem: string): never {
  throw new UsageError(problem);
}

/** The games of the file, or the one game that is given or ready-made. All know the social network for development. */
async function gamesOf(
  given: { 'game-id'?: string | undefined; 'private-key'?: string | undefined },
  config: ServiceConfig,
  io: Io,
): Promise<GameOptions[]> {
  const { 'game-id': id = demoGame.id, 'private-key': privateKey = demoGame.privateKey } = given;
  if (!isUuid(id)) throw new UsageError('--game-id must be a UUID');
  if (privateKey === '' || privateKey.trim() !== privateKey) {
    throw new UsageError('--private-key must not be empty, and have no white space around it');
  }
  const listed = config.games ?? [];
  if (listed.length > 0 && given['game-id'] !== undefined) {
    throw new UsageError('the games are in the configuration already: leave --game-id out');
  }
  return Promise.all(
    (listed.length === 0 ? [{ id } as GameConfig] : listed).map(async ({ platforms, ...game }, index) => ({
      ...game,
      ...(await resolvedPlatforms(platforms, `games[${index}].platforms`, { io, missing: refuse })),
      privateKeys: await resolvedKeys(game.privateKeys ?? [privateKey], `games[${index}].privateKeys`, io, refuse),
      socialPlatforms: { ...demoPlatforms, ...game.socialPlatforms },
    })),
  );
}

/** What the service gets of all that. Pages of this machine may always call it. */
export function backendOptions({ config, games, rateLimits, operatorKey }: DevOptions): BackendOptions {
  const {
    store,
    signingKey,
    formerSigningKeys,
    operatorKey: _,
    sealingKey: __,
    formerSealingKeys: ___,
    port,
    host,
    drain,
    console: ____,
    allowedOrigins = [],
    trustedProxies,
    limits,
    ...options
  } = config;
  return {
    ...options,
    operatorKey,
    // Who develops has what a game needs on this machine.
    allowPrivateAddresses: options.allowPrivateAddresses ?? true,
    games,
    allowedOrigins: (origin) => isLoopbackOrigin(origin) || allowsOrigin(allowedOrigins, origin),
    limits: { ...ownedLimits(limits).service, rates: rateLimits || (limits?.rates ?? false) },
    ...(trustedProxies === undefined ? {} : { trustedProxies: trusted(trustedProxies) }),
  };
}

function trusted(proxies: NonNullable<ServiceConfig['trustedProxies']>): (address: string) => boolean {
  return typeof proxies === 'function' ? proxies : trustedAddresses(proxies);
}
