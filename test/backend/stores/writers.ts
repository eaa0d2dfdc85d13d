import type { Owner, PlacedRecord } from '../../../src/backend/stores/records.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { quotas, snapshot } from './contract-records.js';

/** The last write of an entry that was acknowledged. */
export interface Acknowledged {
  key: string;
  text: string;
  version: number;
}

/** Somebody who writes in an account, again and again, in entries that nobody else writes. */
export interface Writer {
  owner: Owner;
  /** Null for the game's back end. */
  sessionId: string | null;
  /** By key. */
  acknowledged: Map<string, Acknowledged>;
  /** Why the writer was told to stop; null while nobody has. */
  refused: string | null;
  write(): Promise<void>;
}

export type Random = (below: number) => number;

/** The same order of choices at every run; who is first to reach the store is not. */
export function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

let writers = 0;
let snapshots = 0;

/** An id that no other snapshot has. */
export const newSnapshot = () => snapshot(`snapshot-${++snapshots}`, { expiresAt: 1e9, max: 10_000 });

/** A writer of all kinds: forced, by version and new entries; with a name and without. */
export function createWriter(store: Store, owner: Owner, sessionId: string | null, random: Random): Writer {
  writers += 1;
  const id = `w${writers}`;
  const acknowledged = new Map<string, Acknowledged>();
  /** The version that the writer knows; a restored snapshot or a merge may have made another one. */
  const versions = new Map<string, number>();
  let count = 0;
  const writer: Writer = { owner, sessionId, acknowledged, refused: null, write };

  async function write(): Promise<void> {
    count += 1;
    const isNew = acknowledged.size === 0 || (acknowledged.size < 4 && random(4) === 0);
    const key = `${id}-${isNew ? acknowledged.size : random(acknowledged.size)}`;
    const known = versions.get(key) ?? 'absent';
    const text = JSON.stringify({ by: id, n: count });
    const written = await store.updateEntry({
      owner,
      sessionId,
      collection: 'c',
      key,
      text,
      version: known !== 'absent' && random(3) === 0 ? -1 : known,
      name: random(2) === 0 ? { device: id, write: `${count}` } : undefined,
      snapshot: newSnapshot(),
      quotas: quotas(10_000),
      now: 50,
    });
    if (written.outcome === 'written') {
      acknowledged.set(key, { key, text, version: written.version });
      versions.set(key, written.version);
    } else if (written.outcome === 'mismatch') {
      if (written.current !== null) versions.set(key, written.current.version);
    } else writer.refused = written.outcome;
  }

  return writer;
}

/** Has them write, each one write after the other, while `event` goes on, and a few times more; until they are refused. */
export async function writeDuring<Result>(writers: readonly Writer[], event: () => Promise<Result>): Promise<Result> {
  let left = Number.POSITIVE_INFINITY;
  const writing = writers.map(async (writer) => {
    for (let done = 0; done < left && writer.refused === null; done += 1) {
      await writer.write();
      // A store in memory answers without leaving the turn: the event has to have its own.
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  let result: Result;
  try {
    result = await event();
  } finally {
    left = 0;
  }
  await Promise.all(writing);
  for (const writer of writers) if (writer.refused === null) await writer.write();
  return result;
}

/** The writes that were acknowledged and are in none of these entries, each as the last of its entry. */
export function missing(writer: Writer, ...places: readonly (readonly PlacedRecord[])[]): Acknowledged[] {
  const found = new Set(places.flat().map(({ key, text }) => `${key} ${text}`));
  return [...writer.acknowledged.values()].filter(({ key, text }) => !found.has(`${key} ${text}`));
}
