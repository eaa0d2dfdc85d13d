import type {
  ConflictDifference,
  ConflictField,
  ConflictKind,
  ConflictSide,
  ShownField,
} from '../../protocol/conflict.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { isPlainObject, sameJson } from '../../protocol/value-text.js';
import type { EntryName, PlacedRecord, ProfileRecord } from '../stores/records.js';

const encoder = new TextEncoder();

/** What the player is shown of one account in a conflict, with the fields that the game asked for. */
export function summarizeSide(
  { account, links, entries }: ProfileRecord,
  show: readonly ConflictField[],
): ConflictSide {
  const byName = new Map(entries.map((entry) => [entryName(entry), entry.text]));
  return {
    userId: account.accountId,
    methods: [...new Set(links.map((link) => link.method))],
    createdAt: account.createdAt,
    changedAt: entries.reduce<number | null>((last, entry) => Math.max(last ?? 0, entry.changedAt), null),
    entries: entries.length,
    bytes: entries.reduce((sum, entry) => sum + bytesOf(entry), 0),
    fields: show.map((field) => readField(field, byName.get(entryName(field)))),
  };
}

/**
 * How the entries of both accounts compare. Spec gap: up to 200 rows, those that differ first. Where both accounts hold
 * the same, the cloud is said to be ahead, because it is the account that usually stays.
 */
export function compareSides(
  local: readonly PlacedRecord[],
  cloud: readonly PlacedRecord[],
): { kind: ConflictKind; ahead: 'local' | 'cloud' | null; diff: ConflictDifference[] } {
  const [mine, theirs] = [entriesByName(local), entriesByName(cloud)];
  const names = [...new Set([...theirs.keys(), ...mine.keys()])];
  const rows = names.map((name) => compareEntry(mine.get(name), theirs.get(name)));
  const isAhead = (other: 'local' | 'cloud') => rows.every((row) => row.same || row[other] === null);
  const ahead = isAhead('local') ? 'cloud' : isAhead('cloud') ? 'local' : null;
  const diff = [...rows.filter((row) => !row.same), ...rows.filter((row) => row.same)];
  return {
    kind: ahead === null ? 'diverged' : 'fast-forward',
    ahead,
    diff: diff.slice(0, accountDefaults.maxConflictDifferences),
  };
}

function compareEntry(local: PlacedRecord | undefined, cloud: PlacedRecord | undefined): ConflictDifference {
  const { collection = '', key = '' } = local ?? cloud ?? {};
  return { collection, key, local: describeEntry(local), cloud: describeEntry(cloud), same: isSame(local, cloud) };
}

function isSame(left: PlacedRecord | undefined, right: PlacedRecord | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.text === right.text || sameJson(JSON.parse(left.text), JSON.parse(right.text));
}

function describeEntry(entry: PlacedRecord | undefined): { version: number; bytes: number } | null {
  return entry === undefined ? null : { version: entry.version, bytes: bytesOf(entry) };
}

function bytesOf({ text }: { text: string }): number {
  return encoder.encode(text).length;
}

function entriesByName(entries: readonly PlacedRecord[]): Map<string, PlacedRecord> {
  return new Map(entries.map((entry) => [entryName(entry), entry]));
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
