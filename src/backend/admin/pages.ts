import { base64url } from 'jose';
import { entryNameProblem } from '../../protocol/entry-name.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { isUuid } from '../../protocol/ids.js';
import { Refusal } from '../refusal.js';
import type { EntryName, ListPlace } from '../stores/records.js';

/** How a place in a list is written into a cursor, and read from one: null for what is no such place. */
export interface PlaceForm<Place> {
  write(place: Place): unknown[];
  read(written: unknown[]): Place | null;
}

/** The place of what is ordered by a time. */
export const byTime: PlaceForm<ListPlace> = {
  write: ({ at, id }) => [at, id],
  read: ([at, id]) => (Number.isSafeInteger(at) && isUuid(id) ? { at: at as number, id } : null),
};

/** The place of an entry. */
export const byName: PlaceForm<EntryName> = {
  write: ({ collection, key }) => [collection, key],
  read: ([collection, key]) => (isName(collection) && isName(key) ? { collection, key } : null),
};

export function isName(value: unknown): value is string {
  return entryNameProblem(value) === null;
}

/** Which page of a list is asked for. */
export interface Page<Place> {
  /** The list: a cursor is of one alone. */
  list: string;
  form: PlaceForm<Place>;
  /** The item after which the page begins; null for the first. */
  after: Place | null;
  /** How many items it may have. */
  max: number;
}

/** Reads `limit` and `cursor` of an address. Refuses with `invalid_request` what no answer has given. */
export function readPage<Place>({ searchParams }: URL, list: string, form: PlaceForm<Place>): Page<Place> {
  const { operatorPageItems, operatorPageMaxItems } = operatorDefaults;
  const [limit, cursor] = [searchParams.get('limit'), searchParams.get('cursor')];
  const max = limit === null ? operatorPageItems : Number(limit);
  if (limit !== null && (!/^\d{1,4}$/.test(limit) || max < 1 || max > operatorPageMaxItems)) {
    throw wrong('limit', `must be a whole number from 1 to ${operatorPageMaxItems}`);
  }
  return { list, form, max, after: cursor === null ? null : readCursor(cursor, list, form) };
}

/** A page of items of which one more was asked for, and the cursor of the page after it. */
export function pageOf<Item, Place>(
  { list, form, max }: Page<Place>,
  items: readonly Item[],
  placeOf: (item: Item) => Place,
): { items: Item[]; cursor?: string } {
  const shown = items.slice(0, max);
  const last = shown.at(-1);
  if (last === undefined || items.length <= max) return { items: shown };
  return { items: shown, cursor: base64url.encode(JSON.stringify([list, ...form.write(placeOf(last))])) };
}

function readCursor<Place>(cursor: string, list: string, form: PlaceForm<Place>): Place {
  try {
    if (cursor.length > operatorDefaults.operatorCursorLength) throw new Error('too long');
    const [of, ...written] = JSON.parse(new TextDecoder().decode(base64url.decode(cursor))) as unknown[];
    const place = of === list ? form.read(written) : null;
    if (place !== null) return place;
  } catch {
    // It is none of ours, and refused below.
  }
  throw wrong('cursor', 'must be one that this list has answered');
}

export function wrong(parameter: string, what: string): Refusal {
  return new Refusal('invalid_request', { detail: `"${parameter}" ${what}.` });
}
