import type { Page } from './device.js';
import type { Turns } from './turns.js';

/** What an origin's pages share, besides their storages. */
export interface Origin {
  /** A page's way to the others; undefined where the browser has none. */
  channel(page: Page): typeof BroadcastChannel | undefined;
  /** What a page finds as its `navigator`. */
  navigator(page: Page): unknown;
  /** Tells the pages that one of them has written to localStorage. */
  stored(by: Page | null, key: string): void;
  /** Takes every lock from who holds it, as `steal` does. */
  steal(): void;
  /** A page is gone: what it held is free. */
  leave(page: Page): void;
}

interface Asked {
  page: Page;
  callback(lock: unknown): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Web Locks and BroadcastChannel of one origin, where it has them. */
export function createOrigin({
  turns,
  hasLocks,
  hasChannel,
}: {
  turns: Turns;
  hasLocks: boolean;
  hasChannel: boolean;
}): Origin {
  const queues = new Map<string, Asked[]>();
  const channels = new Set<{ page: Page; name: string; onmessage: ((event: unknown) => void) | null }>();
  const pages = new Set<Page>();

  function grant(name: string): void {
    const [next] = queues.get(name) ?? [];
    if (next === undefined) return;
    turns.later(() => {
      if (queues.get(name)?.[0] !== next) return;
      next
        .callback({ name })
        .then(next.resolve, next.reject)
        .finally(() => free(name, next));
    }, next.page);
  }

  function free(name: string, held: Asked): void {
    const queue = queues.get(name) ?? [];
    const isFirst = queue[0] === held;
    queues.set(
      name,
      queue.filter((one) => one !== held),
    );
    if (isFirst) grant(name);
  }

  function request(page: Page, name: string, options: { signal?: AbortSignal }, callback: Asked['callback']) {
    // What a page still does in the task in which it dies reaches nobody: it would hold the lock for good.
    if (!page.isAlive) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      const asked: Asked = { page, callback: async (lock) => callback(lock), resolve, reject };
      const queue = queues.get(name) ?? [];
      queues.set(name, [...queue, asked]);
      if (queue.length === 0) grant(name);
      options.signal?.addEventListener('abort', () => {
        if (queues.get(name)?.[0] === asked) return;
        free(name, asked);
        reject(options.signal?.reason);
      });
    });
  }

  function channelOf(page: Page) {
    return class Channel {
      onmessage: ((event: unknown) => void) | null = null;
      readonly page = page;
      isClosed = false;
      readonly name: string;
      constructor(name: string) {
        this.name = name;
        channels.add(this);
      }
      postMessage(data: unknown): void {
        if (this.isClosed) throw new DOMException('The channel is closed.', 'InvalidStateError');
        for (const other of channels) {
          if ((other as unknown) === this || other.name !== this.name) continue;
          turns.later(() => channels.has(other) && other.onmessage?.({ data }), other.page);
        }
      }
      close(): void {
        this.isClosed = true;
        channels.delete(this);
      }
    };
  }

  return {
    channel: (page) => {
      pages.add(page);
      return hasChannel ? (channelOf(page) as unknown as typeof BroadcastChannel) : undefined;
    },
    navigator: (page) => {
      pages.add(page);
      const locks = {
        request: (lock: string, options: never, callback: never) => request(page, lock, options, callback),
      };
      return hasLocks ? { locks } : {};
    },
    stored: (by, key) => {
      for (const page of pages) if (page !== by) page.raise('storage', { key });
    },
    steal: () => {
      for (const [name, [holder, ...others]] of queues) {
        if (holder === undefined) continue;
        queues.set(name, others);
        turns.later(() => holder.reject(new DOMException('The lock was stolen.', 'AbortError')), holder.page);
        grant(name);
      }
    },
    leave: (page) => {
      pages.delete(page);
      for (const channel of channels) if (channel.page === page) channels.delete(channel);
      for (const [name, queue] of queues) for (const asked of queue) if (asked.page === page) free(name, asked);
    },
  };
}

/** Lets each page find its own `navigator`, as long as its code runs; `find` gives null where none does. */
export function holdNavigator(find: () => { value: unknown } | null): () => void {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', {
    configurable: true,
    get: () => {
      const found = find();
      return found === null ? (before?.get?.call(globalThis) ?? before?.value) : found.value;
    },
  });
  return () => {
    if (before === undefined) delete (globalThis as { navigator?: unknown }).navigator;
    else Object.defineProperty(globalThis, 'navigator', before);
  };
}
