import { isPlainObject } from '../../protocol/value-text.js';
import type { Storages } from '../platform/storages.js';
import type { StoragePort } from '../storage/storage-port.js';
import type { Write } from './entry-record.js';

/** What a page was about to store in an entry when it was hidden. */
export interface JournalItem {
  readonly userId: string;
  /** The entry, by `nameOf`. */
  readonly name: string;
  /**
   * One made of the other, and the last is what the game saw. The home may have got any of them, and it has got those before
   * it then.
   */
  readonly writes: readonly [Write, ...Write[]];
  /** The version that they rest on. */
  readonly version: number;
  /** What the game had changed; undefined for a new entry. */
  readonly before: Write['value'] | undefined;
  /** Whether the service may have been asked to carry out the first of them. */
  readonly isAsked: boolean;
}

/**
 * What pages were about to store when they were hidden, in a storage that answers at once: a page may be gone before the
 * device's home has taken anything more. The next page folds it in.
 */
export interface Journal {
  /** Keeps an item, in the place of those that it goes on; false where no storage answers at once, or where it is full. */
  put(item: JournalItem): boolean;
  /** Those of an account, or of one of its entries. There are none before an account. */
  items(userId: string | null, name?: string): JournalItem[];
  /** The item whose last write this is. */
  find(last: string): JournalItem | undefined;
  /** Whether this write is in an item: it may be asked of the record whether it counts. */
  has(write: string): boolean;
  /** Whether a hidden page may have asked the service for this write. */
  isAsked(write: string): boolean;
  /** This write counts, or is given up: its item keeps what comes after it, or is dropped. */
  settled(write: string): void;
}

/** `place` is the game's own storage, or what gives localStorage where the platform has it. */
export function createJournal(place: StoragePort | Pick<Storages, 'localStorage'> | undefined, key: string): Journal {
  const open = (): StoragePort | undefined =>
    place !== undefined && 'getItem' in place ? place : place?.localStorage();

  /** Whether the storage answers in promises: then it can hold no journal, and is not asked again. */
  let isAsync = false;

  /** Notes an answer that is a promise. Nobody waits for it, so that its failure is nobody's. */
  function noteAsync(answer: unknown): void {
    if (typeof (answer as PromiseLike<unknown> | null | undefined)?.then !== 'function') return;
    isAsync = true;
    (answer as PromiseLike<unknown>).then(undefined, () => {});
  }

  function read(): JournalItem[] {
    if (isAsync) return [];
    try {
      const text = open()?.getItem(key);
      noteAsync(text);
      const items: unknown = typeof text === 'string' ? JSON.parse(text) : [];
      return Array.isArray(items) ? items.filter(isItem) : [];
    } catch {
      // It is damaged, or the page may not read it.
      return [];
    }
  }

  function write(items: readonly JournalItem[]): boolean {
    if (isAsync) return false;
    try {
      const storage = open();
      const done = items.length === 0 ? storage?.removeItem(key) : storage?.setItem(key, JSON.stringify(items));
      noteAsync(done);
      return storage !== undefined && !isAsync;
    } catch {
      return false;
    }
  }

  return {
    put: (item) => write([...read().flatMap((earlier) => leftBeside(item, earlier)), item]),
    items: (userId, name) => read().filter((item) => item.userId === userId && (name ?? item.name) === item.name),
    find: (last) => read().find(({ writes }) => lastOf(writes).id === last),
    has: (id) => read().some((item) => hasWrite(item, id)),
    isAsked: (id) => read().some(({ isAsked, writes }) => isAsked && writes[0].id === id),
    settled: (id) => {
      const items = read();
      if (items.some((item) => hasWrite(item, id))) write(items.flatMap((item) => restAfter(item, id)));
    },
  };
}

const hasWrite = ({ writes }: JournalItem, id: string): boolean => writes.some((write) => write.id === id);

/** What is left of an item where another one is put: what that goes on is in that. */
function leftBeside(item: JournalItem, earlier: JournalItem): JournalItem[] {
  const { writes, isAsked } = earlier;
  if (!hasWrite(item, lastOf(writes).id)) return [earlier];
  return isAsked && !hasWrite(item, writes[0].id) ? [{ ...earlier, writes: [writes[0]] }] : [];
}

/** What is left of an item where one of its writes counts: those before it are in it. */
function restAfter(item: JournalItem, id: string): JournalItem[] {
  const index = item.writes.findIndex((write) => write.id === id);
  if (index < 0) return [item];
  const [next, ...others] = item.writes.slice(index + 1);
  if (next === undefined) return [];
  return [{ ...item, before: item.writes[index]?.value, writes: [next, ...others], isAsked: false }];
}

/** The last of some things, of which there is at least one. */
export function lastOf<T>(things: readonly [T, ...T[]]): T {
  return things[things.length - 1] as T;
}

/** Whether it has what is read of it: one damaged item must hold back no other. */
function isItem(item: unknown): item is JournalItem {
  if (!isPlainObject(item) || typeof item['name'] !== 'string') return false;
  const { writes } = item;
  return Array.isArray(writes) && writes.length > 0 && writes.every(isPlainObject);
}
