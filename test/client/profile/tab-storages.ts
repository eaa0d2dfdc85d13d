import type { StoragePort } from '../../../src/client/storage/storage-port.js';

/** localStorage as one tab sees it, and what lets the tab hear of the others. */
export interface TabStorage extends StoragePort, Pick<Storage, 'key' | 'length'> {
  hear(): void;
  getItem(key: string): string | null;
}

/**
 * localStorage as a browser gives it to tabs that are processes of their own: what a tab writes counts, in the order of all
 * writes, and another tab reads it only once it has heard of it; at once where nothing `isLate`.
 */
export function createTabStorages({ isLate = true } = {}): { open(): TabStorage; texts(): Map<string, string> } {
  const written: { key: string; text: string | null }[] = [];

  function apply(texts: Map<string, string>, { key, text }: { key: string; text: string | null }): void {
    if (text === null) texts.delete(key);
    else texts.set(key, text);
  }

  function open(): TabStorage {
    let texts = textsOf();
    const seen = (): Map<string, string> => {
      if (!isLate) texts = textsOf();
      return texts;
    };
    const write = (key: string, text: string | null): void => {
      const one = { key, text };
      written.push(one);
      apply(texts, one);
    };
    return {
      hear: () => {
        texts = textsOf();
      },
      get length() {
        return seen().size;
      },
      // No order is promised; Chromium sorts them.
      key: (index) => [...seen().keys()].sort().reverse()[index] ?? null,
      getItem: (key) => seen().get(key) ?? null,
      setItem: write,
      removeItem: (key) => write(key, null),
    };
  }

  function textsOf(): Map<string, string> {
    const texts = new Map<string, string>();
    for (const one of written) apply(texts, one);
    return texts;
  }

  return { open, texts: textsOf };
}
