import { type ConcurrencyLimit, type ConcurrencyOptions, createConcurrencyLimit } from '../concurrency-limit.js';
import { householdOf, lineOf } from '../household.js';
import { createRateTable } from '../rate-table.js';
import type { Rates } from '../rates.js';
import { Refusal, refuseWhile } from '../refusal.js';
import type { Scope } from '../stores/records.js';

/**
 * Checks the tokens of providers and networks: only so many at once, and none for an address with too many wrong ones.
 */
export interface TokenChecks {
  /**
   * Runs a check, which refuses with `invalid_credentials` what does not hold. `asks` names whom it asks
   * about this token: each of them has places of its own, so that one who is slow takes none of another's;
   * null where it asks nobody.
   */
  run<Result>(who: Checked, check: () => Promise<Result>): Promise<Result>;
  /** Counts a token that holds, for its player, who has an id at its provider. Refuses with `rate_limited`. */
  countPlayer(player: { scope: Scope; provider: string; id: string }): void;
}

interface Checked {
  /** The address of the player; undefined where it is not known. */
  address: string | undefined;
  /** Aborts when the player is gone. */
  signal?: AbortSignal | undefined;
  asks: string | null;
}

export function createTokenChecks(rates: Rates | null, now: () => number, places: ConcurrencyOptions): TokenChecks {
  const wrong = rates === null ? null : createRateTable(rates.wrongTokensPerAddress);
  const all = rates === null ? null : createRateTable(rates.tokensPerAddress);
  const ofPlayers = rates === null ? null : createRateTable(rates.tokensPerPlayer);
  const limits = new Map<string, ConcurrencyLimit>();

  function limitOf(asked: string): ConcurrencyLimit {
    const limit = limits.get(asked) ?? createConcurrencyLimit(places);
    limits.set(asked, limit);
    return limit;
  }

  async function counted<Result>(address: string | undefined, check: () => Promise<Result>): Promise<Result> {
    if (wrong === null || address === undefined) return check();
    const household = householdOf(address);
    refuseWhile(wrong.look(household, now()), 'wrongTokensPerAddress');
    try {
      return await check();
    } catch (error) {
      if (error instanceof Refusal && error.code === 'invalid_credentials') wrong.take(household, now());
      throw error;
    }
  }

  return {
    async run({ asks, address, signal }, check) {
      // Before the token waits for its turn.
      if (all !== null && address !== undefined) refuseWhile(all.take(householdOf(address), now()), 'tokensPerAddress');
      const run = () => counted(address, check);
      return asks === null ? run() : limitOf(asks)({ line: lineOf(address), signal }, run);
    },
    countPlayer({ scope: { gameId, environment }, provider, id }) {
      if (ofPlayers === null) return;
      refuseWhile(ofPlayers.take(JSON.stringify([gameId, environment, provider, id]), now()), 'tokensPerPlayer');
    },
  };
}
