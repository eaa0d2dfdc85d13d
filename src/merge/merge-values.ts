import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject, sameJson } from '../protocol/value-text.js';
import { areAll, changedAlone, mergeSum, mergeUnion, own } from './merge-field.js';
import { closeNotes, notesMember, openNotes } from './notes.js';
import type { FieldRules, FieldSides, MergeRules } from './rules.js';

export interface MergeInput {
  /** What both sides were made from, as stored; null for two accounts, which have no common past. */
  readonly base: JsonObject | null;
  readonly local: JsonObject;
  readonly cloud: JsonObject;
  readonly rules: MergeRules;
  /**
   * Names the local side where there is no base, such as its user id: what a sum holds without a device's note is
   * then counted once under that name, however often the two are merged.
   */
  readonly localName?: string;
}

export interface Merged {
  /** The merged entry as it is stored, with its notes. */
  readonly stored: JsonObject;
  /** Fields without a rule that both sides changed, by path (`stats/name`): the cloud's was taken. */
  readonly unresolved: readonly string[];
}

/** Merges one entry, by the game's rules. Pure: the same sides give the same result on every device. */
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

  const walk = ({ base, local, cloud }: EntrySides, fields: FieldRules, prefix: string): JsonObject => {
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
      return areAll(sides, isPlainObject) ? walk(sides as EntrySides, rule, `${path}/`) : byChange(sides, path);
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
        // A lone number beats its absence.
        return Math[rule]((sides.local ?? sides.cloud) as number, (sides.cloud ?? sides.local) as number);
      case 'union':
        return mergeUnion(sides) ?? byChange(sides, path);
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
    return byChange(sides, path);
  };

  const byChange = (sides: FieldSides, path: string): unknown => {
    const winner = changedAlone(sides);
    if (winner === null && !sameJson(sides.local, sides.cloud)) unresolved.push(path);
    return sides[winner ?? 'cloud'];
  };

  const value = walk({ base: before, local: mine.value, cloud: theirs.value }, rules, '');
  return { stored: closeNotes(value, notes), unresolved };
}

/**
 * Notes who changed what, when a game sets a value: the device's sub-total for `sum`, the time for `latest`.
 *
 * @param input `before` is the entry as stored (null where it is new), `after` what the game set, `device` the
 * device's name for itself in this account, `now` ms since 1970 by the service's clock.
 */
export function noteChange(input: {
  readonly before: JsonObject | null;
  readonly after: JsonObject;
  readonly rules: MergeRules;
  readonly device: string;
  readonly now: number;
}): JsonObject {
  const { before, rules, device, now } = input;
  // A game that spreads a raw entry may hand the notes back; the ones before are the ones that count.
  const { [notesMember]: _, ...after } = input.after;
  if (typeof rules === 'function') return after;
  const { value, notes } = openNotes(before ?? {});
  const walk = (old: unknown, set: unknown, fields: FieldRules, prefix: string): void => {
    for (const [field, rule] of Object.entries(fields)) {
      const path = prefix + field;
      const [was, is] = [own(old, field), own(set, field)];
      if (isPlainObject(rule)) walk(was, is, rule as FieldRules, `${path}/`);
      else if (sameJson(was, is)) continue;
      else if (rule === 'latest') notes.at[path] = Math.max(now, (own(notes.at, path) ?? 0) + 1);
      else if (rule === 'sum' && isNumber(is)) {
        const parts = own(notes.sums, path);
        const [total, count] = own(parts, device) ?? [0, 0];
        notes.sums[path] = { ...parts, [device]: [total + is - (isNumber(was) ? was : 0), count + 1] };
      }
    }
  };
  walk(value, after, rules, '');
  return closeNotes(after, notes);
}

/** What `own` looks into; what is no object has no members. */
interface EntrySides {
  readonly base?: JsonObject;
  readonly local?: JsonObject;
  readonly cloud?: JsonObject;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}
