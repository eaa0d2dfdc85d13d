import { isSdkError } from '../../errors.js';
import type { FieldTimes } from '../../merge/rules.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import {
  beginRecord,
  type EntryRecord,
  isCounted,
  noteCounted,
  setEarly,
  setLocal,
  shownValue,
  timesOf,
  timesOrNone,
  type Write,
} from './entry-record.js';
import type { Heirs } from './heirs.js';
import { type Journal, lastOf } from './journal.js';
import type { Change, PageWrites } from './page-writes.js';

/** A change that the game has made, until the device's home has it. */
export interface Edit {
  /** The name of the write that it becomes. */
  readonly id: string;
  /** What the game has changed; undefined for a new entry. */
  readonly before: JsonObject | undefined;
  /** What it has made of that. */
  readonly value: JsonObject;
  /** How the game has made it, where it was made by `update`. */
  readonly change?: Change | undefined;
  /** It says nothing of what was there: it takes the place of all that was set before it. */
  readonly isWhole: boolean;
  /** Makes it again on what another tab has written meanwhile. */
  remake(latest: JsonObject | undefined): JsonObject;
  /** The times of the value, from those of the value that was there. */
  timesOn(latest: JsonObject | undefined, times: FieldTimes, value: JsonObject): FieldTimes;
}

/** Puts what the game has set on what the home has. */
export interface ApplyEdits {
  /**
   * The record with the edits on top. The home may ask for it again, also once it has stored them. `refusals` hears
   * which edits are left out, because they cannot be stored with what another tab has written, and why.
   */
  toRecord(
    name: string,
    record: EntryRecord | undefined,
    edits: readonly Edit[],
    refusals?: Map<Edit, unknown>,
  ): EntryRecord | undefined;
  /** The value that the game sees of it. */
  toValue(record: EntryRecord | undefined, edits: readonly Edit[]): JsonObject | undefined;
}

export function createApplyEdits(dependencies: {
  /** Null before there is an account. */
  userId: string | null;
  page: PageWrites;
  journal: Pick<Journal, 'items'>;
  owned: Heirs['owned'];
  now(): number;
  report(error: unknown): void;
}): ApplyEdits {
  const { userId, page, journal, owned, now } = dependencies;

  /**
   * What an edit makes of the latest value; its own where there is none, for its change is told to the service with
   * what it was made of. Throws `too_large` where both together cannot be stored. A function of the game that fails is
   * reported, and its own value counts.
   */
  function remade(latest: JsonObject | undefined, edit: Edit): JsonObject {
    if (latest === undefined || sameJson(latest, edit.before)) return edit.value;
    try {
      return edit.remake(latest);
    } catch (error) {
      if (isSdkError(error) && error.code === 'too_large') throw error;
      dependencies.report(error);
      return edit.value;
    }
  }

  function put(stored: EntryRecord | undefined, edit: Edit): EntryRecord {
    // What an account has inherited is not replaced by what is set for the next one.
    const record = owned(stored);
    const begun = beginRecord(edit.before, record);
    const present = shownValue(begun);
    const value = remade(present, edit);
    const write: Write = {
      id: edit.id,
      value,
      times: timesOrNone(edit.timesOn(present, timesOf(begun), value)),
      isUpdate: edit.change === undefined ? undefined : true,
    };
    const next =
      userId === null
        ? setEarly(record, write, { before: edit.before, by: page.id, now: now() })
        : setLocal(begun, write, { id: page.id, mayHaveSent: page.mayHaveSent, now: now() });
    const replaced = record?.local === next.sent ? undefined : record?.local;
    const changes = page.changesOf(replaced);
    page.remember(edit.id, changes && edit.change && [...changes, edit.change], replaced);
    // Whoever reads the journal finds that the home has had it, whatever is set on top of it.
    const written = replaced === undefined ? [edit.id] : [replaced.id, edit.id];
    return noteCounted(next, ...written.filter(page.isLeft));
  }

  /** Notes that what is set takes the place of all that pages have left as they were hidden, this one and others. */
  function countLeft(name: string, record: EntryRecord): EntryRecord {
    return noteCounted(record, ...journal.items(userId, name).map(({ writes }) => lastOf(writes).id));
  }

  return {
    toRecord: (name, record, edits, refusals) => {
      const coming = notStored(record, edits);
      // What waits in the journal is settled there, once, and with what it takes the place of, unless that is all.
      const whole = lastIndexWhere(coming, ({ isWhole }) => isWhole);
      const lost = lastIndexWhere(coming, ({ id }, index) => index > whole && page.isOvertaken(id, record));
      const made = coming.slice(lost + 1).reduce((latest, edit) => {
        try {
          const next = edit.isWhole ? countLeft(name, put(latest, edit)) : put(latest, edit);
          // The home may ask again, with another text.
          refusals?.delete(edit);
          return next;
        } catch (error) {
          refusals?.set(edit, error);
          return latest;
        }
      }, record);
      return owned(made);
    },
    toValue: (record, edits) =>
      edits.reduce((latest, edit) => {
        try {
          return remade(latest, edit);
        } catch {
          // It is refused when it is to be stored.
          return latest;
        }
      }, shownValue(record)),
  };
}

/** The edits that come after those that a record has: the home may have got them, and not have said so. */
export function notStored(record: EntryRecord | undefined, edits: readonly Edit[]): readonly Edit[] {
  return edits.slice(lastIndexWhere(edits, ({ id }) => isCounted(record, id)) + 1);
}

/** `Array.prototype.findLastIndex`, which the oldest browsers do not have. */
function lastIndexWhere<T>(items: readonly T[], isMeant: (item: T, index: number) => boolean): number {
  let last = items.length - 1;
  while (last >= 0 && !isMeant(items[last] as T, last)) last -= 1;
  return last;
}
