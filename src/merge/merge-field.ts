import { sameJson } from '../protocol/value-text.js';
import type { Part } from './notes.js';

/** The three values of a field, and whether there is a common past at all. */
export interface Side {
  readonly base: unknown;
  readonly local: unknown;
  readonly cloud: unknown;
  readonly hasBase: boolean;
}

type Parts = { readonly [device: string]: Part };

/**
 * A sum is what no device claims (the rest: written by a back end, or before there were rules) plus each device's
 * own sub-total. Only the device itself changes its sub-total, so the one that was changed more often is the newer,
 * and nothing is counted twice, even where an answer was lost and the write had in truth been made.
 */
export function mergeSum(
  { local, cloud, hasBase }: Side,
  localParts: Parts = {},
  cloudParts: Parts = {},
  localName: string,
): { total: number; parts: Parts } | null {
  if (!isAmount(local) || !isAmount(cloud)) return null;
  const localRest = (local ?? 0) - total(localParts);
  const cloudRest = (cloud ?? 0) - total(cloudParts);
  const mine: Parts = hasBase || localRest === 0 ? localParts : { ...localParts, [localName]: [localRest, 0] };
  const newer = Object.entries(mine).filter(([device, part]) => part[1] > (cloudParts[device]?.[1] ?? -1));
  const parts: Parts = { ...cloudParts, ...Object.fromEntries(newer) };
  // Where nothing is new the cloud's number stays as it is: fractions would drift by being taken apart.
  return { total: newer.length === 0 ? (cloud ?? 0) : cloudRest + total(parts), parts };
}

/** The members of both lists; what either side took out of the base stays out. Null where a side is no list. */
export function mergeUnion({ base, local, cloud, hasBase }: Side): unknown[] | null {
  const mine = local ?? [];
  const theirs = cloud ?? [];
  if (!Array.isArray(mine) || !Array.isArray(theirs)) return null;
  const before: unknown[] = hasBase && Array.isArray(base) ? base : [];
  const removed = before.filter((item) => !has(mine, item) || !has(theirs, item));
  const result: unknown[] = [];
  for (const item of [...theirs, ...mine] as unknown[]) {
    if (!has(result, item) && !has(removed, item)) result.push(item);
  }
  return result;
}

/** The one side that changed the field; null where both did, or nobody can tell. */
export function changedSide({ base, local, cloud, hasBase }: Side): 'local' | 'cloud' | null {
  if (hasBase && sameJson(local, base)) return 'cloud';
  return hasBase && sameJson(cloud, base) ? 'local' : null;
}

function total(parts: Parts): number {
  return Object.values(parts).reduce((sum, [amount]) => sum + amount, 0);
}

export function isAmount(value: unknown): value is number | undefined {
  return value === undefined || typeof value === 'number';
}

function has(list: readonly unknown[], item: unknown): boolean {
  return list.some((member) => sameJson(member, item));
}
