import type { ListPlace } from '../records.js';

/** A place as the parameters of a comparison; before all others where there is none. */
export function placeValues(after: ListPlace | null): [number, string] {
  return [after?.at ?? Number.MAX_SAFE_INTEGER, after?.id ?? ''];
}
