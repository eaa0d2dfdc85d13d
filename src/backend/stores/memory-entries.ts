import { versions } from '../../protocol/gaps.js';
import type { MemoryAccount, MemoryEntry } from './memory-tables.js';
import type { AccountSummary, EntryName, EntryRecord, WriteOutcome, WriteRequest } from './store.js';

const encoder = new TextEncoder();

/** `Store.writeEntry` on an account. */
export function writeInAccount(account: MemoryAccount, request: WriteRequest): WriteOutcome {
  const { collection, key, text, version, maxEntries, now } = request;
  const entries = account.collections.get(collection) ?? new Map<string, MemoryEntry>();
  const current = entries.get(key);
  if (version !== versions.force && version !== (current?.version ?? 'absent')) {
    return { outcome: 'mismatch', current: current === undefined ? null : copyEntry(current) };
  }
  if (current === undefined && entries.size >= maxEntries) return { outcome: 'full' };
  const written = current === undefined ? versions.first : current.version + 1;
  entries.set(key, { key, text, version: written, changedAt: now, bytes: encoder.encode(text).length });
  account.collections.set(collection, entries);
  return { outcome: 'written', version: written };
}

export function readFromAccount(account: MemoryAccount, collection: string): EntryRecord[] {
  const entries = [...(account.collections.get(collection)?.values() ?? [])];
  return entries.map(copyEntry).sort((left, right) => compareUtf8(left.key, right.key));
}

export function summarizeEntries(
  account: MemoryAccount,
  wanted: readonly EntryName[],
): Pick<AccountSummary, 'entries' | 'bytes' | 'changedAt' | 'wanted'> {
  const entries = [...account.collections.values()].flatMap((collection) => [...collection.values()]);
  const found = wanted.flatMap(({ collection, key }) => {
    const entry = account.collections.get(collection)?.get(key);
    return entry === undefined ? [] : [{ collection, key, text: entry.text }];
  });
  return {
    entries: entries.length,
    bytes: entries.reduce((sum, entry) => sum + entry.bytes, 0),
    changedAt: entries.reduce<number | null>((last, entry) => Math.max(last ?? 0, entry.changedAt), null),
    wanted: found,
  };
}

/** The order of UTF-8 bytes is that of code points, which is not that of UTF-16: a surrogate sorts after U+FFFF. */
function compareUtf8(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return orderOf(a) - orderOf(b);
  }
  return left.length - right.length;
}

function orderOf(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function copyEntry({ key, text, version, changedAt }: EntryRecord): EntryRecord {
  return { key, text, version, changedAt };
}
