import type { JsonObject } from '../protocol/messages.js';

/**
 * How a field is merged when two devices have changed it.
 *
 * | rule | result | for |
 * |---|---|---|
 * | `max`, `min` | the greater or the smaller number | numbers |
 * | `sum` | what all devices have added and subtracted, each change counted once | numbers |
 * | `union` | the members of both lists without duplicates, less what either side has removed | lists |
 * | `latest` | the value that was set last, by the service's clock | any value |
 * | `keepLocal`, `keepCloud` | the value of that side, whatever the other one holds | any value |
 *
 * A field of another kind than its rule is for is merged as one without a rule: whichever side changed it counts, and
 * the cloud's value where both did.
 *
 * @see docs/interface.md#profile-entry
 */
export type RuleName = 'max' | 'min' | 'sum' | 'union' | 'latest' | 'keepLocal' | 'keepCloud';

/** When fields were set, by their paths (`stats/name`): by the service's clock, in ms since 1970. */
export interface FieldTimes {
  readonly [path: string]: number;
}

/**
 * The three values of one field that a game's own function merges.
 *
 * @see docs/interface.md#profile-entry
 */
export interface FieldSides {
  /** The value that both sides started from; undefined where it was absent, and where two accounts are merged. */
  readonly base: unknown;
  /** The value on this device; undefined where it is absent. */
  readonly local: unknown;
  /** The value that the service has; undefined where it is absent. */
  readonly cloud: unknown;
}

/**
 * Merges one field: returns its value, or undefined to leave the field out. It must be pure, because it is called again
 * with newer values when another write comes first.
 *
 * @example
 * ```ts
 * const longest: FieldMerge = ({ local, cloud }) =>
 *   String(local ?? '').length > String(cloud ?? '').length ? local : cloud;
 * ```
 *
 * @see docs/interface.md#profile-entry
 */
export type FieldMerge = (sides: FieldSides) => unknown;

/**
 * The rules of an entry, by field: a rule's name, a function, or the rules of a nested object. A field without a rule
 * takes the value of whichever side changed it, and the cloud's where both did.
 *
 * @example
 * ```ts
 * const rules: FieldRules = { level: 'max', coins: 'sum', items: 'union', settings: { volume: 'latest' } };
 * ```
 *
 * @see docs/interface.md#profile-entry
 */
export interface FieldRules {
  /** The rule of the field with this name. */
  readonly [field: string]: RuleName | FieldMerge | FieldRules;
}

/**
 * What a merge policy gets of one entry: its value on both sides, and the one that both started from.
 *
 * @see docs/interface.md#profile-entry
 */
export interface ValueSides {
  /** The value that both sides started from; null where two accounts are merged, which have no common past. */
  readonly base: JsonObject | null;
  /** The value on this device. */
  readonly local: JsonObject;
  /** The value that the service has. */
  readonly cloud: JsonObject;
}

/**
 * Merges a whole entry at once: `highestProgress`, `longestPlaytime`, or a function of the game. It must return a plain
 * object, and be pure, because it is called again with newer values when another write comes first.
 *
 * @see docs/interface.md#profile-entry
 */
export type MergePolicy = (sides: ValueSides) => JsonObject;

/**
 * How the entries of a collection are merged when two devices have changed them: by field, or each as a whole. All
 * devices and the back end must use the same rules.
 *
 * @see docs/interface.md#profile-entry
 */
export type MergeRules = FieldRules | MergePolicy;
