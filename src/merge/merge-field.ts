import { isPlainObject, sameJson } from '../protocol/value-text.js';
import type { Parts } from './notes.js';
import type { FieldSides } from './rules.js';

/**
 * A sum is what no device claims (the rest: written by a back end, or before there were rules) plus each device's
 * own sub-total. Only the device itself changes its sub-total, so the one that was changed more often is the newer,
 * and nothing is counted twice, even where an answer was lost and the write had in truth been made.
 *
 * @param sides numbers, or absent
 * @param restName where there is no common past: whose sub-total the local rest becomes
 */
export function mergeSum(
  sides: FieldSides,
  parts: { local?: Parts | undefined; cloud?: Parts | undefined },
  restName: string | null,
): { total: number; parts: Parts } {
  const { local = 0, cloud = 0 } = sides as { local?: number; cloud?: number };
  const theirs = parts.cloud ?? {};
  const rest = local - total(parts.local);
  const mine = restName === null || rest === 0 ? parts.local : { ...parts.local, [restName]: [rest, 0] as const };
  const newer = Object.entries(mine ?? {}).filter(([device, part]) => part[1] > (own(theirs, device)?.[1] ?? -1));
  const merged = { ...theirs, ...Object.fromEntries(newer) };
  // Where nothing is new the cloud's number stays as it is: fractions would drift by being taken apart.
  return { total: newer.length === 0 ? cloud : cloud - total(theirs) + total(merged), parts: merged };
}

/** The members of both lists; what either side took out of the base stays out. Null where a side is no list. */
export function mergeUnion({ base, local, cloud }: FieldSides): unknown[] | null {
  const mine = local ?? [];
  const theirs = cloud ?? [];
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return null;
  const removed = Array.isArray(base) ? base.filter((item) => !has(mine, item) || !has(theirs, item)) : [];
  const result: unknown[] = [];
  for (const item of [...theirs, ...mine] as unknown[]) {
    if (!has(result, item) && !has(removed, item)) result.push(item);
  }
  return result;
}

/** The one side whose field is not as it was; null where both changed it. Without a common past nothing was there. */
export function changedAlone({ base, local, cloud }: FieldSides): 'local' | 'cloud' | null {
  if (sameJson(local, base)) return 'cloud';
  return sameJson(cloud, base) ? 'local' : null;
}

/** Whether a field is of a kind on every side that has it. */
export function areAll({ local, cloud }: FieldSides, isKind: (value: unknown) => boolean): boolean {
  const present = [local, cloud].filter((value) => value !== undefined);
  return present.length > 0 && present.every(isKind);
}

/** A member that is the object's own; undefined also where there is no object. */
export function own<T>(value: { readonly [name: string]: T } | undefined, name: string): T | undefined;
export function own(value: unknown, name: string): unknown;
export function own(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function total(parts: Parts = {}): number {
  return Object.values(parts).reduce((sum, [amount]) => sum + amount, 0);
}

function has(list: readonly unknown[], item: unknown): boolean {
  return list.some((member) => sameJson(member, item));
}
