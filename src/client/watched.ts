import { callSafely } from './events.js';

/**
 * A value that can be watched: what React's `useSyncExternalStore`, Svelte's `$store` and a Vue `shallowRef` need. Both
 * functions can be handed on by themselves.
 *
 * @example
 * ```tsx
 * const main = progress.watch('main');
 * const save = useSyncExternalStore(main.subscribe, main.getSnapshot);
 * ```
 */
export interface Watched<Value> {
  /**
   * Calls the listener with the snapshot at once, and with each new one.
   *
   * @returns A function that ends the subscription.
   */
  subscribe(listener: (snapshot: Value) => unknown): () => void;
  /** The value, frozen: the same object until the value changes. */
  getSnapshot(): Value;
}

/** Makes a watched value of a function that gives the same object until the value changes. */
export function createWatched<Value>(getSnapshot: () => Value, report: (error: unknown) => void) {
  // Each subscription is an object of its own, so that nobody ends another's, and knows what it was told of last.
  const subscriptions = new Set<{ listener: (snapshot: Value) => unknown; told: Value }>();

  const watched: Watched<Value> = {
    getSnapshot,
    subscribe: (listener) => {
      if (typeof listener !== 'function') throw new TypeError('listener must be a function');
      const subscription = { listener, told: getSnapshot() };
      subscriptions.add(subscription);
      callSafely(report, listener, subscription.told);
      return () => void subscriptions.delete(subscription);
    },
  };

  return {
    watched,
    /** Tells the listeners where the value is another one. */
    changed(): void {
      for (const subscription of [...subscriptions]) {
        // A listener may end another's subscription, or change the value: nobody is told of what is over.
        const snapshot = getSnapshot();
        if (!subscriptions.has(subscription) || snapshot === subscription.told) continue;
        subscription.told = snapshot;
        callSafely(report, subscription.listener, snapshot);
      }
    },
  };
}

/** Freezes a value through and through, so that one snapshot can be handed to many. */
export function deepFreeze<T>(value: T, seen = new Set<unknown>()): T {
  if (typeof value !== 'object' || value === null || seen.has(value)) return value;
  seen.add(value);
  for (const member of Object.values(value)) deepFreeze(member, seen);
  // What a schema makes may be a view on memory, which no engine freezes.
  return ArrayBuffer.isView(value) ? value : Object.freeze(value);
}
