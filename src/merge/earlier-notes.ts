import type { JsonObject } from '../protocol/messages.js';
import { isPlainObject } from '../protocol/value-text.js';
import type { FieldTimes } from './rules.js';

/**
 * The member of a stored value in which versions of this package before 0.2 kept what a merge needs besides the value.
 * Nothing writes it any more: it is taken out of what is read.
 */
const notesMember = '$savepoint';

/** A value as it was stored, without the member of an earlier version, and the times of its fields. */
export interface CleanValue {
  /** The value as the game set it. */
  readonly value: JsonObject;
  /** When the fields under the rule `latest` were set. */
  readonly times: FieldTimes;
}

/**
 * Takes what an earlier version of this package has kept inside a stored value out of it. `times` are those that
 * travelled beside the value; where they say nothing of a field, the earlier version's own count.
 */
export function cleanValue(stored: JsonObject, times: FieldTimes = {}): CleanValue {
  if (!Object.hasOwn(stored, notesMember)) return { value: stored, times };
  const { [notesMember]: notes, ...value } = stored;
  const kept = isPlainObject(notes) && isPlainObject(notes['at']) ? Object.entries(notes['at']) : [];
  // Whoever can write the entry can write the notes.
  const readable = kept.filter((note): note is [string, number] => Number.isFinite(note[1]));
  return { value, times: { ...Object.fromEntries(readable), ...times } };
}
