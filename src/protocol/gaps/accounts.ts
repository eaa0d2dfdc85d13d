import { days, kibibytes, minutes, seconds } from './units.js';

/**
 * Links, conflicts and accounts (docs/interface.md#states-and-transitions, docs/interface.md#client-authentication).
 */
export const accountDefaults = {
  /** How long the choice in a conflict is open. */
  ticketTtlMs: minutes(10),
  /** How many tickets of conflicts an account may have: for one more the oldest goes, and its conflict is over. */
  ticketsPerAccount: 20,
  /** How long an account is kept that nothing leads to any more; longer where a session of it lives. */
  orphanKeptMs: days(30),
  /** How much of a text is shown in a conflict, in characters. */
  maxConflictFieldText: 256,
  /** How many entries that differ a conflict lists. */
  maxConflictDifferences: 200,
  /** How long the deletion of an account can be taken back. */
  deletionGraceMs: days(30),
  /** How long a snapshot is kept. */
  snapshotKeptMs: days(30),
  /** How long a player counts as recently authenticated, for what makes a lasting way into the account or ends it. */
  recentAuthenticationMs: minutes(15),
  /** How long a login method must have been linked beside an older one before it counts as a recent authentication. */
  newMethodMs: days(7),
  recoveryCodeBytes: 16,
  /** How many exports of an account may run at once in a process. */
  exportsAtOnce: 2,
  /** How many whole collections and profiles, each up to 10 MiB, a process reads at once. */
  wholeReadsAtOnce: 16,
  /** How many of those that were large the last time it reads at once beside these, with a rest before each. */
  largeReadsAtOnce: 4,
  /** From how many bytes on one of them is large. */
  largeReadBytes: kibibytes(256),
  /** How many of them a process remembers. */
  largeReadersKnown: 10_000,
  /** How many of those may be of one account; the others wait for their turn. */
  wholeReadsAtOncePerAccount: 2,
  /** How many may wait; further ones are answered with `unavailable` and a wait of a second. */
  wholeReadsWaiting: 1_000,
  /**
   * How long each of them may wait before it is answered so: a silent database must not keep them
   * for as long as it likes.
   */
  wholeReadsWaitMs: seconds(10),
} as const;
