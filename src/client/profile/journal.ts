import { isPlainObject } from '../../protocol/value-text.js';
import type { Storages } from '../platform/storages.js';
import type { StoragePort } from '../storage/storage-port.js';
import type { Write } from './entry-record.js';
import { createJournalSlots } from './journal-slots.js';

/** What a page was about to store in an entry when it was hidden. */
export interface JournalItem {
  readonly userId: string;
  /** The entry, by `nameOf`. */
  readonly name: string;
  /**
   * One made of the other, and the last is what the game saw. The home may have got any of them, and it has
   * got those before it then.
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
 * What pages were about to store when they were hidden, in a storage that answers at once: a page may be gone before
 * the device's home has taken anything more. The next page folds it in.
 */
export interface Journal {
  /**
   * Keeps an item, in the place of those that it goes on; false where no storage answers at once, or where it is full.
   */
  put(item: JournalItem): boolean;
  /** Those of an account, or of one of its entries. There are none before an account. */
  items(userId: string | null, name?: string): JournalItem[];
  /** The item whose last write this is. */
  find(last: string): JournalItem | undefined;
  /** Whether this write is in an item: it may be asked of the record whether it counts. */
  has(write: string): boolean;
  /** Whether a hidden page may have asked the service for this write, as far as can be read. */
  isAsked(write: string): boolean;
  /** Whether there may be items that cannot be read here: localStorage fails, or this is a worker, which has none. */
  isBlind(): boolean;
  /** This write counts, or is given up: its item keeps what comes after it, or is dropped. */
  settled(write: string): void;
}

/** `place` is the game's own storage, or what gives localStorage where the platform has it. */
export function createJournal(place: StoragePort | Pick<Storages, 'localStorage'> | undefined, key: string): Journal {
  const open = (): StoragePort | undefined =>
    place !== undefined && 'getItem' in place ? place : place?.localStorage();
  const slots = createJournalSlots(open, key);

  /** By slot, in the order in which they were put. */
  function read(): Map<string, JournalItem> {
    const items = [...slots.read()].flatMap(([slot, text]) => {
      const item = readItem(text);
      return item === undefined ? [] : [[slot, item] as const];
    });
    return new Map(items.sort(([one], [other]) => turnOf(one) - turnOf(other)));
  }

  const items = (): JournalItem[] => [...read().values()];

  function write(slot: string, item: JournalItem | undefined): boolean {
    return slots.write(slot, item === undefined ? null : JSON.stringify(item));
  }

  return {
    put: (item) => {
      const earlier = read();
      const turn = Math.max(0, ...[...earlier.keys()].map(turnOf)) + 1;
      const slot = `${turn}:${lastOf(item.writes).id}`;
      if (!write(slot, item)) return false;
      for (const [slot, one] of earlier) {
        const left = leftBeside(item, one);
        if (left !== one) write(slot, left);
      }
      return true;
    },
    items: (userId, name) => items().filter((item) => item.userId === userId && (name ?? item.name) === item.name),
    find: (last) => items().find(({ writes }) => lastOf(writes).id === last),
    has: (id) => items().some((item) => hasWrite(item, id)),
    isAsked: (id) => items().some(({ isAsked, writes }) => isAsked && writes[0].id === id),
    isBlind: slots.isBlind,
    settled: (id) => {
      for (const [slot, item] of read()) if (hasWrite(item, id)) write(slot, restAfter(item, id));
    },
  };
}

/** When an item was put, counted from the others that were there: no clock can turn them round. */
const turnOf = (slot: string): number => Number.parseInt(slot, 10) || 0;

const hasWrite = ({ writes }: JournalItem, id: string): boolean => writes.some((write) => write.id === id);

/** What is left of an item where another one is put: what that goes on is in that. */
function leftBeside(item: JournalItem, earlier: JournalItem): JournalItem | undefined {
  const { writes, isAsked } = earlier;
  if (!hasWrite(item, lastOf(writes).id)) return earlier;
  return isAsked && !hasWrite(item, writes[0].id) ? { ...earlier, writes: [writes[0]] } : undefined;
}

/** What is left of an item where one of its writes counts: those before it are in it. */
function restAfter(item: JournalItem, id: string): JournalItem | undefined {
  const index = item.writes.findIndex((write) => write.id === id);
  const [next, ...others] = item.writes.slice(index + 1);
  if (next === undefined) return undefined;
  return { ...item, before: item.writes[index]?.value, writes: [next, ...others], isAsked: false };
}

/** The last of some things, of which there is at least one. */
export function lastOf<T>(things: readonly [T, ...T[]]): T {
  return things[things.length - 1] as T;
}

/** Undefined for what is no item: one that is damaged must hold back no other. */
function readItem(text: string): JournalItem | undefined {
  try {
    const item: unknown = JSON.parse(text);
    return isItem(item) ? item : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it has what is read of it. */
function isItem(item: unknown): item is JournalItem {
  if (!isPlainObject(item) || typeof item['name'] !== 'string') return false;
  const { writes } = item;
  return Array.isArray(writes) && writes.length > 0 && writes.every(isPlainObject);
}
