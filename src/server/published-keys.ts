import { createLocalJWKSet, errors, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { InvalidAnswerError } from '../errors.js';
import type { Sender } from '../http/sender.js';
import { checkObject, list, objectMember, text } from '../protocol/answer-checks.js';
import * as accessTokens from '../protocol/gaps/access-tokens.js';
import { tokenDefaults } from '../protocol/gaps/tokens.js';
import { serviceOperations } from '../protocol/operations.js';
import type { Settings } from './options.js';

/** The least time between two requests for the keys, so that tokens with forged key ids cannot cause many requests. */
const coolDownMs = 30_000;

const keySetShape = checkObject<JSONWebKeySet>({ keys: list(objectMember<{ kty: string }>({ kty: text })) });

/** Finds the service's public key for a token; null where the service has no such key. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey | null>;

type HeldKeys = { find: ReturnType<typeof createLocalJWKSet>; loadedAt: number };

/**
 * Reads the service's published keys when they are first needed, and again when they are 300 s old or a token names an
 * unknown key. While the service cannot be reached, the held keys stay in use for as long as an access token lives:
 * after that, every token that they signed has expired.
 */
export function createPublishedKeys(settings: Settings, send: Sender): FindKey {
  const { now } = settings;
  let held: HeldKeys | null = null;
  let loading: Promise<HeldKeys> | null = null;
  let lastTry: { at: number; failure: unknown } = { at: Number.NEGATIVE_INFINITY, failure: null };

  return async (header, token) => {
    const current = await currentKeys();
    const found = await match(current, header, token);
    if (found !== null) return found;
    // An unknown key may be a new one. If the service cannot be asked, the call fails, and the token is not refused.
    return match(await reload(), header, token);
  };

  async function currentKeys(): Promise<HeldKeys> {
    if (held === null) return load();
    const age = now() - held.loadedAt;
    if (age < tokenDefaults.jwksMaxAgeSeconds * 1000) return held;
    try {
      return await reload();
    } catch (error) {
      if (age < accessTokens.accessTtlMs) return held;
      throw error;
    }
  }

  /** Reads the keys again; within the cool-down, the outcome of the last try is given once more. */
  async function reload(): Promise<HeldKeys> {
    if (loading === null && held !== null && now() - lastTry.at < coolDownMs) {
      if (lastTry.failure !== null) throw lastTry.failure;
      return held;
    }
    return load();
  }

  function load(): Promise<HeldKeys> {
    loading ??= fetchKeys().finally(() => {
      loading = null;
    });
    return loading;
  }

  async function fetchKeys(): Promise<HeldKeys> {
    const at = now();
    try {
      const url = settings.authUrl + serviceOperations.readPublicKeys.path;
      const answer = await send({
        method: 'GET',
        url,
        answer: keySetShape,
      });
      held = { find: createLocalJWKSet(answer), loadedAt: at };
      lastTry = { at, failure: null };
      return held;
    } catch (failure) {
      lastTry = { at, failure };
      throw failure;
    }
  }
}

async function match(keys: HeldKeys, header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey | null> {
  try {
    return await keys.find(header, token);
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return null;
    throw new InvalidAnswerError(200, 'A key that the service publishes cannot be used.');
  }
}
