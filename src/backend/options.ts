import type { JWK } from 'jose';
import { serviceSizes } from '../protocol/gaps/service-sizes.js';
import { signingDefaults } from '../protocol/gaps/signing.js';
import { sizes } from '../protocol/gaps/sizes.js';
import { isUuid } from '../protocol/ids.js';
import type { RateLimits } from './accounts/rate-limits.js';
import type { AllowedOrigins } from './http/cors.js';
import type { TrustedProxies } from './http/peer-address.js';
import type { Log } from './log.js';
import type { IdentityProviderOptions } from './providers/identity-tokens.js';
import { arePublicKeys } from './providers/provider-keys.js';
import type { SocialVerifier } from './providers/social.js';
import type { Sizes } from './service.js';
import type { Store } from './stores/store.js';

/** A game that the service keeps players for. */
export interface GameOptions {
  /** A UUID; compared in lower case. */
  id: string;
  /** One key, or two while the old one is replaced by the new. */
  privateKeys: readonly string[];
  /** Social networks by the name that clients use. */
  socialPlatforms?: { readonly [name: string]: SocialVerifier };
  identityProviders?: readonly IdentityProviderOptions[];
  /** False where two accounts must not be merged: throw-away guests could mint coins. True by default. */
  accountMerge?: boolean;
  /** Pages that may call the player's endpoints, besides those of the service's own `allowedOrigins`. */
  allowedOrigins?: AllowedOrigins;
}

export interface BackendLimits extends Partial<Sizes> {
  /** Off by default; `true` for the defaults, or some of them otherwise. */
  rates?: boolean | RateLimits;
}

export interface BackendOptions {
  games: readonly GameOptions[];
  /** Where everything is kept; in memory by default. */
  store?: Store;
  /** A private EC P-256 JWK. Without one, a new key is made: tokens then end with the process. */
  signingKey?: JWK;
  /**
   * Former signingDefaults keys, whose tokens are still good: refresh tokens by a private JWK (they live for 30 days), access
   * tokens by a public one too (an hour). New tokens are signed by `signingKey`, which must be given as well.
   */
  formerSigningKeys?: readonly JWK[];
  /** ms since 1970; `Date.now` by default. */
  clock?: () => number;
  /** That many random bytes, fit for secrets. */
  random?: (size: number) => Uint8Array;
  limits?: BackendLimits;
  /** The ISO 3166-1 alpha-2 country of an address, or null. */
  resolveCountry?: (address: string) => string | null | Promise<string | null>;
  /** Pages that may call the player's endpoints; none by default. */
  allowedOrigins?: AllowedOrigins;
  /** The tokens' `iss`; `savepoint` by default. */
  issuer?: string;
  /** Peers whose X-Forwarded-For is believed; none by default. */
  trustedProxies?: TrustedProxies;
  log?: Log;
  /** Hashes passwords in one round, which protects nothing. */
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
  for (const name of ['clock', 'random', 'resolveCountry', 'log'] as const) {
    requireOption(options[name] === undefined || typeof options[name] === 'function', name, 'a function');
  }
  checkOrigins(options.allowedOrigins, 'allowedOrigins');
  requireOption(options.issuer === undefined || isText(options.issuer), 'issuer', 'a text');
  const { trustedProxies } = options;
  requireOption(
    trustedProxies === undefined || typeof trustedProxies === 'function' || isListOfText(trustedProxies),
    'trustedProxies',
    'a list of addresses or a function',
  );
  requireOption(limits === undefined || isObject(limits), 'limits', 'an object');
  checkRates(limits?.rates);
  for (const name of sizeNames) {
    const size = limits?.[name];
    requireOption(size === undefined || isPositive(size), `limits.${name}`, 'an integer from 1 up');
  }
}

const sizeNames = ['valueBytes', 'requestBytes', 'mergeRequestBytes', 'entriesPerCollection', 'noncesPerGame'] as const;

export function sizesOf(limits: BackendLimits = {}): Sizes {
  return {
    valueBytes: limits.valueBytes ?? sizes.valueBytes,
    requestBytes: limits.requestBytes ?? serviceSizes.requestBytes,
    mergeRequestBytes: limits.mergeRequestBytes ?? serviceSizes.mergeRequestBytes,
    entriesPerCollection: limits.entriesPerCollection ?? serviceSizes.entriesPerCollection,
    noncesPerGame: limits.noncesPerGame ?? signingDefaults.maxNoncesPerGame,
  };
}

function checkRates(rates: BackendLimits['rates']): void {
  if (rates === undefined || typeof rates === 'boolean') return;
  requireOption(isObject(rates), 'limits.rates', 'true, false or an object');
  for (const name of ['wrongPasswordsPerAccount', 'wrongPasswordsPerAddress', 'accountsPerAddress'] as const) {
    const rate = rates[name];
    const isRate = rate === undefined || (isObject(rate) && [rate.tries, rate.windowMs].every(isPositive));
    requireOption(isRate, `limits.rates.${name}`, '{ tries, windowMs }, integers from 1 up');
  }
  const { lockMaxMs } = rates;
  requireOption(lockMaxMs === undefined || isPositive(lockMaxMs), 'limits.rates.lockMaxMs', 'an integer from 1 up');
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
}

function checkProvider(provider: IdentityProviderOptions, at: string): void {
  requireOption(isObject(provider), at, 'an identity provider');
  const { issuer, audience, keys, fetch, timeoutMs } = provider;
  requireOption(isText(issuer), `${at}.issuer`, 'a text');
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
    origins === undefined || typeof origins === 'function' || (isListOfText(origins) && origins.every(isOrigin));
  requireOption(
    isRight,
    option,
    'a function, or a list of origins such as https://game.example, without a slash at the end',
  );
}

function isPrivateKey(key: JWK): boolean {
  return isFormerKey(key) && isText(key.d);
}

function isFormerKey(key: JWK): boolean {
  const isPublic = isObject(key) && key.kty === 'EC' && key.crv === 'P-256' && [key.x, key.y].every(isText);
  return isPublic && (key.d === undefined || isText(key.d));
}

/** As browsers write it: anything else would never match, and nobody would know. A frame in a sandbox is `null`. */
function isOrigin(text: string): boolean {
  return text === 'null' || /^[a-z][a-z\d+.-]*:\/\/[^/?#\sA-Z]+$/.test(text);
}

/** Such as an OpenID issuer is: no query and no fragment (OpenID Connect Discovery 1.0, 3). */
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
