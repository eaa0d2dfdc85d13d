import type { Environment } from '../../protocol/environments.js';

/** For which player's request a social token is checked. */
export interface SocialContext {
  /** The game's id, in lower case. */
  gameId: string;
  /** 0 is Development, 1 Stage, 2 Production. */
  environment: Environment;
  /** The service's clock, in ms since 1970: check by it whether a token has expired. */
  now: number;
  /**
   * Aborts where the player is not waiting any more, because the verifier has taken too long: hand it on to `fetch`.
   */
  signal?: AbortSignal | undefined;
}

/** A player as a social network or a game portal knows them. */
export interface SocialPlayer {
  /** The player's id there, which must be the same each time, and never empty. */
  id: string;
}

/**
 * Checks the token of a social network or a game portal. It answers the player's id there, or null where the token does
 * not hold: the service then refuses with `invalid_credentials`. It should throw only where it could not find out, such
 * as when the network does not answer: the service then refuses with `unavailable`, and the client may try again. So it
 * does where the verifier has not settled after 8 s (`limits.verifierMs`).
 */
export type SocialVerifier = (
  token: string,
  context: SocialContext,
) => Promise<SocialPlayer | null> | SocialPlayer | null;
