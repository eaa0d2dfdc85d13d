import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject, sameJson } from '../protocol/value-text.js';
import { areAll, changedAlone, mergeSum, mergeUnion, own } from './merge-field.js';
import { closeNotes, notesMember, openNotes } from './notes.js';
import type { FieldRules, FieldSides, MergeRules } from './rules.js';

/** The sides of an entry that is merged, and the rules. */
export interface MergeInput {
  /** The value that both sides started from, as it was stored; null for two accounts, which have no common past. */
  readonly base: JsonObject | null;
  /** The value of this device, with its notes. */
  readonly local: JsonObject;
  /** The value that the service has, with its notes. */
  readonly cloud: JsonObject;
  /** The rules of the entry's collection. */
  readonly rules: MergeRules;
  /**
   * A name for the local side where there is no base, such as its user id. The part of a sum that no device has noted
   * is counted under this name, so that it counts once, however often the two accounts are merged.
   */
  readonly localName?: string;
}

/** What a merge has made. */
export interface Merged {
  /** The merged value as it is to be stored, with its notes. */
  readonly stored: JsonObject;
  /** The paths (`stats/name`) of the fields that both sides changed and no rule merges: the cloud's value was taken. */
  readonly unresolved: readonly string[];
}

/** Merges an entry by the game's rules. It is pure, so the same sides give the same result on every device. */
export function mergeValues({ base, local, cloud, rules, localName = 'local' }: MergeInput): Merged {
  const hasBase = base !== null;
  const before = openNotes(base ?? {}).value;
  const mine = openNotes(local);
  const theirs = openNotes(cloud);
  if (typeof rules === 'function') {
    const value = rules({ base: hasBase ? before : null, local: mine.value, cloud: theirs.value });
    if (!isPlainObject(value)) throw new TypeError('a merge policy must return a plain object');
    return { stored: value, unresolved: [] };
  }
  const { notes } = openNotes(cloud);
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
      case 'sum': {
        if (!areAll(sides, isNumber)) break;
        const parts = { local: own(mine.notes.sums, path), cloud: own(theirs.notes.sums, path) };
        const sum = mergeSum(sides, parts, hasBase ? null : localName);
        if (Object.keys(sum.parts).length > 0) notes.sums[path] = sum.parts;
        return sum.total;
      }
      case 'max':
      case 'min':
        if (!areAll(sides, isNumber)) break;
        // If one side has no number, the other side's number is taken.
        return Math[rule]((sides.local ?? sides.cloud) as number, (sides.cloud ?? sides.local) as number);
      case 'union':
        return mergeUnion(sides) ?? takeChanged(sides, path);
      case 'latest': {
        const at = { local: own(mine.notes.at, path), cloud: own(theirs.notes.at, path) };
        const later = (at.local ?? 0) > (at.cloud ?? 0) ? 'local' : 'cloud';
        const winner = (hasBase ? changedAlone(sides) : null) ?? later;
        if (at[winner] !== undefined) notes.at[path] = at[winner];
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
    return sides[winner ?? 'cloud'];
  };

  const value = mergeMembers({ base: before, local: mine.value, cloud: theirs.value }, rules, '');
  return { stored: closeNotes(value, notes), unresolved };
}

/**
 * Gives the value that is to be stored when a game has set one: with notes of what this device has changed, which are
 * its sub-total for the rule `sum` and the time for the rule `latest`.
 */
export function noteChange(input: {
  /** The value that is stored, with its notes; null where the entry is new. */
  readonly before: JsonObject | null;
  /** The value that the game has set. */
  readonly after: JsonObject;
  /** The rules of the entry's collection. */
  readonly rules: MergeRules;
  /** The device's name for itself in this account, which is no secret. */
  readonly device: string;
  /** The time by the service's clock, in ms since 1970. */
  readonly now: number;
}): JsonObject {
  const { before, rules, device, now } = input;
  // A game that spreads a stored value hands back its notes. Only the notes of the stored value count.
  const { [notesMember]: _, ...after } = input.after;
  if (typeof rules === 'function') return after;
  const { value, notes } = openNotes(before ?? {});
  const noteMembers = (old: unknown, set: unknown, fields: FieldRules, prefix: string): void => {
    for (const [field, rule] of Object.entries(fields)) {
      const path = prefix + field;
      const [was, is] = [own(old, field), own(set, field)];
      if (isPlainObject(rule)) noteMembers(was, is, rule as FieldRules, `${path}/`);
      else if (sameJson(was, is)) continue;
      else if (rule === 'latest') notes.at[path] = Math.max(now, (own(notes.at, path) ?? 0) + 1);
      else if (rule === 'sum' && isNumber(is)) {
        const parts = own(notes.sums, path);
        const [total, count] = own(parts, device) ?? [0, 0];
        notes.sums[path] = { ...parts, [device]: [total + is - (isNumber(was) ? was : 0), count + 1] };
      }
    }
  };
  noteMembers(value, after, rules, '');
  return closeNotes(after, notes);
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
