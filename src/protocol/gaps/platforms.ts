import { kibibytes, seconds } from './units.js';

/** Platforms that operators register while the service runs (docs/operate/platforms.md). */
export const platformDefaults = {
  /** How many platforms a game may have registered in one environment. */
  platformsPerGame: 32,
  /** The length of the name of a platform, in characters. */
  platformNameLength: { min: 1, max: 64 },
  /** How large the settings of a platform may be together, as JSON. */
  platformSettingsBytes: kibibytes(32),
  /** How many texts a list in the settings of a platform may have. */
  platformListItems: 64,
  /** How long a process goes on with the platforms that it knows before it asks the store whether they have changed. */
  platformsLookMs: seconds(3),
  /** How long a player waits for the store to say so; then the platforms count that were known before. */
  platformsLookPatienceMs: seconds(1),
  /** How many keys that sealed secrets before a service may be given. */
  formerSealingKeys: 8,
} as const;
