import { isPlainObject, sameJson } from '../protocol/value-text.js';
import type { FieldSides } from './rules.js';

/**
 * Merges a field with the rule `sum`: what this device has added to the number that both sides started from is added to
 * the cloud's. Without a number that both started from, both numbers count.
 *
 * @param sides numbers, or undefined where the field is absent
 */
export function mergeSum({ base, local, cloud }: FieldSides): number {
  const [from, mine, theirs] = [base, local, cloud].map((side) => (typeof side === 'number' ? side : 0));
  const added = (mine as number) - (from as number);
  // Adding and subtracting would round fractions.
  if (added === 0) return theirs as number;
  return theirs === from ? (mine as number) : (theirs as number) + added;
}

/** Merges two lists: their members without duplicates, less what either side has removed. Null if a side is no list. */
export function mergeUnion({ base, local, cloud }: FieldSides): unknown[] | null {
  const mine = local ?? [];
  const theirs = cloud ?? [];
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return null;
  const removed = Array.isArray(base) ? base.filter((item) => !includes(mine, item) || !includes(theirs, item)) : [];
  const result: unknown[] = [];
  for (const item of [...theirs, ...mine] as unknown[]) {
    if (!includes(result, item) && !includes(removed, item)) result.push(item);
  }
  return result;
}

/** The side that alone has changed the field; null where both have. If neither has, it is the cloud. */
export function changedAlone({ base, local, cloud }: FieldSides): 'local' | 'cloud' | null {
  if (sameJson(local, base)) return 'cloud';
  return sameJson(cloud, base) ? 'local' : null;
}

/** Whether the field is of a kind on every side that has it, and at least one side has it. */
export function areAll({ local, cloud }: FieldSides, isKind: (value: unknown) => boolean): boolean {
  const present = [local, cloud].filter((value) => value !== undefined);
  return present.length > 0 && present.every(isKind);
}

/** Reads an object's own member, never an inherited one; undefined where the value is no object. */
export function own<T>(value: { readonly [name: string]: T } | undefined, name: string): T | undefined;
export function own(value: unknown, name: string): unknown;
export function own(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function includes(list: readonly unknown[], item: unknown): boolean {
  return list.some((member) => sameJson(member, item));
}
