import * as jose from 'jose';
import { type RequestJsonOptions, requestJson, UnusableAnswer } from '../../http/request-json.js';
import { providerDefaults } from '../../protocol/gaps/providers.js';
import { askOutside } from './ask-outside.js';

/**
 * Where somebody else's public keys come from: the set itself, its address, or a function that gets it. A set that was
 * got is used for 10 minutes, and for an hour where no newer one can be had.
 */
export type PublicKeys = jose.JSONWebKeySet | URL | string | (() => Promise<jose.JSONWebKeySet>);

export function arePublicKeys(keys: unknown): keys is PublicKeys {
  if (typeof keys === 'string') return URL.canParse(keys);
  if (typeof keys === 'function' || keys instanceof URL) return true;
  return typeof keys === 'object' && keys !== null && Array.isArray((keys as { keys?: unknown }).keys);
}

/** Finds the key that a token names, at a time of the service's clock. */
export interface ProviderKeys {
  at(now: number): jose.JWTVerifyGetKey;
  /**
   * Answers whether a wrong signature may be that of a newer key, by getting the keys again, at most every 30 s.
   * Without a key id (`kid`), in the token or in the set, nothing else shows that the keys have changed. Rejects with
   * KeysUnavailable where they cannot be had.
   */
  renewed(kid: unknown, now: number): Promise<boolean>;
}

/** The keys could not be had: that says nothing about the token. */
export class KeysUnavailable extends Error {
  constructor(cause: unknown) {
    super('The keys could not be had.', { cause });
    this.name = 'KeysUnavailable';
  }
}

/**
 * Public keys, held for ten minutes. Spec gap: a token that names an unknown key has them fetched again, by one request
 * for all who wait, and at most every 30 s, so that forged key ids cause no storm. While they cannot be had the held
 * ones stay in use for an hour; a token that names none of them is then neither accepted nor called wrong.
 */
export function createProviderKeys(keys: PublicKeys, options: RequestJsonOptions): ProviderKeys {
  if (typeof keys === 'object' && !(keys instanceof URL)) {
    const { find } = finderOf(keys);
    return { at: () => find, renewed: async () => false };
  }
  const { timeoutMs = providerDefaults.askTimeoutMs } = options;
  return createHeldKeys(
    typeof keys === 'function' ? () => askOutside(timeoutMs, keys) : () => fetchKeySet(new URL(keys), options),
  );
}

/**
 * The keys of an OpenID provider of which only the issuer is known. They are looked for again each time, since a
 * provider may move them.
 *
 * @see OpenID Connect Discovery 1.0, 4
 */
export function discoverProviderKeys(issuer: string, options: RequestJsonOptions): ProviderKeys {
  return createHeldKeys(async () => {
    const address = new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    const found = (await requestJson(address, {}, options)) as { issuer?: unknown; jwks_uri?: unknown } | null;
    // Letter for letter (4.3): who answers for somebody else's issuer could sign in as any of its players.
    if (found?.issuer !== issuer) throw new UnusableAnswer(200, 'is the configuration of another issuer');
    const url = typeof found.jwks_uri === 'string' && URL.canParse(found.jwks_uri) ? new URL(found.jwks_uri) : null;
    if (url === null || !(url.protocol === 'https:' || url.protocol === address.protocol)) {
      throw new UnusableAnswer(200, 'is a configuration without an address for the keys that can be trusted');
    }
    return fetchKeySet(url, options);
  });
}

async function fetchKeySet(url: URL, options: RequestJsonOptions): Promise<jose.JSONWebKeySet> {
  return (await requestJson(url, {}, options)) as jose.JSONWebKeySet;
}

interface KeyFinder {
  find: jose.JWTVerifyGetKey;
  /** Whether a token can name its key. */
  areNamed: boolean;
}

/**
 * A key that is there but cannot be read is trouble with the provider, not with the token. Keys without an id are tried
 * whatever id a token names.
 */
function finderOf(set: jose.JSONWebKeySet): KeyFinder {
  const findNamed = jose.createLocalJWKSet(set);
  const areNamed = set.keys.some(({ kid }) => kid !== undefined);
  return {
    areNamed,
    async find(header, token) {
      const { kid: _, ...unnamed } = header;
      try {
        return await findNamed(areNamed ? header : unnamed, token);
      } catch (error) {
        throw error instanceof jose.errors.JOSEError ? error : new KeysUnavailable(error);
      }
    },
  };
}

interface HeldKeys extends KeyFinder {
  fetchedAt: number;
}

function createHeldKeys(fetchKeys: () => Promise<jose.JSONWebKeySet>): ProviderKeys {
  let held: HeldKeys | null = null;
  let fetching: Promise<HeldKeys> | null = null;
  let lastTry: { at: number; failure: KeysUnavailable | null } = { at: Number.NEGATIVE_INFINITY, failure: null };

  async function fetchNow(now: number): Promise<HeldKeys> {
    try {
      held = { ...finderOf(await fetchKeys()), fetchedAt: now };
      lastTry = { at: now, failure: null };
      return held;
    } catch (cause) {
      const failure = new KeysUnavailable(cause);
      lastTry = { at: now, failure };
      throw failure;
    }
  }

  /** Within the pause the last try's outcome stands. */
  async function renew(now: number): Promise<HeldKeys> {
    if (fetching === null) {
      const pauseMs = lastTry.failure === null ? providerDefaults.keysPauseMs : providerDefaults.keysFailurePauseMs;
      if (now - lastTry.at < pauseMs) {
        if (lastTry.failure !== null) throw lastTry.failure;
        if (held !== null) return held;
      }
      fetching = fetchNow(now).finally(() => {
        fetching = null;
      });
    }
    return fetching;
  }

  async function current(now: number): Promise<HeldKeys> {
    if (held === null) return renew(now);
    const age = now - held.fetchedAt;
    if (age < providerDefaults.keysMaxAgeMs) return held;
    try {
      return await renew(now);
    } catch (failure) {
      if (age < providerDefaults.keysMaxStaleMs) return held;
      throw failure;
    }
  }

  return {
    at: (now) => async (header, token) => {
      const known = await current(now);
      try {
        return await known.find(header, token);
      } catch (error) {
        if (!(error instanceof jose.errors.JWKSNoMatchingKey)) throw error;
        const renewed = await renew(now);
        if (renewed === known) throw error;
        return renewed.find(header, token);
      }
    },
    async renewed(kid, now) {
      const known = held;
      if (kid !== undefined && known?.areNamed === true) return false;
      return (await renew(now)) !== known;
    },
  };
}
