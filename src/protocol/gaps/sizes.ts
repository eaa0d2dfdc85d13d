/** Sizes that the SDKs check before they send (Spec 8). */

export const valueBytes = 150 * 1024;
export const jsonDepth = 32;
export const entryNameBytes = 128;
export const deviceIdLength = { min: 6, max: 128 } as const;
/** How many fields a game can ask to see of each side of a conflict. */
export const maxConflictFields = 32;
