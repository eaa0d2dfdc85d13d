import { days, minutes } from './units.js';

/** Links, conflicts and accounts (Spec 3, 5.3). */
export const accountDefaults = {
  ticketTtlMs: minutes(10),
  orphanKeptMs: days(30),
  /** How long a text may be that is shown of a side of a conflict. */
  maxConflictFieldText: 256,
  maxConflictDifferences: 200,
  deletionGraceMs: days(30),
  snapshotKeptMs: days(30),
  /** Where there are more, those of a forced write or a mismatch go first, then the oldest. */
  maxSnapshotsPerAccount: 500,
  recoveryCodeBytes: 16,
} as const;
