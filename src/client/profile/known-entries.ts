import type { JsonObject } from '../../protocol/messages.js';
import type { ApplyEdits, Edit } from './apply-edits.js';
import { type EntryRecord, nextWrite, offersOf, readRecord } from './entry-record.js';
import type { Heirs } from './heirs.js';

/** What this page knows of one entry. */
export interface KnownEntry {
  /** What the home has. */
  text: string | null;
  stored: EntryRecord | undefined;
  /** The same, with what is an account's own by now as that one's. */
  record: EntryRecord | undefined;
  /** What the game sees. */
  value: JsonObject | undefined;
  /** What the home has not got yet. */
  edits: Edit[];
  /**
   * The last ones of the edits that were given to the home at a time, with what it had then: it may have got
   * those up to each of them.
   */
  given: Map<Edit, EntryRecord | undefined>;
  /** The steps of the home for this entry, one after the other. */
  last: Promise<unknown>;
  /** The step that takes all edits there are when it is carried out. */
  saving: Promise<void>;
  /** Whether that step has not begun, so that it takes what is set now as well. */
  isPlanned: boolean;
}

export type KnownEntries = ReturnType<typeof createKnownEntries>;

/** What this page knows of an account's entries: what the home has, with what the game has set since on top. */
export function createKnownEntries({ toValue, owned }: Pick<ApplyEdits, 'toValue'> & Pick<Heirs, 'owned'>) {
  const entries = new Map<string, KnownEntry>();
  // Both in the order in which the entries came in.
  const unsent = new Set<string>();
  const storing = new Set<string>();
  const ahead = new Set<string>();

  /** The entry of this name, which is made where nothing is known of it yet. */
  function at(name: string): KnownEntry {
    const known = entries.get(name);
    if (known !== undefined) return known;
    const entry: KnownEntry = {
      text: null,
      stored: undefined,
      record: undefined,
      value: undefined,
      edits: [],
      given: new Map(),
      last: Promise.resolve(),
      saving: Promise.resolve(),
      isPlanned: false,
    };
    entries.set(name, entry);
    return entry;
  }

  /** The home has this text. */
  function found(name: string, text: string | null, stored = readRecord(text)): void {
    const entry = at(name);
    const record = owned(stored);
    if (nextWrite(record) === undefined || record?.since !== entry.record?.since) unsent.delete(name);
    if (nextWrite(record) !== undefined) unsent.add(name);
    if (record?.isAhead === true) ahead.add(name);
    else ahead.delete(name);
    entry.text = text;
    entry.stored = stored;
    entry.record = record;
    entry.value = toValue(record, entry.edits);
  }

  return {
    at,
    get: (name: string): Readonly<KnownEntry> | undefined => entries.get(name),
    /** The names of those that the home has and the service has not, the longest unsent first. */
    unsent: unsent as ReadonlySet<string>,
    /** The names of those that the game has set and the home has not got yet. */
    storing: storing as ReadonlySet<string>,
    /** The names of those of which the device's other home sends something: nobody hears here when the service has it. */
    ahead: ahead as ReadonlySet<string>,
    /** The names of those that have a value. */
    names: (): string[] => {
      const names: string[] = [];
      for (const [name, { value }] of entries) if (value !== undefined) names.push(name);
      return names;
    },
    /** The names of those that hold something for this account. */
    offered: (userId: string): string[] =>
      [...entries.keys()].filter((name) => offersOf(userId, entries.get(name)?.record).length > 0),
    /** The names of those of which the home has another text; `texts` are all that it has. */
    differing: (texts: ReadonlyMap<string, string>): string[] =>
      [...new Set([...entries.keys(), ...texts.keys()])].filter(
        (name) => (texts.get(name) ?? null) !== (entries.get(name)?.text ?? null),
      ),
    found,
    /** Reads what the home is known to have once more: it may be somebody's own by now. */
    readAgain: (): void => {
      for (const [name, { text, stored }] of entries) found(name, text, stored);
    },
    /** The names of all writes that wait here. */
    writes: (): string[] =>
      [...entries.values()].flatMap(({ record, edits }) =>
        [record?.sent, record?.local, ...edits].flatMap((write) => write?.id ?? []),
      ),
    /** The game has set it. */
    edited: (name: string, edit: Edit): void => {
      const entry = at(name);
      entry.edits.push(edit);
      entry.value = edit.value;
      storing.add(name);
    },
    /** The home has got these edits. */
    stored: (name: string, taken: readonly Edit[]): void => {
      const entry = at(name);
      entry.edits = entry.edits.filter((edit) => !taken.includes(edit));
      for (const edit of taken) entry.given.delete(edit);
      if (entry.edits.length === 0) storing.delete(name);
    },
  };
}
