import { days, seconds } from './units.js';

/** What the service writes into tokens and beside them, and how long it honours them (Spec 2.5, 5.2 item 8). */
export const tokenDefaults = {
  accessType: 'at+jwt',
  accessAlgorithm: 'ES256',
  /** How many access tokens a process remembers to have verified, twice over. */
  verifiedTokensHeld: 5_000,
  refreshIdleMs: days(30),
  refreshAbsoluteMs: days(365),
  refreshType: 'rt+jwt',
  /** How long a used refresh token is still honoured after its successor has been used. */
  refreshGraceMs: seconds(30),
  /** Opaque to the SDK; our back end answers this. */
  status: 0,
  unknownCountry: 'ZZ',
  /** Cache-Control max-age of the published keys. */
  jwksMaxAgeSeconds: 300,
} as const;
