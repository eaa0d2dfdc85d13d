/** Versions of an entry (Spec 2.1, 2.2). */

/** Writes whatever is stored, creates what is absent. */
export const force = -1;
export const first = 0;
export const max = Number.MAX_SAFE_INTEGER - 1;
