import { base64url } from 'jose';
import { type Environment, isEnvironment } from '../protocol/environments.js';
import { accountDefaults } from '../protocol/gaps/accounts.js';
import { providerDefaults } from '../protocol/gaps/providers.js';
import { tokenDefaults } from '../protocol/gaps/tokens.js';
import { isUuid, newUuid } from '../protocol/ids.js';
import { restoreAccount } from './accounts/accounts.js';
import { createDeliveries } from './accounts/deliveries.js';
import { createPasswords } from './accounts/passwords.js';
import { createRateLimiter } from './accounts/rate-limits.js';
import { createExports } from './accounts/running-exports.js';
import { type ConsoleSession, endConsoleSession, hasConsoleSessionEnded } from './admin/console-sessions.js';
import { changeAs, findOperator, type Operator } from './admin/operators.js';
import { type Control, createControl, type ServiceControl } from './control.js';
import { createGameKeys, type Game } from './game.js';
import { type App, createApp } from './http/app.js';
import { createCors } from './http/cors.js';
import { createDoorRates } from './http/door-rates.js';
import { createAddressOf, createIsTrusted, isIpAddress } from './http/peer-address.js';
import { createServiceCore, type ServiceCore, type ServiceFetch } from './http/service-core.js';
import type { Log } from './log.js';
import { observedStore } from './observer.js';
import { type BackendOptions, checkOptions, type GameOptions, sizesOf } from './options.js';
import { platformPresets } from './platforms/presets.js';
import { askOutside } from './providers/ask-outside.js';
import { createIdentityProvider } from './providers/identity-tokens.js';
import { createTokenChecks } from './providers/token-checks.js';
import { createPseudonyms } from './pseudonyms.js';
import { quotasOf } from './quotas.js';
import { ratesOf } from './rates.js';
import { createConfigured } from './registry/configured.js';
import { createGuardedFetch } from './registry/guarded-fetch.js';
import { createPlatformRegistry } from './registry/registry.js';
import { createSealer } from './registry/sealing.js';
import { createRetention, type Retention } from './retention.js';
import { handlers } from './routes/handlers.js';
import type { Service } from './service.js';
import { createTokens } from './sessions/tokens.js';
import { pauseOfProcess, slicesOfProcess } from './slices.js';
import { createMemoryStore } from './stores/memory/store.js';
import type { Store } from './stores/store.js';
import { deliverToGame, deliverWebhooks, toldGames } from './webhooks/deliverer.js';
import { notifiedStore } from './webhooks/notified-store.js';
import { createWebhookQueues } from './webhooks/queues.js';
import { createWebhook } from './webhooks/webhook.js';
import { createWholeReads } from './whole-reads.js';

/** The whole service, in one object. */
export interface Backend {
  /**
   * Answers a request. `from.address` is the peer's address: rate limits count by it, and the country is looked up for
   * it; without it nothing is limited by address. It rejects only where `control` plans that no answer comes, with the
   * TypeError of a lost connection.
   */
  readonly fetch: ServiceFetch;
  /**
   * The same service without a Response for each answer, for the HTTP port and the command line of this package.
   *
   * @internal
   */
  readonly core: ServiceCore;
  /**
   * How much is to be done, for the metrics of this package.
   *
   * @internal
   */
  load(): ServiceLoad;
  /**
   * The operator whose key this is, for the console of this package; null where it is nobody's.
   *
   * @internal
   */
  findOperator(key: string): Promise<Operator | null>;
  /**
   * Notes in the audit log that an operator has signed in to the console, for the command line of this package. Refuses
   * with `unauthorized` where the key is nobody's any more.
   *
   * @internal
   */
  noteSignIn(operator: Operator, from: string | null): Promise<void>;
  /**
   * The sessions of the console that were signed out, for all processes over one store, for the command line of this package.
   *
   * @internal
   */
  readonly consoleSessions: {
    end(session: ConsoleSession): Promise<void>;
    hasEnded(id: string): Promise<boolean>;
  };
  /**
   * The same service with other options, over the same store and by the same clock, for the command line of this
   * package. What this one has begun it ends as it was asked to; what is counted, waits or is hashed counts for both.
   * Throws TypeError naming the option that is wrong.
   *
   * @internal
   */
  reconfigured(options: BackendOptions): Backend;
  /** Moves the service's clock, makes its requests fail and shows them, in tests and demos. */
  readonly control: Control;
  /**
   * Prepares the signing keys, so that the first request need not wait for them. Rejects where a key cannot be read.
   */
  ready(): Promise<void>;
  /**
   * Removes everything that has expired, and answers how many records. While requests come, the service does this by
   * itself in small steps, once in a minute.
   */
  sweep(): Promise<number>;
  /**
   * Tells the games' back ends, by their webhooks, what has happened to accounts and is due, and answers how many
   * events were delivered. `savepoint serve` calls this every second; whoever runs the service in another way
   * calls it as often. Where `signal` aborts, nothing more is begun. It settles when the slowest back end has
   * answered or taken too long, 10 s.
   */
  deliverWebhooks(signal?: AbortSignal): Promise<number>;
  /**
   * The games that have a webhook, and the same for one of them, for the command line of this package.
   *
   * @internal
   */
  readonly webhooks: { games(): string[]; deliver(gameId: string, signal?: AbortSignal): Promise<number> };
  /**
   * Makes a device lead to an account that its player has lost or deleted, for operators. Sessions that came from the
   * device end in the account that it led to before; where that was the last way into it, all of its sessions end, and
   * it can be restored in the same way for 30 days. False where the account has been removed for good, which is done
   * after 30 days. Rejects with TypeError naming the member that is wrong.
   */
  restoreAccount(request: RestoreRequest): Promise<boolean>;
}

/** How much is to be done. */
export interface ServiceLoad {
  /** Passwords that are hashed at this moment, and those that wait for it. */
  passwords: { running: number; waiting: number };
  /** For how long there has been more to remove than the service has removed, in ms; 0 where nothing is left. */
  retentionBacklogMs: number;
  /** Codes that the game delivers at this moment, and those that wait for it. */
  deliveries: number;
  /** Events of each game with a webhook, by the game's id, as they were counted last. */
  webhooks: { gameId: string; waiting: number; oldestAgeMs: number; dead: number; lost: number }[];
}

/** Which account an operator gives back, and to which device. */
export interface RestoreRequest {
  /** The game's id, a UUID. */
  gameId: string;
  /** 0 is Development, 1 Stage, 2 Production. */
  environment: Environment;
  /** The player's user id, a UUID. */
  userId: string;
  /** The device id that the player's client has. */
  deviceId: string;
}

/**
 * Makes the whole service as one `fetch`, to be called in tests, put behind MSW, or served by `serve`. All state is in
 * the object and its store: two back ends in one process are two services. Throws TypeError naming the option that is
 * wrong.
 *
 * @example
 * const backend = createBackend({ games: [{ id: crypto.randomUUID(), privateKeys: ['a-secret-of-the-game'] }] });
 * const answer = await backend.fetch(new Request('http://localhost/openapi.json'));
 */
export function createBackend(options: BackendOptions): Backend {
  return createFrom(options, null);
}

/** What a service keeps when its options change. */
interface Kept {
  options: BackendOptions;
  service: Service;
  serviceControl: ServiceControl;
  retention: Retention;
}

function createFrom(options: BackendOptions, kept: Kept | null): Backend {
  checkOptions(options);
  const serviceControl =
    kept?.serviceControl ??
    createControl(options.clock ?? Date.now, { recordRequests: options.recordRequests ?? true, draw: drawOf(options) });
  const { now } = serviceControl.control;
  const log = neverThrowing(options.log ?? (() => {}));
  const made = createService(options, { now, log, kept });
  const bare = kept === null ? made : { ...made, ...whatGoesOn(kept, options) };
  // Games that have a webhook now, and not those that had one before.
  const service = { ...bare, store: notifiedStore(bare.store, bare) };
  const isTrusted = createIsTrusted(options.trustedProxies ?? []);
  const app = createApp({
    service,
    handlers,
    serviceControl,
    cors: createCors({
      every: options.allowedOrigins ?? [],
      of: new Map(options.games.map(({ id, allowedOrigins = [] }) => [id.toLowerCase(), allowedOrigins])),
    }),
    log,
    observer: options.observer,
    isTrusted,
    addressOf: createAddressOf(isTrusted, (address) => {
      const message =
        'X-Forwarded-For comes from a peer that is no trusted proxy: if it is yours, name it (trustedProxies), or all players behind it count as one address.';
      log({ kind: 'warning', time: now(), code: 'untrusted_proxy', message, address });
    }),
  });
  const retention = kept?.retention ?? createRetention({ service, log });
  retention.follow({ service, log });
  const sweeping: App = async (request, arrival) => {
    if (retention.isDue()) await retention.sometimes();
    return app(request, arrival);
  };

  const core = createServiceCore(sweeping, isTrusted);
  return {
    control: serviceControl.control,
    fetch: core.fetch,
    core,
    reconfigured: (others) => createFrom(others, { options, service: bare, serviceControl, retention }),
    load: () => ({
      passwords: service.passwords.load(),
      retentionBacklogMs: retention.backlogMs(),
      deliveries: service.deliveries.load(),
      webhooks: webhooksOf(service),
    }),
    findOperator: (key) => findOperator(service, key),
    async noteSignIn(operator, from) {
      await changeAs(service, operator, { action: 'signInToConsole', change: 'noteSignIn', request: { from } });
    },
    consoleSessions: {
      end: (session) => endConsoleSession(service, session),
      hasEnded: (id) => hasConsoleSessionEnded(service, id),
    },
    async ready() {
      await service.tokens.publicKeys();
    },
    sweep: retention.all,
    deliverWebhooks: (signal) => deliverWebhooks(service, signal),
    webhooks: {
      games: () => toldGames(service),
      deliver: (gameId, signal) => deliverToGame(service, gameId, signal),
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

/** Of the games that have a webhook now. */
function webhooksOf({ games, webhookQueues, now }: Service): ServiceLoad['webhooks'] {
  return [...webhookQueues.seen()]
    .filter(([gameId]) => games.get(gameId)?.webhook != null)
    .map(([gameId, { waiting, oldestAt, dead, lost }]) => {
      return { gameId, waiting, oldestAgeMs: oldestAt === null ? 0 : Math.max(0, now() - oldestAt), dead, lost };
    });
}

/** What runs and what is counted must not begin anew with new options, or a reload would let everybody begin anew. */
function whatGoesOn({ service, options: former }: Kept, options: BackendOptions): Partial<Service> {
  const { store, random, newId, passwords, exports, wholeReads, doorRates, tokenChecks } = service;
  const same = { store, random, newId, passwords, exports, wholeReads };
  // Other rates count from now on: how much of them is used up, the former ones do not tell.
  const areSameRates = JSON.stringify(countedBy(former)) === JSON.stringify(countedBy(options));
  return areSameRates ? { ...same, doorRates, tokenChecks } : same;
}

function countedBy({ limits }: BackendOptions): unknown {
  return [ratesOf(limits?.rates), limits?.tokenChecksAtOnce, limits?.tokenChecksAtOncePerAddress];
}

function createService(
  options: BackendOptions,
  { now, log, kept }: { now: () => number; log: Log; kept: Kept | null },
): Service {
  const { observer } = options;
  const store = kept?.service.store ?? openedStore(options);
  const random = options.random ?? ((size) => crypto.getRandomValues(new Uint8Array(size)));
  const { resolveCountry, limits } = options;
  const rates = ratesOf(limits?.rates);
  const pause = pauseOfProcess;
  const report = (message: string, error: unknown): void => {
    const name = error instanceof Error ? error.name : 'Error';
    log({ kind: 'error', time: now(), requestId: null, name, message, stack: null });
  };
  return {
    store,
    games: new Map(
      options.games.map((game, index) => [game.id.toLowerCase(), createGame(game, `games[${index}]`, options)]),
    ),
    registry: createRegistry(options, { store, random, now, report, former: kept?.service.registry }),
    decoyKeys: createGameKeys(['nobody has this key']),
    firstOperatorKey: createGameKeys(options.operatorKey === undefined ? [] : [options.operatorKey]),
    tokens: createTokens({
      signingKey: options.signingKey,
      formerSigningKeys: options.formerSigningKeys ?? [],
      issuer: options.issuer ?? 'savepoint',
    }),
    passwords: createPasswords({ random, insecureFast: options.insecureFastPasswordsForTests ?? false }),
    rateLimiter: createRateLimiter(store, now, rates),
    deliveries: createDeliveries(options.deliver, { pause, report }),
    doorRates: createDoorRates(rates),
    tokenChecks: createTokenChecks(rates, now, {
      atOnce: limits?.tokenChecksAtOnce ?? providerDefaults.checksAtOnce,
      atOncePerLine: limits?.tokenChecksAtOncePerAddress ?? providerDefaults.checksAtOncePerAddress,
      waiting: providerDefaults.checksWaiting,
      names: { waiting: 'checksWaiting' },
    }),
    sizes: sizesOf(limits),
    quotas: quotasOf(limits?.quotas),
    verifierMs: limits?.verifierMs ?? providerDefaults.verifierMs,
    recentAuthenticationMs: limits?.recentAuthenticationMs ?? accountDefaults.recentAuthenticationMs,
    webhookQueues: createWebhookQueues(store, now),
    exports: createExports(now),
    wholeReads: createWholeReads(pause),
    pause,
    slices: slicesOfProcess,
    now,
    random,
    // Nobody reads the names where nobody watches.
    pseudonymOf:
      options.log === undefined && observer === undefined
        ? () => null
        : createPseudonyms(() => options.signingKey?.d ?? base64url.encode(random(32))),
    happened: (event) => observer?.happened(event),
    report,
    // The runtime's own is quicker; a page on plain http has none.
    newId:
      options.random === undefined && 'randomUUID' in crypto ? () => crypto.randomUUID() : () => newUuid(random(16)),
    async countryOf(address) {
      // A signed request says whatever its sender has written.
      const isKnown = address !== undefined && isIpAddress(address);
      if (!isKnown || resolveCountry === undefined) return tokenDefaults.unknownCountry;
      try {
        const country = await askOutside(limits?.countryMs ?? providerDefaults.countryMs, () =>
          resolveCountry(address),
        );
        return country !== null && /^[A-Z]{2}$/.test(country) ? country : tokenDefaults.unknownCountry;
      } catch (error) {
        // Nobody is refused because the country is not known.
        report('resolveCountry failed.', error);
        return tokenDefaults.unknownCountry;
      }
    },
  };
}

function createRegistry(
  { platformPresets: presets = platformPresets, platformFetch: fetch, ...options }: BackendOptions,
  {
    random,
    ...rest
  }: Pick<Service, 'store' | 'random' | 'now' | 'report'> & { former: Service['registry'] | undefined },
): Service['registry'] {
  const rules = { allowPrivateAddresses: options.allowPrivateAddresses ?? false };
  const surroundings = { fetch: createGuardedFetch(rules, { fetch }) };
  return createPlatformRegistry({ presets, sealer: createSealer(options, random), rules, surroundings, ...rest });
}

function createGame(
  game: GameOptions,
  at: string,
  { platformPresets: presets = platformPresets, platformFetch: fetch }: BackendOptions,
): Game {
  const configured = createConfigured(game.platforms ?? {}, `${at}.platforms`, {
    presets,
    surroundings: fetch === undefined ? {} : { fetch },
  });
  const social = [...configured.values()].filter(({ preset }) => preset.kind === 'social');
  for (const name of configured.keys()) {
    if (game.socialPlatforms === undefined || !Object.hasOwn(game.socialPlatforms, name)) continue;
    throw new TypeError(`${at}.platforms.${name} must have a name that none of socialPlatforms has`);
  }
  return {
    id: game.id.toLowerCase(),
    keys: createGameKeys(game.privateKeys),
    socialPlatforms: new Map([
      ...Object.entries(game.socialPlatforms ?? {}),
      ...social.map(({ name, check }) => [name, check.verify.bind(check)] as const),
    ]),
    identityProviders: (game.identityProviders ?? []).map(createIdentityProvider),
    configured,
    accountMerge: game.accountMerge ?? true,
    webhook: game.webhook === undefined ? null : createWebhook(game.webhook),
  };
}

function openedStore({ store = createMemoryStore(), observer }: BackendOptions): Store {
  return observer === undefined ? store : observedStore(store, observer);
}

/** A number from 0 up, less than 1, for shares of requests. */
function drawOf({ random }: BackendOptions): () => number {
  if (random === undefined) return Math.random;
  return () => new DataView(random(4).slice().buffer).getUint32(0) / 2 ** 32;
}

/** The same log, but what it throws is ignored: it must not make a request fail. */
function neverThrowing(log: Log): Log {
  return (record) => {
    try {
      log(record);
    } catch {
      // There is no other place to report it.
    }
  };
}
