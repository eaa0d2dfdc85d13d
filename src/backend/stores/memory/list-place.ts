import type { ListPlace } from '../records.js';

/** Whether a place comes later in a list whose latest item is first. */
export function isBehind({ at, id }: ListPlace, after: ListPlace): boolean {
  return at < after.at || (at === after.at && id < after.id);
}
