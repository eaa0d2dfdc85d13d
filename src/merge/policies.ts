import { own } from './merge-field.js';
import type { MergePolicy } from './rules.js';

/**
 * Makes a policy that takes the whole entry of the side that got further: the side with the greater number in the first
 * field in which the two differ. Any number counts more than none. If no field differs, the cloud's entry is taken.
 *
 * @example
 * ```ts
 * client.profile.collection('progress', { merge: highestProgress('level', 'xp') });
 * ```
 *
 * @param fields names of fields with numbers, the one that decides first in front
 *
 * @see docs/interface.md#profile-entry
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
 * Makes a policy that takes the whole entry of the side that was played longer, and the cloud's where both are equal.
 *
 * @example
 * ```ts
 * client.profile.collection('progress', { merge: longestPlaytime('secondsPlayed') });
 * ```
 *
 * @param field the field in which the game counts its playing time, in any unit
 *
 * @see docs/interface.md#profile-entry
 */
export function longestPlaytime(field: string): MergePolicy {
  return highestProgress(field);
}

function amount(member: unknown): number {
  return typeof member === 'number' ? member : Number.NEGATIVE_INFINITY;
}
