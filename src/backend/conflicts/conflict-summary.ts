import type {
  ConflictDifference,
  ConflictField,
  ConflictKind,
  ConflictSide,
  ShownField,
} from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { isPlainObject, sameJson } from '../../protocol/value-text.js';
import { lengthOf } from '../entries/entries.js';
import { type EntryReading, entriesInOrder } from '../entries/entries-in-order.js';
import type { Slices } from '../slices.js';
import type { AccountDetails, Owner, PlacedRecord } from '../stores/records.js';
import { compareNames } from '../stores/rules/held-entries.js';
import type { Store } from '../stores/store.js';

const encoder = new TextEncoder();

/** What a player is shown of a conflict: both accounts, and how their entries compare. */
export interface ConflictSummary {
  local: ConflictSide;
  cloud: ConflictSide;
  kind: ConflictKind;
  ahead: 'local' | 'cloud' | null;
  diff: ConflictDifference[];
}

/** How many characters were read for a summary, with what devices keep beside the values. */
interface Weighed {
  read: number;
}

/** What a summary is made by. */
export interface SummaryReading extends EntryReading {
  store: EntryReading['store'] & Pick<Store, 'readAccount'>;
}

/**
 * Both accounts of a conflict, with the fields that the game asked for, and how their entries compare; null where one of
 * them is gone. Profiles may have megabytes: both are gone through side by side, entry by entry, so that a page of each is
 * held, and others are served in between.
 */
export async function summarizeConflict(
  reading: SummaryReading,
  accounts: { local: Owner; cloud: Owner },
  show: readonly ConflictField[],
): Promise<(ConflictSummary & Weighed) | null> {
  const { slices } = reading;
  const [mine, theirs, comparison] = [createTally(show), createTally(show), createComparison()];
  for await (const { local, cloud } of pairsOf(reading, accounts)) {
    const { collection = '', key = '' } = local ?? cloud ?? {};
    if (slices.isOver()) await slices.pause();
    const ofMine = mine.add(local);
    if (slices.isOver()) await slices.pause();
    const ofTheirs = theirs.add(cloud);
    const same = await isSame(local, cloud, slices);
    comparison.add({ collection, key, local: ofMine, cloud: ofTheirs, same });
  }
  const [local, cloud] = [
    await reading.store.readAccount(accounts.local),
    await reading.store.readAccount(accounts.cloud),
  ];
  if (local === null || cloud === null) return null;
  const read = mine.read() + theirs.read();
  return { local: mine.describe(local), cloud: theirs.describe(cloud), ...comparison.outcome(), read };
}

/**
 * What the player is shown of one account in a conflict, with the fields that the game asked for, and the account as it was
 * after all of it had been read; null where it is gone.
 */
export async function summarizeSide(
  reading: SummaryReading,
  owner: Owner,
  show: readonly ConflictField[],
): Promise<({ side: ConflictSide; details: AccountDetails } & Weighed) | null> {
  const tally = createTally(show);
  for await (const entry of entriesInOrder(reading, owner)) {
    if (reading.slices.isOver()) await reading.slices.pause();
    tally.add(entry);
  }
  const details = await reading.store.readAccount(owner);
  return details === null ? null : { side: tally.describe(details), details, read: tally.read() };
}

/** The entries of one name in both accounts; null where an account has none of it. */
interface Pair {
  local: PlacedRecord | null;
  cloud: PlacedRecord | null;
}

async function* pairsOf(reading: EntryReading, { local, cloud }: { local: Owner; cloud: Owner }): AsyncGenerator<Pair> {
  const [locals, clouds] = [entriesInOrder(reading, local), entriesInOrder(reading, cloud)];
  let [mine, theirs] = [(await locals.next()).value, (await clouds.next()).value];
  while (mine !== null || theirs !== null) {
    const order = mine === null ? 1 : theirs === null ? -1 : compareNames(mine, theirs);
    yield { local: order <= 0 ? mine : null, cloud: order >= 0 ? theirs : null };
    if (order <= 0) mine = (await locals.next()).value;
    if (order >= 0) theirs = (await clouds.next()).value;
  }
}

/** Adds up what is said of an account. */
interface Tally {
  /** What is said of the entry in the list of differences. */
  add(entry: PlacedRecord | null): ConflictDifference['local'];
  describe(details: AccountDetails): ConflictSide;
  read(): number;
}

function createTally(show: readonly ConflictField[]): Tally {
  const fields: ShownField[] = [...show];
  let [entries, bytes, read] = [0, 0, 0];
  let changedAt: number | null = null;

  function readFields(entry: PlacedRecord): void {
    const asked = show.flatMap((field, place) => (compareNames(field, entry) === 0 ? [{ field, place }] : []));
    if (asked.length === 0) return;
    const value: unknown = JSON.parse(entry.text);
    for (const { field, place } of asked) fields[place] = readField(field, value);
  }

  return {
    add(entry) {
      if (entry === null) return null;
      const size = encoder.encode(entry.text).length;
      entries += 1;
      bytes += size;
      read += lengthOf([entry]);
      changedAt = Math.max(changedAt ?? 0, entry.changedAt);
      readFields(entry);
      return { version: entry.version, bytes: size };
    },
    describe: ({ account, links }) => ({
      userId: account.accountId,
      methods: [...new Set(links.map((link) => link.method))],
      createdAt: account.createdAt,
      changedAt,
      entries,
      bytes,
      fields,
    }),
    read: () => read,
  };
}

/** How the entries of both accounts compare. */
interface Comparison {
  add(row: ConflictDifference): void;
  outcome(): Pick<ConflictSummary, 'kind' | 'ahead' | 'diff'>;
}

/**
 * Spec gap: up to 200 rows, those that differ first. Where both accounts hold the same, the cloud is said to be ahead,
 * because it is the account that usually stays.
 */
function createComparison(): Comparison {
  const { maxConflictDifferences: max } = accountDefaults;
  const [differing, same]: [ConflictDifference[], ConflictDifference[]] = [[], []];
  /** Whether an account has something that the other one has not. */
  const hasMore = { local: false, cloud: false };
  return {
    add(row) {
      const rows = row.same ? same : differing;
      if (rows.length < max) rows.push(row);
      for (const side of ['local', 'cloud'] as const) hasMore[side] ||= !row.same && row[side] !== null;
    },
    outcome() {
      const ahead = hasMore.local ? (hasMore.cloud ? null : 'local') : 'cloud';
      const diff = [...differing, ...same].slice(0, max);
      return { kind: ahead === null ? 'diverged' : 'fast-forward', ahead, diff };
    },
  };
}

/** A value of 150 KiB can be 50,000 empty lists: to parse one takes some ms, and so does to compare two. */
async function isSame(left: PlacedRecord | null, right: PlacedRecord | null, slices: Slices): Promise<boolean> {
  if (left === null || right === null) return false;
  if (left.text === right.text) return true;
  const values: unknown[] = [];
  for (const { text } of [left, right]) {
    if (slices.isOver()) await slices.pause();
    values.push(JSON.parse(text));
  }
  if (slices.isOver()) await slices.pause();
  return sameJson(values[0], values[1]);
}

/**
 * The value of one field, for a dialog: only text (shortened), numbers, booleans and null are shown, nothing larger.
 */
function readField(field: ConflictField, whole: unknown): ShownField {
  let value = whole;
  for (const name of field.field.split('.')) {
    value = isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  if (typeof value === 'string') return { ...field, value: shorten(value) };
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return { ...field, value };
  return field;
}

function shorten(text: string): string {
  if (text.length <= accountDefaults.maxConflictFieldText) return text;
  // Half of a surrogate pair at the end is dropped.
  return text.slice(0, accountDefaults.maxConflictFieldText).replace(/[\uD800-\uDBFF]$/, '');
}
