import type {
  ConflictDifference,
  ConflictField,
  ConflictKind,
  ConflictSide,
  ShownField,
} from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { isPlainObject, sameJson } from '../../protocol/value-text.js';
import type { Slices } from '../slices.js';
import type { EntryName, PlacedRecord, ProfileRecord } from '../stores/records.js';

const encoder = new TextEncoder();

/** An entry, and what is said of it in any case. */
interface Measured {
  entry: PlacedRecord;
  bytes: number;
}

type MeasuredEntries = ReadonlyMap<string, Measured>;

/** What a player is shown of a conflict: both accounts, and how their entries compare. */
export interface ConflictSummary {
  local: ConflictSide;
  cloud: ConflictSide;
  kind: ConflictKind;
  ahead: 'local' | 'cloud' | null;
  diff: ConflictDifference[];
}

/**
 * Both accounts of a conflict, with the fields that the game asked for, and how their entries compare. Profiles may
 * have megabytes: each entry is looked at in a step of its own, so that others are served in between.
 */
export async function summarizeConflict(
  { local, cloud }: { local: ProfileRecord; cloud: ProfileRecord },
  show: readonly ConflictField[],
  slices: Slices,
): Promise<ConflictSummary> {
  const [mine, theirs] = [await measure(local.entries, slices), await measure(cloud.entries, slices)];
  return {
    local: await describeSide(local, mine, show, slices),
    cloud: await describeSide(cloud, theirs, show, slices),
    ...(await compareSides(mine, theirs, slices)),
  };
}

/** What the player is shown of one account in a conflict, with the fields that the game asked for. */
export async function summarizeSide(
  profile: ProfileRecord,
  show: readonly ConflictField[],
  slices: Slices,
): Promise<ConflictSide> {
  return describeSide(profile, await measure(profile.entries, slices), show, slices);
}

async function measure(entries: readonly PlacedRecord[], slices: Slices): Promise<MeasuredEntries> {
  const measured = new Map<string, Measured>();
  for (const entry of entries) {
    if (slices.isOver()) await slices.pause();
    measured.set(entryName(entry), { entry, bytes: encoder.encode(entry.text).length });
  }
  return measured;
}

async function describeSide(
  { account, links, entries }: ProfileRecord,
  measured: MeasuredEntries,
  show: readonly ConflictField[],
  slices: Slices,
): Promise<ConflictSide> {
  const fields: ShownField[] = [];
  for (const field of show) {
    if (slices.isOver()) await slices.pause();
    fields.push(readField(field, measured.get(entryName(field))?.entry.text));
  }
  return {
    userId: account.accountId,
    methods: [...new Set(links.map((link) => link.method))],
    createdAt: account.createdAt,
    changedAt: entries.reduce<number | null>((last, entry) => Math.max(last ?? 0, entry.changedAt), null),
    entries: entries.length,
    bytes: [...measured.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    fields,
  };
}

/**
 * How the entries of both accounts compare. Spec gap: up to 200 rows, those that differ first. Where both accounts hold
 * the same, the cloud is said to be ahead, because it is the account that usually stays.
 */
async function compareSides(
  mine: MeasuredEntries,
  theirs: MeasuredEntries,
  slices: Slices,
): Promise<Pick<ConflictSummary, 'kind' | 'ahead' | 'diff'>> {
  const rows: ConflictDifference[] = [];
  for (const name of new Set([...theirs.keys(), ...mine.keys()])) {
    if (slices.isOver()) await slices.pause();
    rows.push(await compareEntry(mine.get(name), theirs.get(name), slices));
  }
  const isAhead = (other: 'local' | 'cloud') => rows.every((row) => row.same || row[other] === null);
  const ahead = isAhead('local') ? 'cloud' : isAhead('cloud') ? 'local' : null;
  const diff = [...rows.filter((row) => !row.same), ...rows.filter((row) => row.same)];
  return {
    kind: ahead === null ? 'diverged' : 'fast-forward',
    ahead,
    diff: diff.slice(0, accountDefaults.maxConflictDifferences),
  };
}

async function compareEntry(
  local: Measured | undefined,
  cloud: Measured | undefined,
  slices: Slices,
): Promise<ConflictDifference> {
  const { collection = '', key = '' } = (local ?? cloud)?.entry ?? {};
  const same = await isSame(local?.entry, cloud?.entry, slices);
  return { collection, key, local: describeEntry(local), cloud: describeEntry(cloud), same };
}

/** A value of 150 KiB can be 50,000 empty lists: to parse one takes some ms, and so does to compare two. */
async function isSame(
  left: PlacedRecord | undefined,
  right: PlacedRecord | undefined,
  slices: Slices,
): Promise<boolean> {
  if (left === undefined || right === undefined) return false;
  if (left.text === right.text) return true;
  const values: unknown[] = [];
  for (const { text } of [left, right]) {
    values.push(JSON.parse(text));
    if (slices.isOver()) await slices.pause();
  }
  return sameJson(values[0], values[1]);
}

function describeEntry(measured: Measured | undefined): { version: number; bytes: number } | null {
  return measured === undefined ? null : { version: measured.entry.version, bytes: measured.bytes };
}

function entryName({ collection, key }: EntryName): string {
  return JSON.stringify([collection, key]);
}

/**
 * The value of one field, for a dialog: only text (shortened), numbers, booleans and null are shown, nothing larger.
 */
function readField(field: ConflictField, text: string | undefined): ShownField {
  if (text === undefined) return field;
  let value: unknown = JSON.parse(text);
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
