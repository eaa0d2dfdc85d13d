import { base64url } from 'jose';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { isUuid } from '../../protocol/ids.js';
import { Refusal } from '../refusal.js';
import type { ListPlace } from '../stores/operator-requests.js';

/** Which page of a list is asked for. */
export interface Page {
  /** The list: a cursor is of one alone. */
  list: string;
  /** The item after which the page begins; null for the first. */
  after: ListPlace | null;
  /** How many items it may have. */
  max: number;
}

/** Reads `limit` and `cursor` of an address. Refuses with `invalid_request` what no answer has given. */
export function readPage({ searchParams }: URL, list: string): Page {
  const [limit, cursor] = [searchParams.get('limit'), searchParams.get('cursor')];
  const max = limit === null ? operatorDefaults.operatorPageItems : Number(limit);
  if (limit !== null && (!/^\d{1,4}$/.test(limit) || max < 1 || max > operatorDefaults.operatorPageMaxItems)) {
    throw wrong('limit', `must be a whole number from 1 to ${operatorDefaults.operatorPageMaxItems}`);
  }
  return { list, max, after: cursor === null ? null : readCursor(cursor, list) };
}

/** A page of items of which one more was asked for, and the cursor of the page after it. */
export function pageOf<Item>(
  { list, max }: Page,
  items: readonly Item[],
  placeOf: (item: Item) => ListPlace,
): { items: Item[]; cursor?: string } {
  const shown = items.slice(0, max);
  const last = shown.at(-1);
  if (last === undefined || items.length <= max) return { items: shown };
  const { at, id } = placeOf(last);
  return { items: shown, cursor: base64url.encode(JSON.stringify([list, at, id])) };
}

function readCursor(cursor: string, list: string): ListPlace {
  try {
    if (cursor.length > 256) throw new Error('too long');
    const [of, at, id] = JSON.parse(new TextDecoder().decode(base64url.decode(cursor))) as unknown[];
    if (of === list && Number.isSafeInteger(at) && isUuid(id)) return { at: at as number, id };
  } catch {
    // It is none of ours, and refused below.
  }
  throw wrong('cursor', 'must be one that this list has answered');
}

export function wrong(parameter: string, what: string): Refusal {
  return new Refusal('invalid_request', { detail: `"${parameter}" ${what}.` });
}
