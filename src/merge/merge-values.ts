import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject, sameJson } from '../protocol/value-text.js';
import { areAll, changedAlone, mergeSum, mergeUnion, own } from './merge-field.js';
import type { FieldRules, FieldSides, FieldTimes, MergeRules } from './rules.js';

/** The sides of an entry that is merged, and the rules. */
export interface MergeInput {
  /** The value that both sides started from; null for two accounts that were never merged: they have no common past. */
  readonly base: JsonObject | null;
  /** The value of this device. */
  readonly local: JsonObject;
  /** The value that the service has. */
  readonly cloud: JsonObject;
  /** The rules of the entry's collection. */
  readonly rules: MergeRules;
  /** When the fields of both sides under the rule `latest` were set, as far as is known. */
  readonly times?: { readonly local: FieldTimes; readonly cloud: FieldTimes };
  /** Which side counts where both changed a field and no rule merges it. Default: the cloud. */
  readonly otherwise?: 'local' | 'cloud';
}

/** What a merge has made. */
export interface Merged {
  /** The merged value. */
  readonly value: JsonObject;
  /** When its fields under the rule `latest` were set. */
  readonly times: FieldTimes;
  /** The paths (`stats/name`) of the fields that both sides changed and no rule merges: one side's value was taken. */
  readonly unresolved: readonly string[];
}

/** Merges an entry by the game's rules. It is pure, so the same sides give the same result on every device. */
export function mergeValues({ base, local, cloud, rules, times: known, otherwise = 'cloud' }: MergeInput): Merged {
  if (typeof rules === 'function') {
    const value = rules({ base, local, cloud });
    if (!isPlainObject(value)) throw new TypeError('a merge policy must return a plain object');
    return { value, times: {}, unresolved: [] };
  }
  const times: { [path: string]: number } = { ...known?.cloud };
  const unresolved: string[] = [];

  const mergeMembers = ({ base, local, cloud }: ObjectSides, fields: FieldRules, prefix: string): JsonObject => {
    const names = new Set([...Object.keys(cloud ?? {}), ...Object.keys(local ?? {})]);
    const members = [...names].map((field): [string, unknown] => {
      const sides = { base: own(base, field), local: own(local, field), cloud: own(cloud, field) };
      return [field, mergeField(sides, own(fields, field), prefix + field)];
    });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  };

  const mergeField = (sides: FieldSides, rule: FieldRules[string] | undefined, path: string): unknown => {
    if (typeof rule === 'function') return rule(sides);
    if (isPlainObject(rule)) {
      return areAll(sides, isPlainObject)
        ? mergeMembers(sides as ObjectSides, rule, `${path}/`)
        : takeChanged(sides, path);
    }
    switch (rule) {
      case 'sum':
        if (!areAll(sides, isNumber)) break;
        return mergeSum(sides);
      case 'max':
      case 'min':
        if (!areAll(sides, isNumber)) break;
        // If one side has no number, the other side's number is taken.
        return Math[rule]((sides.local ?? sides.cloud) as number, (sides.cloud ?? sides.local) as number);
      case 'union':
        return mergeUnion(sides) ?? takeChanged(sides, path);
      case 'latest': {
        const at = { local: own(known?.local, path), cloud: own(known?.cloud, path) };
        const later = (at.local ?? 0) > (at.cloud ?? 0) ? 'local' : 'cloud';
        const winner = (base === null ? null : changedAlone(sides)) ?? later;
        if (at[winner] !== undefined) times[path] = at[winner];
        return sides[winner];
      }
      case 'keepLocal':
        return sides.local;
      case 'keepCloud':
        return sides.cloud;
    }
    return takeChanged(sides, path);
  };

  const takeChanged = (sides: FieldSides, path: string): unknown => {
    const winner = changedAlone(sides);
    if (winner === null && !sameJson(sides.local, sides.cloud)) unresolved.push(path);
    return sides[winner ?? otherwise];
  };

  const value = mergeMembers({ base: base ?? {}, local, cloud }, rules, '');
  return { value, times, unresolved };
}

/**
 * Gives the times of a value that a game has set: those of its fields under the rule `latest` that it changed are now.
 */
export function timesOfChange(input: {
  /** The value that was there before, and its times; null where the entry is new. */
  readonly before: JsonObject | null;
  /** The times of the value that was there before. */
  readonly times: FieldTimes;
  /** The value that the game has set. */
  readonly after: JsonObject;
  /** The rules of the entry's collection. */
  readonly rules: MergeRules | undefined;
  /** The time by the service's clock, in ms since 1970. */
  readonly now: number;
}): FieldTimes {
  const { before, after, rules, now } = input;
  if (typeof rules !== 'object') return input.times;
  const times: { [path: string]: number } = { ...input.times };
  const visit = (was: unknown, is: unknown, fields: FieldRules, prefix: string): void => {
    for (const [field, rule] of Object.entries(fields)) {
      const path = prefix + field;
      if (isPlainObject(rule)) visit(own(was, field), own(is, field), rule as FieldRules, `${path}/`);
      else if (rule === 'latest' && !sameJson(own(was, field), own(is, field))) {
        times[path] = Math.max(now, (own(times, path) ?? 0) + 1);
      }
    }
  };
  visit(before, after, rules, '');
  return times;
}

/** The sides of an object whose members are merged one by one. */
interface ObjectSides {
  readonly base?: JsonObject;
  readonly local?: JsonObject;
  readonly cloud?: JsonObject;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
