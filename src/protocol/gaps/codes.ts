import { days, minutes, seconds } from './units.js';

/** One-time codes, by which a player who has forgotten a password sets another one. */
export const codeDefaults = {
  /** How long a code counts that the game delivers. */
  codeTtlMs: minutes(10),
  /** How often such a code may be tried, of one in a million. */
  codeTries: 5,
  /** How long a code counts that an operator makes. Nobody can guess it: it has 80 random bits. */
  supportCodeTtlMs: days(1),
  supportCodeBytes: 10,
  /** How long the game may take to deliver a code. */
  deliverMs: seconds(30),
  /** How many codes a process has the game deliver at once. */
  deliveriesAtOnce: 16,
  /** How many of those may have been asked for by one address; the others wait for their turn. */
  deliveriesAtOncePerAddress: 4,
  /** How many more may wait; further ones are not delivered, and the log has that. */
  deliveriesWaiting: 1_000,
} as const;
