import { hours, kibibytes, minutes, seconds } from './units.js';

/** Identity providers, game portals and social networks that a service asks. */
export const providerDefaults = {
  askTimeoutMs: seconds(5),
  answerBytes: kibibytes(256),
  keysMaxAgeMs: minutes(10),
  /** How long the held keys stay in use while new ones cannot be had. */
  keysMaxStaleMs: hours(1),
  /** The least time between two requests for keys, and after one that failed. */
  keysPauseMs: seconds(30),
  keysFailurePauseMs: seconds(5),
  /** Clocks of two houses are never the same. */
  clockToleranceMs: minutes(1),
} as const;
