import type { JsonObject } from '../../protocol/messages.js';
import type { Home } from '../storage/home.js';
import { type ApplyEdits, createApplyEdits, type Edit, notStored } from './apply-edits.js';
import { type EntryRecord, forgetCounted, readRecord } from './entry-record.js';
import { createHeirs, type Heirs } from './heirs.js';
import type { Journal } from './journal.js';
import { createKnownEntries, type KnownEntries, type KnownEntry } from './known-entries.js';
import type { PageWrites } from './page-writes.js';

/** Who wrote what is seen now: the game, another tab, or another device. */
export type Writer = 'game' | 'tab' | 'cloud';

/** Makes the record to store from the stored one; null removes it, the same one or undefined for none leaves it. */
export type RecordChange = (record: EntryRecord | undefined) => EntryRecord | null | undefined;

/** What the home may come to have of an entry. */
export interface PlannedRecords {
  /** What it had, as far as this page has heard. */
  readonly basis: EntryRecord | undefined;
  /** One after the other: with what it is storing now, and at last with all that was set. */
  readonly records: readonly EntryRecord[];
}

/** All that a device has of one account, one record an entry. The tabs of the device share the records. */
export interface AccountCopy {
  /** Null before there is an account. */
  readonly userId: string | null;
  /** Of a copy before an account: an account has come. What was set until now is its own, whoever comes next. */
  inherit(userId: string): void;
  /** Settles when it has read what the home has. What is set before that comes on top. */
  readonly opened: Promise<void>;
  /** The names of all entries that it has. */
  names(): string[];
  /** The names of the entries that the home has and the service has not, the longest unsent first. */
  readonly unsent: ReadonlySet<string>;
  /** The names of the entries that the game has set and the home has not got yet. */
  readonly storing: ReadonlySet<string>;
  /** The names of the entries of which the device's other home sends something. */
  readonly ahead: ReadonlySet<string>;
  /** The names of the entries that hold something for another account than their own. */
  offered(userId: string): string[];
  /** Settles when the home has what was set until now. Rejects where it was closed before. */
  stored(): Promise<void>;
  /** Settles when the home has what the game has set last in an entry. Rejects as that does. */
  storedLast(name: string): Promise<void>;
  /** What the home has, as far as this page knows. */
  record(name: string): EntryRecord | undefined;
  /** The value as the game sees it: also what the home has not got yet. */
  value(name: string): JsonObject | undefined;
  /**
   * The game's own change: seen at once; settles when the home has it. Rejects with `too_large` where another tab was
   * faster, and both together cannot be stored: then nothing has changed.
   */
  edit(name: string, edit: Edit): Promise<void>;
  /** Changes the record in one step of the home. Gives what is stored then. */
  change(name: string, by: Writer, change: RecordChange): Promise<EntryRecord | undefined>;
  /** What the home may come to have of an entry; undefined where there is nothing to come. */
  planned(name: string): PlannedRecords | undefined;
  /** Takes over what another tab has written to these entries, or to any. */
  sync(names?: readonly string[]): Promise<void>;
}

export function openAccountCopy(
  userId: string | null,
  prefix: string,
  dependencies: {
    home: Pick<Home, 'readAll' | 'update'>;
    page: PageWrites;
    journal: Pick<Journal, 'has' | 'isBlind' | 'items'>;
    now(): number;
    /** Whose it is what the game sets here now; null where it is this copy's own. */
    heir(): string | null;
    /** What the game sees of an entry may have changed. */
    seen(name: string, by: Writer): void;
    /** The home has something new for the other tabs. */
    stored(name: string): void;
    report(error: unknown): void;
  },
): AccountCopy {
  const { home, seen } = dependencies;
  const heirs = createHeirs();
  const applied = createApplyEdits({ ...dependencies, ...heirs, userId });
  const entries = createKnownEntries({ ...applied, ...heirs });
  const step = createStep({ ...dependencies, ...heirs }, prefix, entries);
  const refused = new WeakMap<Edit, unknown>();

  /** One step takes all that the game sets in one task. */
  async function save(name: string, entry: KnownEntry): Promise<void> {
    entry.isPlanned = true;
    await Promise.resolve();
    entry.isPlanned = false;
    let taken: Edit[] = [];
    const refusals = new Map<Edit, unknown>();
    const putAll: RecordChange = (record) => {
      taken = [...entry.edits];
      for (const edit of taken.slice(-1)) {
        // The latest comes last.
        entry.given.delete(edit);
        entry.given.set(edit, record);
      }
      return applied.toRecord(name, record, taken, refusals);
    };
    await step(name, putAll, ({ value }, text, record) => {
      for (const [edit, reason] of refusals) refused.set(edit, reason);
      entries.stored(name, taken);
      entries.found(name, text, record);
      if (value !== entry.value) seen(name, 'tab');
    });
    dependencies.stored(name);
  }

  async function sync(name: string): Promise<void> {
    const leave: RecordChange = (record) => record;
    await step(name, leave, (entry, text, record) => {
      if (text === entry.text) return;
      entries.found(name, text, record);
      seen(name, 'tab');
    });
  }

  async function storedAs(name: string, edit: Edit | undefined): Promise<void> {
    await entries.at(name).saving;
    if (edit !== undefined && refused.has(edit)) throw refused.get(edit);
  }

  const opened = openEntries(home, prefix, entries);
  return {
    userId,
    inherit: (heir) => inheritAll(heir, heirs, entries),
    opened,
    names: entries.names,
    unsent: entries.unsent,
    storing: entries.storing,
    ahead: entries.ahead,
    offered: entries.offered,
    stored: async () => void (await Promise.all([...entries.storing].map((name) => entries.at(name).saving))),
    storedLast: (name) => storedAs(name, entries.get(name)?.edits.at(-1)),
    record: (name) => entries.get(name)?.record,
    value: (name) => entries.get(name)?.value,
    edit: async (name, edit) => {
      const entry = entries.at(name);
      const heir = dependencies.heir();
      if (heir !== null) heirs.inherit(heir, [edit.id]);
      entries.edited(name, edit);
      if (!entry.isPlanned) entry.saving = save(name, entry);
      seen(name, 'game');
      await storedAs(name, edit);
    },
    change: (name, by, change) =>
      step(name, change, (entry, text, record) => {
        const isNew = text !== entry.text;
        entries.found(name, text, record);
        if (!isNew) return;
        seen(name, by);
        dependencies.stored(name);
      }),
    planned: (name) => planOf(name, entries.get(name), applied, dependencies.page),
    sync: async (names) => {
      await Promise.all((names ?? entries.differing(await readTexts(home, prefix))).map(sync));
    },
  };
}

/** What the home has of an account, by the names of the entries. */
async function readTexts(home: Pick<Home, 'readAll'>, prefix: string): Promise<Map<string, string>> {
  const found = await home.readAll(prefix);
  return new Map([...found].map(([key, text]) => [key.slice(prefix.length), text]));
}

function openEntries(home: Pick<Home, 'readAll'>, prefix: string, entries: KnownEntries): Promise<void> {
  const opened = readTexts(home, prefix).then((texts) => takeTexts(entries, texts));
  // Whoever waits for it is told.
  opened.catch(() => {});
  return opened;
}

function takeTexts(entries: KnownEntries, texts: ReadonlyMap<string, string>): void {
  for (const { name, text, record } of longestUnsentFirst(texts)) {
    // What was set meanwhile has read its entry by itself.
    if (entries.get(name)?.text == null) entries.found(name, text, record);
  }
}

function longestUnsentFirst(texts: ReadonlyMap<string, string>) {
  const found = [...texts].map(([name, text]) => ({ name, text, record: readRecord(text) }));
  return found.sort((one, other) => (one.record?.since ?? 0) - (other.record?.since ?? 0));
}

/** Makes all that waits somebody's own. */
function inheritAll(heir: string, { inherit }: Heirs, entries: KnownEntries): void {
  inherit(heir, entries.writes());
  entries.readAgain();
}

/** What an entry comes to, by what the home may have got of it. */
function planOf(
  name: string,
  entry: Readonly<KnownEntry> | undefined,
  { toRecord }: Pick<ApplyEdits, 'toRecord'>,
  page: Pick<PageWrites, 'isLeft'>,
): PlannedRecords | undefined {
  if (entry === undefined || entry.edits.length === 0) return undefined;
  const { edits, given, record } = entry;
  const basis = [record, ...given.values()][given.size];
  const coming = notStored(basis, edits);
  const isSeen = (edit: Edit, index: number): boolean =>
    index === coming.length - 1 || given.has(edit) || page.isLeft(edit.id);
  const records = coming.flatMap((edit, index) =>
    isSeen(edit, index) ? (toRecord(name, basis, coming.slice(0, index + 1)) ?? []) : [],
  );
  return { basis, records };
}

/** Carries out one step of the home for an entry, after those before it; `done` hears at once what is stored then. */
type Step = (
  name: string,
  change: RecordChange,
  done: (entry: KnownEntry, text: string | null, record: EntryRecord | undefined) => void,
) => Promise<EntryRecord | undefined>;

function createStep(
  dependencies: Pick<Heirs, 'owned'> & { home: Pick<Home, 'update'>; journal: Pick<Journal, 'has' | 'isBlind'> },
  prefix: string,
  entries: Pick<KnownEntries, 'at'>,
): Step {
  const { home, journal, owned } = dependencies;
  return (name, change, done) => {
    const entry = entries.at(name);
    const run = async (): Promise<EntryRecord | undefined> => {
      let record: EntryRecord | undefined;
      const text = await home.update(prefix + name, (found) => {
        const stored = found === entry.text ? entry.stored : readRecord(found);
        const next = change(owned(stored));
        record = next ?? undefined;
        if (next === stored) return found;
        if (record === undefined) return null;
        record = forgetCounted(record, journal);
        return JSON.stringify(record);
      });
      done(entry, text, record);
      return record;
    };
    const mine = entry.last.then(run, run);
    entry.last = mine.catch(() => {});
    return mine;
  };
}
