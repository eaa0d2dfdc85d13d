import type { AccessClaims } from '../../protocol/player-messages.js';

/** Remembers the claims of tokens that were verified: a text always has the same claims, and only its time runs out. */
export interface VerifiedTokens {
  find(token: string): AccessClaims | undefined;
  add(token: string, claims: AccessClaims): void;
}

/** Keeps two generations, which needs no order: a token that nobody shows during a whole generation is forgotten. */
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
      const found = young.get(token);
      if (found !== undefined) return found;
      const claims = old.get(token);
      if (claims !== undefined) add(token, claims);
      return claims;
    },
  };
}
