import { days, seconds } from './units.js';

/**
 * What the service writes into its tokens and answers with them, and how long it accepts them
 * (docs/interface.md#server-authentication-response, docs/interface.md#signed-requests).
 */
export const tokenDefaults = {
  accessType: 'at+jwt',
  accessAlgorithm: 'ES256',
  /** How many verified access tokens a process remembers in each of two generations. */
  verifiedTokensHeld: 5_000,
  /** How long a refresh token lives that is not used. */
  refreshIdleMs: days(30),
  /** How long a session lives, however often its tokens are refreshed. */
  refreshAbsoluteMs: days(365),
  refreshType: 'rt+jwt',
  /** How long a used refresh token is still accepted after its successor has been used. */
  refreshGraceMs: seconds(30),
  /** A used refresh token that has this many successors is not accepted any more, however short the time was. */
  refreshSuccessors: 3,
  /**
   * How many successors in a row may be asked for once more after `refreshGraceMs`, the last of which ends the session:
   * lost answers come one by one, and a copy of the token asks each time.
   */
  refreshRepeats: 3,
  /** The status in every answer. The interface does not say what its values mean, and the SDKs do not read it. */
  status: 0,
  unknownCountry: 'ZZ',
  /** Cache-Control max-age of the published keys. */
  jwksMaxAgeSeconds: 300,
} as const;
