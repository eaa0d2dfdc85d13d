import { isPlainObject } from '../../protocol/value-text.js';
import type { Storages } from '../platform/storages.js';
import type { StoragePort } from '../storage/storage-port.js';
import type { Write } from './entry-record.js';

/** A write that a page was about to store when it was hidden. */
export interface JournalItem {
  readonly userId: string;
  /** The entry, by `nameOf`. */
  readonly name: string;
  readonly write: Write;
  /** The version that it rests on. */
  readonly version: number;
  /** What the game had changed; undefined for a new entry. */
  readonly before: Write['value'] | undefined;
  /** Whether the service may have been asked to carry it out. */
  readonly isAsked: boolean;
}

/**
 * What pages were about to store when they were hidden, in a storage that answers at once: a page may be gone before the
 * device's home has taken anything more. The next page folds it in.
 */
export interface Journal {
  /** Keeps an item; false where there is no storage that answers at once, or where it is full. */
  add(item: JournalItem): boolean;
  items(userId: string): JournalItem[];
  /** Whether it has the item of this write. */
  has(id: string): boolean;
  /** Drops the item of this write. */
  remove(id: string): void;
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
    add: (item) => write([...read(), item]),
    items: (userId) => read().filter((item) => item.userId === userId),
    has: (id) => read().some((item) => item.write.id === id),
    remove: (id) => {
      const items = read();
      const left = items.filter((item) => item.write.id !== id);
      if (left.length < items.length) write(left);
    },
  };
}

/** Whether it has what is read of it: one damaged item must hold back no other. */
function isItem(item: unknown): item is JournalItem {
  return isPlainObject(item) && typeof item['name'] === 'string' && isPlainObject(item['write']);
}
