import { own } from './merge-field.js';
import type { MergePolicy } from './rules.js';

/**
 * Takes the whole entry of the side that got further: the first of the fields in which they differ decides.
 * Equal sides, or fields that are no numbers, leave the cloud's.
 *
 * @param fields such as `'level', 'xp'`, the most telling first
 */
export function highestProgress(...fields: readonly [string, ...string[]]): MergePolicy {
  return ({ local, cloud }) => {
    for (const field of fields) {
      const [mine, theirs] = [amount(own(local, field)), amount(own(cloud, field))];
      if (mine !== theirs) return mine > theirs ? local : cloud;
    }
    return cloud;
  };
}

/**
 * Takes the whole entry of the side that was played longer.
 *
 * @param field where the game counts its playing time, in any unit
 */
export function longestPlaytime(field: string): MergePolicy {
  return highestProgress(field);
}

function amount(member: unknown): number {
  return typeof member === 'number' ? member : Number.NEGATIVE_INFINITY;
}
