import type { Environment } from '../protocol/environments.js';
import { equalBytes, importPrivateKey } from '../protocol/signing.js';
import { nodeCrypto } from './node-crypto.js';
import type { IdentityProvider } from './providers/identity-tokens.js';

/** What a token is checked for. */
export interface SocialContext {
  gameId: string;
  environment: Environment;
  /** The service's clock, ms since 1970. */
  now: number;
}

/**
 * Checks a social network's or a game portal's token: the player's id there, or null where the token does not hold.
 * Throw only where that could not be found out: the player is told to try again.
 */
export type SocialVerifier = (
  token: string,
  context: SocialContext,
) => Promise<{ id: string } | null> | { id: string } | null;

/** A game as the service knows it. */
export interface Game {
  id: string;
  keys: GameKeys;
  socialPlatforms: ReadonlyMap<string, SocialVerifier>;
  identityProviders: readonly IdentityProvider[];
  /** Whether two accounts may be merged. */
  accountMerge: boolean;
}

/** A game's private keys, prepared once. */
export interface GameKeys {
  /** Whether a Bearer token is one of them, in a time that does not tell. */
  accepts(token: string): Promise<boolean>;
  /** For signatures. */
  signing(): Promise<CryptoKey[]>;
}

export function createGameKeys(privateKeys: readonly string[]): GameKeys {
  let digests: Promise<Uint8Array[]> | undefined;
  let imported: Promise<CryptoKey[]> | undefined;
  return {
    async accepts(token) {
      digests ??= Promise.all(privateKeys.map(sha256));
      const digest = await sha256(token);
      // Every key is compared, so that the time does not say which one it was.
      return (await digests).map((known) => equalBytes(known, digest)).includes(true);
    },
    signing() {
      imported ??= Promise.all(privateKeys.map(importPrivateKey));
      return imported;
    },
  };
}

const node = nodeCrypto();

export async function sha256(text: string): Promise<Uint8Array> {
  if (node !== null) return node.createHash('sha256').update(text).digest();
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
