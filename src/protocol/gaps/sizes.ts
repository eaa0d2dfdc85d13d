/** Sizes that the SDKs check before they send (docs/interface.md#limits). */
export const sizes = {
  valueBytes: 150 * 1024,
  jsonDepth: 32,
  entryNameBytes: 128,
  entriesPerCollection: 2_000,
  deviceIdLength: { min: 6, max: 128 },
  /** How many fields a game can ask to see of each side of a conflict. */
  maxConflictFields: 32,
} as const;
