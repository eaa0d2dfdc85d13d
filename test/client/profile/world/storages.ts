import type { StoragePort } from 'savepoint';
import type { Page } from './device.js';
import type { Turns } from './turns.js';

/**
 * How a storage does: `fails` at everything, is `full` so that nothing can be written, or `stalls`: what is asked of it is
 * carried out when it does well again.
 */
export type Condition = 'well' | 'fails' | 'full' | 'stalls';

/** What a device keeps as texts by key, with all that can be wrong with it. */
export interface Shelf {
  readonly texts: Map<string, string>;
  condition: Condition;
  /** So many writes fail from now on. */
  failing: number;
  /** How many have failed so. */
  failed: number;
  /** Whether pages can reach it at all when they start. */
  isBlocked: boolean;
  /** Lets what waits go on. */
  release(): void;
  wait(task: () => void): void;
  /** Whether the write that is made now is one of those that fail. */
  fails(): boolean;
  /** Throws where the operation fails. What is full can still be read, and emptied. */
  check(operation: 'read' | 'write' | 'remove'): void;
}

export function createShelf(): Shelf {
  const waiting: (() => void)[] = [];
  const shelf: Shelf = {
    texts: new Map(),
    condition: 'well',
    failing: 0,
    failed: 0,
    isBlocked: false,
    release: () => {
      for (const go of waiting.splice(0)) go();
    },
    wait: (task) => void waiting.push(task),
    fails: () => {
      const isOne = shelf.failing > 0;
      if (isOne) {
        shelf.failing -= 1;
        shelf.failed += 1;
      }
      return isOne;
    },
    check: (operation) => {
      if (shelf.condition === 'fails') throw new DOMException('The storage fails.', 'UnknownError');
      if (operation !== 'write') return;
      if (shelf.condition === 'full') throw new DOMException('The storage is full.', 'QuotaExceededError');
      if (shelf.fails()) throw new DOMException('The write failed.', 'UnknownError');
    },
  };
  return shelf;
}

const never = new Promise<never>(() => {});

/** Carries out an operation of a page, which may die at it. */
function operate<T>(page: Page, act: () => T): T {
  const { fuse } = page;
  if (!page.isAlive) return never as T;
  if (fuse === null) return act();
  fuse.operations -= 1;
  if (fuse.operations > 0) return act();
  if (fuse.isLastDone) act();
  page.kill(fuse);
  return never as T;
}

/** A storage that the game passes in: three methods, or four. */
export function customStorage(
  page: () => Page,
  shelf: Shelf,
  { turns, isAsync, canSwap }: { turns: Turns; isAsync: boolean; canSwap: boolean },
): StoragePort {
  const { texts } = shelf;
  function operation<T>(kind: 'read' | 'write' | 'remove', act: () => T): T | Promise<T> {
    const run = (): T =>
      operate(page(), () => {
        shelf.check(kind);
        return act();
      });
    if (!isAsync) return run();
    return new Promise((resolve, reject) => {
      const answer = (): void => {
        if (shelf.condition === 'stalls') {
          shelf.wait(() => turns.later(answer, page()));
          return;
        }
        try {
          resolve(run());
        } catch (error) {
          reject(error);
        }
      };
      turns.later(answer, page());
    });
  }
  const set = (key: string, value: string): void => void texts.set(key, value);
  return {
    getItem: (key) => operation('read', () => texts.get(key) ?? null),
    setItem: (key, value) => operation('write', () => set(key, value)),
    removeItem: (key) => operation('remove', () => void texts.delete(key)),
    ...(canSwap && {
      swap: (key: string, from: string, to: string) =>
        operation('write', () => {
          const found = texts.get(key) ?? '';
          if (found !== from) return found;
          set(key, to);
          return null;
        }),
    }),
  };
}

/** localStorage as a page sees it; `written` hears of what other pages are told: of what has changed, as the standard has it. */
export function localStorageOf(page: Page, shelf: Shelf, written: (key: string) => void): Storage {
  const { texts } = shelf;
  const write = (kind: 'write' | 'remove', key: string, act: () => void): void =>
    operate(page, () => {
      shelf.check(kind);
      const before = texts.get(key);
      act();
      if (texts.get(key) !== before) written(key);
    });
  const read = <T>(act: () => T): T =>
    operate(page, () => {
      shelf.check('read');
      return act();
    });
  return {
    get length() {
      return read(() => texts.size);
    },
    key: (index) => read(() => [...texts.keys()][index] ?? null),
    getItem: (key) => read(() => texts.get(key) ?? null),
    setItem: (key, value) => write('write', key, () => void texts.set(key, String(value))),
    removeItem: (key) => write('remove', key, () => void texts.delete(key)),
    clear: () => write('remove', '', () => texts.clear()),
  };
}
