import type { AccessClaims } from '../../protocol/player-messages.js';

/** Remembers what tokens said that were verified: the same text always says the same, only its time runs out. */
export interface VerifiedTokens {
  find(token: string): AccessClaims | undefined;
  add(token: string, claims: AccessClaims): void;
}

/** Two generations, so that it stays small without an order to keep: what was not asked for in a whole one is forgotten. */
export function createVerifiedTokens(perGeneration: number): VerifiedTokens {
  let young = new Map<string, AccessClaims>();
  let old = new Map<string, AccessClaims>();

  function add(token: string, claims: AccessClaims): void {
    if (young.size >= perGeneration) {
      old = young;
      young = new Map();
    }
    young.set(token, claims);
  }

  return {
    add,
    find(token) {
      const claims = young.get(token) ?? old.get(token);
      if (claims !== undefined && !young.has(token)) add(token, claims);
      return claims;
    },
  };
}
