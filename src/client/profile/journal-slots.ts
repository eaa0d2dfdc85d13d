import { isPlainObject } from '../../protocol/value-text.js';
import type { StoragePort } from '../storage/storage-port.js';
import { isWebStorage } from '../storage/web-storage-home.js';

/** The texts of a journal by slot, in a storage that answers at once. */
export interface JournalSlots {
  /** Whether nothing can be read, at present or ever: what others have written, it does not know. */
  isBlind(): boolean;
  read(): Map<string, string>;
  /** Null empties the slot. Gives false where no storage answers at once, or where it is full. */
  write(slot: string, text: string | null): boolean;
}

/**
 * Each slot has a key of its own in a storage that can name its keys, as localStorage does: the tabs of a browser are
 * processes of their own, which hear late what another has written, so that none may write what others have written
 * too. Any other storage has all slots in one text.
 */
export function createJournalSlots(open: () => StoragePort | undefined, key: string): JournalSlots {
  /** Whether the storage answers in promises: then it can hold no journal, and is not asked again. */
  let isAsync = false;

  /** Notes an answer that is a promise. Nobody waits for it, so that its failure is nobody's. */
  function noteAsync(answer: unknown): void {
    if (typeof (answer as PromiseLike<unknown> | null | undefined)?.then !== 'function') return;
    isAsync = true;
    (answer as PromiseLike<unknown>).then(undefined, () => {});
  }

  function readText(storage: StoragePort, name: string): string | null {
    const text = storage.getItem(name);
    noteAsync(text);
    return typeof text === 'string' ? text : null;
  }

  function writeText(storage: StoragePort, name: string, text: string | null): void {
    noteAsync(text === null ? storage.removeItem(name) : storage.setItem(name, text));
  }

  const prefix = `${key}:`;
  const readApart = (storage: Storage): [slot: string, text: string][] =>
    namesIn(storage)
      .filter((name) => name.startsWith(prefix))
      .map((name) => [name.slice(prefix.length), readText(storage, name) ?? '']);

  function readTogether(storage: StoragePort): Map<string, string> {
    const all = parsed(readText(storage, key));
    return new Map(Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
  }

  function writeTogether(storage: StoragePort, slot: string, text: string | null): void {
    const all = readTogether(storage);
    all.delete(slot);
    if (text !== null) all.set(slot, text);
    if (!isAsync) writeText(storage, key, all.size === 0 ? null : JSON.stringify(Object.fromEntries(all)));
  }

  /** Undefined where no storage answers at once, or the page may not read it, or it fails. */
  function readAll(): Map<string, string> | undefined {
    try {
      const storage = isAsync ? undefined : open();
      if (storage === undefined) return undefined;
      const all = isWebStorage(storage) ? new Map(readApart(storage)) : readTogether(storage);
      return isAsync ? undefined : all;
    } catch {
      return undefined;
    }
  }

  return {
    isBlind: () => readAll() === undefined,
    read: () => readAll() ?? new Map(),
    write: (slot, text) => {
      try {
        const storage = isAsync ? undefined : open();
        if (storage === undefined) return false;
        if (isWebStorage(storage)) writeText(storage, prefix + slot, text);
        else writeTogether(storage, slot, text);
        return !isAsync;
      } catch {
        return false;
      }
    },
  };
}

function namesIn(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
}

/** Nothing where it is damaged. */
function parsed(text: string | null): object {
  try {
    const all: unknown = JSON.parse(text ?? '{}');
    return isPlainObject(all) ? all : {};
  } catch {
    return {};
  }
}
