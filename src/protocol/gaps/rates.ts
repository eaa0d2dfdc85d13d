import { hours, minutes } from './units.js';

/** Rate limits (docs/interface.md#limits). A back end in the process of a test has none, unless its options ask for them. */
export const rateDefaults = {
  wrongPasswordsPerAccount: { tries: 5, windowMs: minutes(1) },
  lockMaxMs: minutes(15),
  wrongPasswordsPerAddress: { tries: 10, windowMs: minutes(10) },
  guestsPerAddress: { tries: 30, windowMs: hours(1) },
} as const;
