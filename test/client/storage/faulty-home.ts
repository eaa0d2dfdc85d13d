import type { RawHome } from '../../../src/client/storage/home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';

/** What becomes of one operation: it fails before or after it has been carried out, or waits until it is let go. */
export type Fault = 'none' | 'before' | 'after' | Promise<void>;

/** A home whose operations fail, stall and come back as the test says. */
export function createFaultyHome(fault: (operation: { key: string; isRead: boolean }) => Fault = () => 'none') {
  const texts = new Map<string, string>();
  const inner = createMemoryHome(texts);
  const asked: string[] = [];

  async function run<T>(key: string, isRead: boolean, task: () => Promise<T>): Promise<T> {
    asked.push(key);
    const what = fault({ key, isRead });
    await (what instanceof Promise ? what : new Promise(setImmediate));
    if (what === 'before') throw new Error('failed before');
    const result = await task();
    if (what === 'after') throw new Error('failed after');
    return result;
  }

  const home: RawHome & { isClosed: boolean } = {
    isClosed: false,
    readAll: (prefix) => run(prefix, true, () => inner.readAll(prefix)),
    update: (key, change) => run(key, false, () => inner.update(key, change)),
    close: () => {
      home.isClosed = true;
    },
  };
  return { home, texts, asked };
}
