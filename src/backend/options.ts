import type { JWK } from 'jose';
import { operatorDefaults } from '../protocol/gaps/operators.js';
import { serviceSizes } from '../protocol/gaps/service-sizes.js';
import { signingDefaults } from '../protocol/gaps/signing.js';
import { sizes } from '../protocol/gaps/sizes.js';
import { webhookDefaults } from '../protocol/gaps/webhooks.js';
import { isUuid } from '../protocol/ids.js';
import type { Deliver } from './accounts/deliveries.js';
import { type AllowedOrigins, isOriginEntry } from './http/cors.js';
import type { TrustedProxies } from './http/peer-address.js';
import type { Log } from './log.js';
import type { Observer } from './observer.js';
import type { PlatformPreset } from './platforms/preset.js';
import type { IdentityProviderOptions } from './providers/identity-tokens.js';
import { arePublicKeys } from './providers/provider-keys.js';
import type { SocialVerifier } from './providers/social.js';
import { type QuotaOptions, quotasOf } from './quotas.js';
import { type RateLimits, ratesOf } from './rates.js';
import type { PlatformOptions } from './registry/configured.js';
import { sealingProblem } from './registry/sealing.js';
import type { Sizes } from './service.js';
import type { Store } from './stores/store.js';
import { type WebhookOptions, webhookProblem } from './webhooks/webhook.js';

/** A game that the service keeps players for. */
export interface GameOptions {
  /** The game's id, a UUID. Upper and lower case are the same. */
  id: string;
  /**
   * The private keys by which the game's back end is known: one, or two while the new one replaces the old one. Any
   * text without white space around it.
   */
  privateKeys: readonly string[];
  /** What checks the tokens of social networks and game portals, by the name that clients use for the platform. */
  socialPlatforms?: { readonly [name: string]: SocialVerifier };
  /** The OpenID providers whose ID tokens players may sign in with. */
  identityProviders?: readonly IdentityProviderOptions[];
  /**
   * Social networks, game portals and identity providers by their presets, under the names that clients use for
   * them. Operators can register others while the service runs, but change none of these.
   * docs/operate/platforms.md has the presets.
   */
  platforms?: { readonly [name: string]: PlatformOptions };
  /**
   * Whether a player in a conflict may choose to merge both accounts; true by default. Say false where merging pays: a
   * cheater could make guests, and merge what each of them got for free.
   */
  accountMerge?: boolean;
  /**
   * Pages that may call the player's endpoints for this game, in addition to those of the service's own
   * `allowedOrigins`, which may call them for every game.
   */
  allowedOrigins?: AllowedOrigins;
  /**
   * Where the game's back end is told what happens to its players' accounts; nowhere by default.
   * docs/operate/webhooks.md has a receiver.
   */
  webhook?: WebhookOptions;
}

/** How much the service takes. A larger request is refused with `too_large`. */
export interface BackendLimits extends Partial<Sizes> {
  /** How much an account may hold. */
  quotas?: QuotaOptions;
  /**
   * How often passwords may be tried, accounts be made, and all else be asked: `true` for the defaults, or an object
   * that changes some of them. Off by default.
   */
  rates?: boolean | RateLimits;
  /**
   * How long the verifier of a social platform may take, in ms; 8,000 by default. Then the player is refused with
   * `unavailable`.
   */
  verifierMs?: number;
  /** How long `resolveCountry` may take, in ms; 1,000 by default. Then the country counts as unknown. */
  countryMs?: number;
  /**
   * How long a player counts as recently authenticated, in ms; 900,000 by default. To link a device by an access token,
   * to make a recovery code, to unlink a method, to delete the account and to unlink all that was linked since a moment is
   * refused with `reauthentication_required` where the player has shown a login method longer ago.
   */
  recentAuthenticationMs?: number;
  /** How many social tokens are checked at once by one platform, from 1 up; 100 by default. The others wait. */
  tokenChecksAtOnce?: number;
  /** How many of those are from one address, from 1 up; 10 by default. */
  tokenChecksAtOncePerAddress?: number;
}

/** What a service is made of; `games` alone must be given. */
export interface BackendOptions {
  /** The games that the service keeps players for; at least one. */
  games: readonly GameOptions[];
  /** Where everything is kept; in memory by default, until the process ends. */
  store?: Store;
  /**
   * The key that signs tokens, a private EC P-256 JWK. Without one, each start makes a new key, and every player has to
   * sign in again.
   */
  signingKey?: JWK;
  /**
   * Keys that signed tokens before `signingKey` did, as EC P-256 JWKs; none by default. While they are listed, the
   * tokens that they signed are accepted: refresh tokens, which live for 30 days, only by a private key; access tokens,
   * which live for an hour, by a public one too. New tokens are signed by `signingKey`, which must then be given.
   */
  formerSigningKeys?: readonly JWK[];
  /**
   * The first operator's key, which may do everything below `/v2/admin` and makes the other ones: 32 to 256
   * characters of printable ASCII without spaces, such as `savepoint new-key operator` makes. None by default; keys
   * that it has made count without it.
   */
  operatorKey?: string;
  /**
   * The key that seals the secrets of platforms that operators register: 32 bytes in base64url, such as
   * `savepoint new-key sealing` makes. Without one, platforms with secrets cannot be registered.
   */
  sealingKey?: string;
  /**
   * Keys that sealed before `sealingKey` did, at most 8; none by default. While they are listed, what
   * they sealed can be opened.
   */
  formerSealingKeys?: readonly string[];
  /** The presets of platforms that can be registered; all that this package has by default. */
  platformPresets?: readonly PlatformPreset[];
  /** Sends the requests of platforms with a preset; the global `fetch` by default. */
  platformFetch?: (request: Request) => Promise<Response>;
  /**
   * Whether a platform that an operator registers may lead to an address of a private network or of this machine, where
   * also http is allowed; false by default.
   */
  allowPrivateAddresses?: boolean;
  /** The clock, in ms since 1970; `Date.now` by default. */
  clock?: () => number;
  /** Gives `size` random bytes that are fit for secrets; `crypto.getRandomValues` by default. */
  random?: (size: number) => Uint8Array;
  /** How much the service takes, and how often. */
  limits?: BackendLimits;
  /**
   * The country of an address, as two letters of ISO 3166-1, or null where it is unknown. Answers carry it, and `ZZ`
   * where it is unknown, or this function throws or takes longer than a second.
   */
  resolveCountry?: (address: string) => string | null | Promise<string | null>;
  /**
   * Delivers a code to a player who has forgotten the password, or verifies an e-mail address, such as by a mail;
   * nobody by default: then no code is made, a player with a forgotten password is answered as always, and no address
   * can be verified. It is called after the answer. docs/accounts.md has an example.
   */
  deliver?: Deliver;
  /** Pages that may call the player's endpoints; none by default. */
  allowedOrigins?: AllowedOrigins;
  /** What tokens say who made them (`iss`); `savepoint` by default. Tokens of another issuer are refused. */
  issuer?: string;
  /** Peers whose header X-Forwarded-For is believed; none by default. */
  trustedProxies?: TrustedProxies;
  /** Takes the service's log; it is dropped by default. */
  log?: Log;
  /** Watches requests and the store, for metrics and traces; nobody by default. */
  observer?: Observer;
  /**
   * Keeps the last 1,000 requests, with what their bodies held, for `control.requests`; true by default. Say false in
   * production, as `savepoint serve` does: nobody looks at them there.
   */
  recordRequests?: boolean;
  /** Hashes passwords in one round, which protects nothing, so that tests are fast; false by default. */
  insecureFastPasswordsForTests?: boolean;
}

/** Throws TypeError naming the option that is wrong. */
export function checkOptions(options: BackendOptions): void {
  requireOption(isObject(options), 'options', 'an object');
  const { games, store, signingKey, limits } = options;
  requireOption(Array.isArray(games) && games.length > 0, 'games', 'a list of at least one game');
  const ids = new Set<string>();
  games.forEach((game, index) => {
    checkGame(game, `games[${index}]`);
    requireOption(!ids.has(game.id.toLowerCase()), `games[${index}].id`, 'of one game only');
    ids.add(game.id.toLowerCase());
  });
  requireOption(store === undefined || isObject(store), 'store', 'a store');
  requireOption(signingKey === undefined || isPrivateKey(signingKey), 'signingKey', 'a private EC P-256 JWK');
  const { formerSigningKeys = [] } = options;
  const areFormer = Array.isArray(formerSigningKeys) && formerSigningKeys.every(isFormerKey);
  requireOption(areFormer, 'formerSigningKeys', 'a list of EC P-256 JWKs');
  const points = new Set([signingKey, ...formerSigningKeys].map((key) => key?.x));
  requireOption(
    points.size === formerSigningKeys.length + 1,
    'formerSigningKeys',
    'other keys than signingKey, each once',
  );
  requireOption(
    formerSigningKeys.length === 0 || signingKey !== undefined,
    'signingKey',
    'given, where there are former ones',
  );
  const sealing = sealingProblem(options);
  if (sealing !== null) requireOption(false, sealing.option, sealing.what);
  const { platformPresets, allowPrivateAddresses: isOpen } = options;
  requireOption(
    platformPresets === undefined || Array.isArray(platformPresets),
    'platformPresets',
    'a list of presets',
  );
  requireOption(isOpen === undefined || typeof isOpen === 'boolean', 'allowPrivateAddresses', 'true or false');
  for (const name of ['clock', 'random', 'resolveCountry', 'deliver', 'log', 'platformFetch'] as const) {
    requireOption(options[name] === undefined || typeof options[name] === 'function', name, 'a function');
  }
  const { operatorKey } = options;
  const { min, max } = operatorDefaults.operatorKeyLength;
  const isKey =
    isText(operatorKey) && /^[!-~]+$/.test(operatorKey) && operatorKey.length >= min && operatorKey.length <= max;
  requireOption(
    operatorKey === undefined || isKey,
    'operatorKey',
    `${min} to ${max} printable characters without spaces`,
  );
  requireOption(options.observer === undefined || isObject(options.observer), 'observer', 'an observer');
  checkOrigins(options.allowedOrigins, 'allowedOrigins');
  const { recordRequests } = options;
  const isSwitch = recordRequests === undefined || typeof recordRequests === 'boolean';
  requireOption(isSwitch, 'recordRequests', 'true or false');
  requireOption(options.issuer === undefined || isText(options.issuer), 'issuer', 'a text');
  const { trustedProxies } = options;
  requireOption(
    trustedProxies === undefined || typeof trustedProxies === 'function' || isListOfText(trustedProxies),
    'trustedProxies',
    'a list of addresses or a function',
  );
  requireOption(limits === undefined || isObject(limits), 'limits', 'an object');
  ratesOf(limits?.rates);
  quotasOf(limits?.quotas);
  for (const name of [
    ...sizeNames,
    'verifierMs',
    'countryMs',
    'recentAuthenticationMs',
    'tokenChecksAtOnce',
    'tokenChecksAtOncePerAddress',
  ] as const) {
    const size = limits?.[name];
    requireOption(size === undefined || isPositive(size), `limits.${name}`, 'an integer from 1 up');
  }
}

const sizeNames = ['valueBytes', 'requestBytes', 'mergeRequestBytes', 'noncesPerGame', 'webhookEventsPerGame'] as const;

export function sizesOf(limits: BackendLimits = {}): Sizes {
  return {
    valueBytes: limits.valueBytes ?? sizes.valueBytes,
    requestBytes: limits.requestBytes ?? serviceSizes.requestBytes,
    mergeRequestBytes: limits.mergeRequestBytes ?? serviceSizes.mergeRequestBytes,
    noncesPerGame: limits.noncesPerGame ?? signingDefaults.maxNoncesPerGame,
    webhookEventsPerGame: limits.webhookEventsPerGame ?? webhookDefaults.eventsPerGame,
  };
}

function checkGame(game: GameOptions, at: string): void {
  requireOption(isObject(game), at, 'a game');
  requireOption(isUuid(game.id), `${at}.id`, 'a UUID');
  const keys: unknown = game.privateKeys;
  const isCount = Array.isArray(keys) && keys.length >= 1 && keys.length <= signingDefaults.maxActiveKeys;
  requireOption(isCount, `${at}.privateKeys`, `a list of 1 to ${signingDefaults.maxActiveKeys} keys`);
  for (const key of game.privateKeys) {
    requireOption(
      isText(key) && key.trim() === key,
      `${at}.privateKeys`,
      'keys without white space around them, not empty',
    );
  }
  const platforms = game.socialPlatforms ?? {};
  requireOption(isObject(platforms), `${at}.socialPlatforms`, 'an object');
  for (const [name, verify] of Object.entries(platforms)) {
    requireOption(typeof verify === 'function', `${at}.socialPlatforms.${name}`, 'a function');
  }
  const providers: unknown = game.identityProviders ?? [];
  requireOption(Array.isArray(providers), `${at}.identityProviders`, 'a list');
  game.identityProviders?.forEach((provider, index) => {
    checkProvider(provider, `${at}.identityProviders[${index}]`);
  });
  const { accountMerge } = game;
  requireOption(accountMerge === undefined || typeof accountMerge === 'boolean', `${at}.accountMerge`, 'true or false');
  checkOrigins(game.allowedOrigins, `${at}.allowedOrigins`);
  const problem = game.webhook === undefined ? null : webhookProblem(game.webhook);
  if (problem !== null) requireOption(false, `${at}.webhook${problem.option}`, problem.what);
}

function checkProvider(provider: IdentityProviderOptions, at: string): void {
  requireOption(isObject(provider), at, 'an identity provider');
  const { issuer, issuerAliases = [], audience, keys, fetch, timeoutMs } = provider;
  requireOption(isText(issuer), `${at}.issuer`, 'a text');
  requireOption(isListOfText(issuerAliases), `${at}.issuerAliases`, 'a list of texts');
  requireOption(
    isText(audience) || (isListOfText(audience) && audience.length > 0),
    `${at}.audience`,
    'a text or a list of texts',
  );
  requireOption(
    keys !== undefined || isWebAddress(issuer),
    `${at}.issuer`,
    'an http(s) address, where keys are not given',
  );
  requireOption(keys === undefined || arePublicKeys(keys), `${at}.keys`, 'a JWKS, its address or a function');
  requireOption(fetch === undefined || typeof fetch === 'function', `${at}.fetch`, 'a function');
  requireOption(timeoutMs === undefined || isPositive(timeoutMs), `${at}.timeoutMs`, 'an integer from 1 up');
}

function checkOrigins(origins: AllowedOrigins | undefined, option: string): void {
  const isRight =
    origins === undefined || typeof origins === 'function' || (isListOfText(origins) && origins.every(isOriginEntry));
  requireOption(
    isRight,
    option,
    'a function, or a list of origins such as https://game.example, without a slash at the end, or https://*.itch.zone',
  );
}

function isPrivateKey(key: JWK): boolean {
  return isFormerKey(key) && isText(key.d);
}

function isFormerKey(key: JWK): boolean {
  const isPublic = isObject(key) && key.kty === 'EC' && key.crv === 'P-256' && [key.x, key.y].every(isText);
  return isPublic && (key.d === undefined || isText(key.d));
}

/** What an OpenID issuer must be: an address without a query or a fragment (OpenID Connect Discovery 1.0, 3). */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^?#]+$/.test(text) && URL.canParse(text);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function requireOption(holds: boolean, option: string, what: string): void {
  if (!holds) throw new TypeError(`${option} must be ${what}`);
}
