/** Sizes that the SDKs check before they send (docs/interface.md#limits). */
export const sizes = {
  valueBytes: 150 * 1024,
  /** How deep a value may be. */
  jsonDepth: 32,
  /** A key or the name of a collection, in UTF-8. */
  entryNameBytes: 128,
  /** The JSON of the times that a player's device keeps beside an entry. */
  entryTimesBytes: 4 * 1024,
  /** The length of a player's own device id, in characters. */
  deviceIdLength: { min: 6, max: 128 },
  /** How many fields a game can ask to see of each side of a conflict. */
  maxConflictFields: 32,
} as const;

/** The length of a new password, in characters. One that was imported may be shorter. */
export const passwordLength = { min: 8, max: 256 } as const;

/** The length of a code that a player gives, of any kind, in characters. */
export const codeLength = { min: 1, max: 64 } as const;

/** The length of the ticket by which a choice names its conflict, in characters. */
export const ticketLength = { min: 1, max: 256 } as const;

/** The length of a refresh token that is shown, in characters. */
export const refreshTokenLength = { min: 1, max: 4_096 } as const;
