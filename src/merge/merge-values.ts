import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject, sameJson } from '../protocol/value-text.js';
import { changedSide, isAmount, mergeSum, mergeUnion, type Side } from './merge-field.js';
import { closeNotes, isEmpty, notesMember, openNotes } from './notes.js';
import type { FieldMerge, FieldRules, MergeRules, RuleName } from './rules.js';

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
  const sides = { local: openNotes(local), cloud: openNotes(cloud) };
  const values: Opened = {
    base: base && openNotes(base).value,
    local: sides.local.value,
    cloud: sides.cloud.value,
  };
  if (typeof rules === 'function') {
    const value = rules(values);
    if (!isPlainObject(value)) throw new TypeError('a merge policy must return a plain object');
    return { stored: value, unresolved: [] };
  }
  const { notes } = openNotes(cloud);
  const unresolved: string[] = [];
  const walk = (opened: Opened, fields: FieldRules, prefix: string): JsonObject => {
    const result: [string, unknown][] = [];
    for (const field of fieldsOf(opened)) {
      const rule = own(fields, field);
      const path = pathTo(prefix, field);
      const three: Side = {
        base: own(opened.base, field),
        local: own(opened.local, field),
        cloud: own(opened.cloud, field),
        hasBase: opened.base !== null,
      };
      const value = isRules(rule) ? nested(three, rule, path) : mergeOne(three, rule, path);
      if (value !== undefined) result.push([field, value]);
    }
    return Object.fromEntries(result);
  };
  const nested = (three: Side, rule: FieldRules, path: string): unknown => {
    const present = [three.local, three.cloud].filter((side) => side !== undefined);
    if (present.length === 0 || !present.every(isPlainObject)) return byChange(three, path);
    const base = three.hasBase ? asObject(three.base) : null;
    return walk({ base, local: asObject(three.local), cloud: asObject(three.cloud) }, rule, path);
  };
  const mergeOne = (three: Side, rule: RuleName | FieldMerge | undefined, path: string): unknown => {
    if (typeof rule === 'function') return rule({ base: three.base, local: three.local, cloud: three.cloud });
    const { local: mine, cloud: theirs } = three;
    switch (rule) {
      case 'sum': {
        const sum = mergeSum(three, sides.local.notes.sums[path], sides.cloud.notes.sums[path], localName);
        if (sum === null) return byChange(three, path);
        if (!isEmpty(sum.parts)) notes.sums[path] = sum.parts;
        return sum.total;
      }
      case 'max':
      case 'min':
        if (!isAmount(mine) || !isAmount(theirs)) return byChange(three, path);
        // A lone number beats its absence.
        if (mine === undefined || theirs === undefined) return mine ?? theirs;
        return Math[rule](mine, theirs);
      case 'union':
        return mergeUnion(three) ?? byChange(three, path);
      case 'latest': {
        const at = { local: sides.local.notes.at[path], cloud: sides.cloud.notes.at[path] };
        // Where both changed it, the one that set it last, and the cloud's in a tie.
        const side = changedSide(three) ?? ((at.local ?? 0) > (at.cloud ?? 0) ? 'local' : 'cloud');
        if (at[side] !== undefined) notes.at[path] = at[side];
        return three[side];
      }
      case 'keepLocal':
        return mine;
      case 'keepCloud':
        return theirs;
      default:
        return byChange(three, path);
    }
  };
  const byChange = (three: Side, path: string): unknown => {
    const { local: mine, cloud: theirs, hasBase } = three;
    if (sameJson(mine, theirs)) return theirs;
    const changed = changedSide(three);
    if (changed !== null) return three[changed];
    // Two accounts: what only one of them has is no contradiction.
    if (!hasBase && theirs === undefined) return mine;
    if (hasBase || mine !== undefined) unresolved.push(path);
    return theirs;
  };
  return { stored: closeNotes(walk(values, rules, ''), notes), unresolved };
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
  const walk = (old: JsonObject, next: JsonObject, fields: FieldRules, prefix: string): void => {
    for (const [field, rule] of Object.entries(fields)) {
      const path = pathTo(prefix, field);
      const [was, is] = [own(old, field), own(next, field)];
      if (isRules(rule)) walk(asObject(was), asObject(is), rule, path);
      else if (sameJson(was, is)) continue;
      else if (rule === 'latest') notes.at[path] = Math.max(now, (notes.at[path] ?? 0) + 1);
      else if (rule === 'sum' && typeof is === 'number') {
        const [total, count] = notes.sums[path]?.[device] ?? [0, 0];
        const added = is - (typeof was === 'number' ? was : 0);
        notes.sums[path] = { ...notes.sums[path], [device]: [total + added, count + 1] };
      }
    }
  };
  walk(value, after, rules, '');
  return closeNotes(after, notes);
}

interface Opened {
  readonly base: JsonObject | null;
  readonly local: JsonObject;
  readonly cloud: JsonObject;
}

function fieldsOf({ local, cloud }: Opened): string[] {
  return [...new Set([...Object.keys(cloud), ...Object.keys(local)])];
}

function own<T>(object: { readonly [field: string]: T } | null, field: string): T | undefined {
  return object !== null && Object.hasOwn(object, field) ? object[field] : undefined;
}

function pathTo(prefix: string, field: string): string {
  return prefix === '' ? field : `${prefix}/${field}`;
}

function asObject(value: unknown): JsonObject {
  return isPlainObject(value) ? value : {};
}

function isRules(rule: unknown): rule is FieldRules {
  return typeof rule === 'object' && rule !== null;
}
