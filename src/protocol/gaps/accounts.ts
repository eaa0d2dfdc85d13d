import { days, minutes } from './units.js';

/** Links, conflicts and accounts (docs/interface.md#states-and-transitions, docs/interface.md#client-authentication). */
export const accountDefaults = {
  ticketTtlMs: minutes(10),
  orphanKeptMs: days(30),
  /** How much of a text is shown in a conflict, in characters. */
  maxConflictFieldText: 256,
  maxConflictDifferences: 200,
  deletionGraceMs: days(30),
  snapshotKeptMs: days(30),
  /** Beyond this number, the snapshots of forced writes and mismatches are removed first, then the oldest ones. */
  maxSnapshotsPerAccount: 500,
  /** How long a player counts as recently authenticated, for what makes a lasting way into the account or ends it. */
  recentAuthenticationMs: minutes(15),
  recoveryCodeBytes: 16,
  /** How many exports of an account may run at once in a process. */
  exportsAtOnce: 2,
} as const;
