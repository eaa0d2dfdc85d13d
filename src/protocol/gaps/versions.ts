/** Versions of an entry (docs/interface.md#profile-entry, docs/interface.md#entry-update-request). */
export const versions = {
  /** An update with this version overwrites whatever is stored, and creates the entry if there is none. */
  force: -1,
  first: 0,
  max: Number.MAX_SAFE_INTEGER - 1,
} as const;
