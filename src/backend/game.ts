import { equalBytes, importPrivateKey } from '../protocol/signing.js';
import type { IdentityProvider } from './providers/identity-tokens.js';
import type { SocialVerifier } from './providers/social.js';
import type { ConfiguredPlatform } from './registry/configured.js';
import { sha256 } from './sha256.js';
import type { Webhook } from './webhooks/webhook.js';

/** A game as the service knows it. */
export interface Game {
  id: string;
  keys: GameKeys;
  socialPlatforms: ReadonlyMap<string, SocialVerifier>;
  identityProviders: readonly IdentityProvider[];
  /** The platforms that the configuration has by a preset, by name. The social ones are among `socialPlatforms` too. */
  configured: ReadonlyMap<string, ConfiguredPlatform>;
  /** Whether two accounts may be merged. */
  accountMerge: boolean;
  /** Where its back end is told what happens to accounts; null where it is not told. */
  webhook: Webhook | null;
}

/** A game's private keys, prepared once. */
export interface GameKeys {
  /**
   * Whether a Bearer token is one of the keys. The time that it takes does not tell which one, nor how close it came.
   */
  accepts(token: string): Promise<boolean>;
  /** The keys that signatures are checked with. */
  signing(): Promise<CryptoKey[]>;
}

export function createGameKeys(privateKeys: readonly string[]): GameKeys {
  let digests: Promise<Uint8Array[]> | undefined;
  let imported: Promise<CryptoKey[]> | undefined;
  return {
    async accepts(token) {
      digests ??= Promise.all(privateKeys.map(sha256));
      const digest = await sha256(token);
      // Every key is compared, so that the time does not tell which one it was.
      return (await digests).map((known) => equalBytes(known, digest)).includes(true);
    },
    signing() {
      imported ??= Promise.all(privateKeys.map(importPrivateKey));
      return imported;
    },
  };
}
