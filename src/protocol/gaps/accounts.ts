import { days, minutes } from './units.js';

/** Links, conflicts and accounts (docs/interface.md#states-and-transitions, docs/interface.md#client-authentication). */
export const accountDefaults = {
  /** How long the choice in a conflict is open. */
  ticketTtlMs: minutes(10),
  /** How long an account is kept that nothing leads to any more. */
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
  recoveryCodeBytes: 16,
  /** How many exports of an account may run at once in a process. */
  exportsAtOnce: 2,
} as const;
