/** Versions of an entry (Spec 2.1, 2.2). */
export const versions = {
  /** An update with this version overwrites whatever is stored, and creates the entry if there is none. */
  force: -1,
  first: 0,
  max: Number.MAX_SAFE_INTEGER - 1,
} as const;
