import type { Slices } from '../slices.js';
import type { EntryInfo } from '../stores/operator-requests.js';
import type { EntryName, Owner, PlacedRecord } from '../stores/records.js';
import { compareNames } from '../stores/rules/held-entries.js';
import type { Store } from '../stores/store.js';

/** How many entries are looked at, without their values, to find out how many may be read at once. */
const namesAtOnce = 500;
/** How many bytes of values are read at once: one entry may be more. */
const bytesAtOnce = 256 * 1_024;

/** What entries are read by. */
export interface EntryReading {
  store: Pick<Store, 'listEntries' | 'readEntries'>;
  slices: Slices;
}

/**
 * All entries of an account by collection and key, each in the order of its UTF-8 bytes. No more than a page of values is
 * held, and others are served between two pages, so that a page is of one moment, and the whole of several. None where there
 * is no such account.
 */
export async function* entriesInOrder(
  { store, slices }: EntryReading,
  owner: Owner,
): AsyncGenerator<PlacedRecord, null> {
  let after: EntryName | null = null;
  for (;;) {
    const infos: readonly EntryInfo[] = (await store.listEntries({ owner, after, max: namesAtOnce })) ?? [];
    const last = infos.at(-1);
    if (last === undefined) return null;
    for (const max of pagesOf(infos)) {
      if (slices.isOver()) await slices.pause();
      const page: readonly PlacedRecord[] = (await store.readEntries({ owner, after, max })) ?? [];
      yield* page;
      after = page.at(-1) ?? after;
    }
    // Entries that have come in between have taken the places of others in the pages: those are still to be read.
    if (infos.length < namesAtOnce && (after === null || compareNames(after, last) >= 0)) return null;
  }
}

/** How many entries each page has. */
function* pagesOf(infos: readonly EntryInfo[]): Generator<number> {
  let [entries, bytes] = [0, 0];
  for (const info of infos) {
    if (entries > 0 && bytes + info.bytes > bytesAtOnce) {
      yield entries;
      [entries, bytes] = [0, 0];
    }
    entries += 1;
    bytes += info.bytes;
  }
  yield entries;
}
