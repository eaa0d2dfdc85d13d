import { isPlainObject, sameJson } from '../protocol/value-text.js';
import type { Parts } from './notes.js';
import type { FieldSides } from './rules.js';

/**
 * Merges a field with the rule `sum`. The number consists of a sub-total for each device, and of a rest that no device
 * has added: it was there before the field had a rule. Only the device itself changes its sub-total, so of two records
 * of one sub-total the one that was changed more often is the newer. That way nothing is counted twice, even if a write
 * was carried out and its answer got lost.
 *
 * @param sides numbers, or undefined where the field is absent
 * @param parts the sub-totals that the notes of both sides hold
 * @param restName the name under which the local rest is counted, for two accounts without a common past; else null,
 * and the rest is that of the cloud
 */
export function mergeSum(
  sides: FieldSides,
  parts: { local?: Parts | undefined; cloud?: Parts | undefined },
  restName: string | null,
): { total: number; parts: Parts } {
  const { local = 0, cloud = 0 } = sides as { local?: number; cloud?: number };
  const theirs = parts.cloud ?? {};
  const rest = local - totalOf(parts.local);
  const mine = restName === null || rest === 0 ? parts.local : { ...parts.local, [restName]: [rest, 0] as const };
  const newer = Object.entries(mine ?? {}).filter(([device, part]) => part[1] > (own(theirs, device)?.[1] ?? -1));
  const merged = { ...theirs, ...Object.fromEntries(newer) };
  // If nothing is new, the cloud's number stays as it is: subtracting and adding again would round fractions.
  return { total: newer.length === 0 ? cloud : cloud - totalOf(theirs) + totalOf(merged), parts: merged };
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

function totalOf(parts: Parts = {}): number {
  return Object.values(parts).reduce((sum, [amount]) => sum + amount, 0);
}

function includes(list: readonly unknown[], item: unknown): boolean {
  return list.some((member) => sameJson(member, item));
}
