/** Versions of an entry (Spec 2.1, 2.2). */
export const versions = {
  /** Writes whatever is stored, creates what is absent. */
  force: -1,
  first: 0,
  max: Number.MAX_SAFE_INTEGER - 1,
} as const;
