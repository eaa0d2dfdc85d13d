import type { JsonObject } from '../protocol/messages.js';

/**
 * How a field is merged when two devices changed it.
 *
 * | rule | what comes out |
 * |---|---|
 * | `max`, `min` | the greater, the smaller number |
 * | `sum` | what every device added, each device counted once |
 * | `union` | the members of both lists, without doubles; what one side took out of the base stays out |
 * | `latest` | the one that was set last |
 * | `keepLocal`, `keepCloud` | that side's |
 */
export type RuleName = 'max' | 'min' | 'sum' | 'union' | 'latest' | 'keepLocal' | 'keepCloud';

/** The three values of one field; `undefined` where it is absent. Without a common base, `base` is undefined. */
export interface FieldSides {
  readonly base: unknown;
  readonly local: unknown;
  readonly cloud: unknown;
}

/** Decides a field by itself. Must be pure: it may be called again with newer values. */
export type FieldMerge = (sides: FieldSides) => unknown;

/** A rule a field; fields of a nested object have rules of their own. Fields without one: whoever changed it. */
export interface FieldRules {
  readonly [field: string]: RuleName | FieldMerge | FieldRules;
}

/** The three values of an entry; `base` is null where the sides have no common past. */
export interface ValueSides {
  readonly base: JsonObject | null;
  readonly local: JsonObject;
  readonly cloud: JsonObject;
}

/** Decides a whole entry at once: `highestProgress`, `longestPlaytime`, or the game's own. Must be pure. */
export type MergePolicy = (sides: ValueSides) => JsonObject;

/** What a game declares for the entries of a collection. */
export type MergeRules = FieldRules | MergePolicy;
