import { saveLimits } from './save-limits.js';
import { mebibytes } from './units.js';

/**
 * How much an account may hold (docs/interface.md#limits). What is written beyond a quota is refused with
 * `quota_exceeded`; of devices and sessions the one longest unused goes, of snapshots the oldest.
 */
export const quotaDefaults = {
  /** The bytes of all values together, with the times that devices keep beside them, as JSON in UTF-8. */
  values: mebibytes(10),
  /** How many entries a collection may have. */
  entries: saveLimits.entries,
  collections: saveLimits.collections,
  snapshots: 200,
  /** The same of all snapshots together. */
  snapshotBytes: mebibytes(20),
  devices: 50,
  sessions: 50,
} as const;

/**
 * A merge and the return of a snapshot may take an account to so many times its quotas, so that any two accounts within
 * them can become one. What comes later may not make it grow.
 */
export const quotaFactorOfMerges = 2;

/** What an account has a quota of. */
export type QuotaName = keyof typeof quotaDefaults;
