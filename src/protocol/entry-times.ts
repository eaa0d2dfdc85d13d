import { isPlainObject } from './value-text.js';

/**
 * What the merge rules of a player's devices need to know of an entry besides its value: for each field, by its path,
 * when a device set it, by the service's clock in ms since 1970.
 */
export interface EntryTimes {
  [path: string]: number;
}

export function isEntryTimes(value: unknown): value is EntryTimes {
  return isPlainObject(value) && Object.values(value).every((time) => Number.isFinite(time));
}
