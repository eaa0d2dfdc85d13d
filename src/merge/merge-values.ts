import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject, sameJson } from '../protocol/value-text.js';
import { mergeLatest, mergeSum, mergeUnion, type Side } from './merge-field.js';
import { closeNotes, type Notes, notesMember, openNotes } from './notes.js';
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
  const sides = { base: base === null ? null : openNotes(base), local: openNotes(local), cloud: openNotes(cloud) };
  if (typeof rules === 'function') {
    const value = rules({ base: sides.base?.value ?? null, local: sides.local.value, cloud: sides.cloud.value });
    if (!isPlainObject(value)) throw new TypeError('a merge policy must return a plain object');
    return { stored: value, unresolved: [] };
  }
  const notes: MutableNotes = { sums: { ...sides.cloud.notes.sums }, at: { ...sides.cloud.notes.at } };
  const unresolved: string[] = [];
  const walk = (opened: Opened, fields: FieldRules, prefix: string): JsonObject => {
    const result: [string, unknown][] = [];
    for (const field of fieldsOf(opened)) {
      const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
      const path = prefix === '' ? field : `${prefix}/${field}`;
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
    if (![three.local, three.cloud].every((side) => side === undefined || isPlainObject(side)))
      return mergeOne(three, undefined, path);
    if (three.local === undefined && three.cloud === undefined) return undefined;
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
        if (Object.keys(sum.parts).length > 0) notes.sums[path] = sum.parts;
        return sum.total;
      }
      case 'max':
      case 'min': {
        if (typeof mine !== 'number' || typeof theirs !== 'number') return onlyNumber(three, path);
        return rule === 'max' ? Math.max(mine, theirs) : Math.min(mine, theirs);
      }
      case 'union':
        return mergeUnion(three) ?? byChange(three, path);
      case 'latest': {
        const [value, at] = mergeLatest(three, sides.local.notes.at[path], sides.cloud.notes.at[path]);
        if (at !== undefined) notes.at[path] = at;
        return value;
      }
      case 'keepLocal':
        return mine;
      case 'keepCloud':
        return theirs;
      default:
        return byChange(three, path);
    }
  };
  /** A lone number beats its absence; anything else goes by who changed it. */
  const onlyNumber = (three: Side, path: string): unknown => {
    if (typeof three.local === 'number' && three.cloud === undefined) return three.local;
    if (typeof three.cloud === 'number' && three.local === undefined) return three.cloud;
    return byChange(three, path);
  };
  const byChange = (three: Side, path: string): unknown => {
    const { base: before, local: mine, cloud: theirs, hasBase } = three;
    if (sameJson(mine, theirs)) return theirs;
    if (hasBase && sameJson(mine, before)) return theirs;
    if (hasBase && sameJson(theirs, before)) return mine;
    // Two accounts: what only one of them has is no contradiction.
    if (!hasBase && theirs === undefined) return mine;
    if (!hasBase && mine === undefined) return theirs;
    unresolved.push(path);
    return theirs;
  };
  const value = walk(
    { base: sides.base?.value ?? null, local: sides.local.value, cloud: sides.cloud.value },
    rules,
    '',
  );
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
  const opened = openNotes(before ?? {});
  const notes: MutableNotes = { sums: { ...opened.notes.sums }, at: { ...opened.notes.at } };
  const walk = (old: JsonObject, value: JsonObject, fields: FieldRules, prefix: string): void => {
    for (const [field, rule] of Object.entries(fields)) {
      const path = prefix === '' ? field : `${prefix}/${field}`;
      const [was, is] = [own(old, field), own(value, field)];
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
  walk(opened.value, after, rules, '');
  return closeNotes(after, notes);
}

interface Opened {
  readonly base: JsonObject | null;
  readonly local: JsonObject;
  readonly cloud: JsonObject;
}

type MutableNotes = { -readonly [K in keyof Notes]: { [field: string]: Notes[K][string] } };

function fieldsOf({ local, cloud }: Opened): string[] {
  return [...new Set([...Object.keys(cloud), ...Object.keys(local)])];
}

function own(object: JsonObject | null, field: string): unknown {
  return object !== null && Object.hasOwn(object, field) ? object[field] : undefined;
}

function asObject(value: unknown): JsonObject {
  return isPlainObject(value) ? value : {};
}

function isRules(rule: unknown): rule is FieldRules {
  return typeof rule === 'object' && rule !== null;
}
