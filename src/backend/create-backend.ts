import { type Environment, isEnvironment } from '../protocol/environments.js';
import { accountDefaults } from '../protocol/gaps/accounts.js';
import { tokenDefaults } from '../protocol/gaps/tokens.js';
import { isUuid, newUuid } from '../protocol/ids.js';
import { restoreAccount } from './accounts/accounts.js';
import { createPasswords } from './accounts/passwords.js';
import { createRateLimiter } from './accounts/rate-limits.js';
import { type Control, createControl } from './control.js';
import { createGameKeys, type Game } from './game.js';
import { type App, createApp } from './http/app.js';
import { createCors } from './http/cors.js';
import { createAddressOf } from './http/peer-address.js';
import { createServiceCore, type ServiceCore, type ServiceFetch } from './http/service-core.js';
import type { Log } from './log.js';
import { type BackendOptions, checkOptions, type GameOptions, sizesOf } from './options.js';
import { createIdentityProvider } from './providers/identity-tokens.js';
import { handlers } from './routes/handlers.js';
import type { Service } from './service.js';
import { createTokens } from './sessions/tokens.js';
import { createMemoryStore } from './stores/memory/store.js';

/** The whole service. */
export interface Backend {
  /**
   * Answers a request. `from.address` is the peer's address: rate limits count by it, and the country is looked up by it.
   * Without it nothing is limited by address. Rejects with TypeError, as a lost connection does, only where `control` says so.
   */
  readonly fetch: ServiceFetch;
  /**
   * The same service without a Response for each answer, for the HTTP port and the command line of this package.
   *
   * @internal
   */
  readonly core: ServiceCore;
  /** Steers it, in tests and demos. */
  readonly control: Control;
  /** Settles when the keys are there, which the first request would wait for otherwise. */
  ready(): Promise<void>;
  /** Removes everything whose time is over; traffic does it in small steps. Answers how many records. */
  sweep(): Promise<number>;
  /** Makes a device lead to an account again that was orphaned or deleted. False where it has been removed for good. */
  restoreAccount(request: {
    gameId: string;
    environment: Environment;
    userId: string;
    deviceId: string;
  }): Promise<boolean>;
}

const sweepEveryMs = 60_000;
const sweepBatch = 200;

/**
 * Makes the service of the interface as one `fetch`. Throws TypeError naming the option that is wrong.
 * Keeps no state outside: two back ends in one process are two services.
 */
export function createBackend(options: BackendOptions): Backend {
  checkOptions(options);
  const serviceControl = createControl(options.clock ?? Date.now);
  const { now } = serviceControl.control;
  const log = neverThrowing(options.log ?? (() => {}));
  const service = createService(options, { now, log });
  const { store } = service;
  const lists = [options.allowedOrigins, ...options.games.map((game) => game.allowedOrigins)];
  const app = createApp({
    service,
    handlers,
    serviceControl,
    cors: createCors(lists.filter((list) => list !== undefined)),
    log,
    addressOf: createAddressOf(options.trustedProxies ?? []),
  });
  let sweptAt = now();
  let isSweeping = false;

  /** Spec gap: orphaned accountDefaults and those that their player deleted are kept for 30 days. */
  async function removeExpired(): Promise<number> {
    const at = now();
    return store.removeExpired({
      now: at,
      orphanedBefore: at - accountDefaults.orphanKeptMs,
      deletedBefore: at - accountDefaults.deletionGraceMs,
      batch: sweepBatch,
    });
  }

  /** One small batch, and another with the next request while there is more; never two at once. */
  async function sweepSometimes(): Promise<void> {
    const at = now();
    if (isSweeping || at - sweptAt < sweepEveryMs) return;
    isSweeping = true;
    try {
      if ((await removeExpired()) < sweepBatch) sweptAt = at;
    } catch (error) {
      // The request that came by has nothing to do with it; one in a minute tries again.
      sweptAt = at;
      service.report('What has ended could not be removed.', error);
    }
    isSweeping = false;
  }

  const sweeping: App = async (request, arrival) => {
    if (now() - sweptAt >= sweepEveryMs) await sweepSometimes();
    return app(request, arrival);
  };

  const core = createServiceCore(sweeping);
  return {
    control: serviceControl.control,
    fetch: core.fetch,
    core,
    async ready() {
      await service.tokens.publicKeys();
    },
    async sweep() {
      let total = 0;
      for (;;) {
        const removed = await removeExpired();
        total += removed;
        if (removed < sweepBatch) return total;
      }
    },
    async restoreAccount({ gameId, environment, userId, deviceId }) {
      if (!isUuid(gameId)) throw new TypeError('gameId must be a UUID');
      if (!isEnvironment(environment)) throw new TypeError('environment must be 0, 1 or 2');
      if (!isUuid(userId)) throw new TypeError('userId must be a UUID');
      if (typeof deviceId !== 'string' || deviceId === '') throw new TypeError('deviceId must be a text');
      const owner = { gameId: gameId.toLowerCase(), environment, accountId: userId.toLowerCase() };
      return restoreAccount(service, owner, deviceId);
    },
  };
}

function createService(options: BackendOptions, { now, log }: { now: () => number; log: Log }): Service {
  const store = options.store ?? createMemoryStore();
  const random = options.random ?? ((size) => crypto.getRandomValues(new Uint8Array(size)));
  const { resolveCountry, limits } = options;
  const rates = limits?.rates ?? false;
  const report = (message: string, error: unknown): void => {
    const name = error instanceof Error ? error.name : 'Error';
    log({ kind: 'error', time: now(), requestId: null, name, message, stack: null });
  };
  return {
    store,
    games: new Map(options.games.map((game) => [game.id.toLowerCase(), createGame(game)])),
    decoyKeys: createGameKeys(['nobody has this key']),
    tokens: createTokens({
      signingKey: options.signingKey,
      formerSigningKeys: options.formerSigningKeys ?? [],
      issuer: options.issuer ?? 'savepoint',
    }),
    passwords: createPasswords({ random, insecureFast: options.insecureFastPasswordsForTests ?? false }),
    rateLimiter: createRateLimiter(store, now, rates === false ? null : rates === true ? {} : rates),
    sizes: sizesOf(limits),
    now,
    random,
    report,
    // Its own is quicker; pages on plain http have none.
    newId:
      options.random === undefined && 'randomUUID' in crypto ? () => crypto.randomUUID() : () => newUuid(random(16)),
    async countryOf(address) {
      if (address === undefined || resolveCountry === undefined) return tokenDefaults.unknownCountry;
      try {
        const country = await resolveCountry(address);
        return country !== null && /^[A-Z]{2}$/.test(country) ? country : tokenDefaults.unknownCountry;
      } catch (error) {
        // A country is an extra: nobody is turned away for the want of it.
        report('resolveCountry failed.', error);
        return tokenDefaults.unknownCountry;
      }
    },
  };
}

function createGame(game: GameOptions): Game {
  return {
    id: game.id.toLowerCase(),
    keys: createGameKeys(game.privateKeys),
    socialPlatforms: new Map(Object.entries(game.socialPlatforms ?? {})),
    identityProviders: (game.identityProviders ?? []).map(createIdentityProvider),
    accountMerge: game.accountMerge ?? true,
  };
}

/** A log that throws must not fail a request. */
function neverThrowing(log: Log): Log {
  return (record) => {
    try {
      log(record);
    } catch {
      // There is nobody left to tell.
    }
  };
}
