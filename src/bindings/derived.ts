import type { Watched } from '../index.js';

/**
 * Makes a watched value of other ones. They are listened to for as long as somebody listens to it: `start` begins that,
 * is given what says that the value may have changed, and gives what ends it.
 */
export function createDerived<Value>(
  getSnapshot: () => Value,
  start: (changed: () => void) => () => void,
): Watched<Value> {
  // Each subscription is an object of its own, so that a listener that is given twice is two of them.
  const subscriptions = new Set<{ listener: (snapshot: Value) => unknown; told: Value }>();
  let stop = (): void => {};

  function changed(): void {
    const snapshot = getSnapshot();
    for (const subscription of [...subscriptions]) {
      if (subscription.told === snapshot || !subscriptions.has(subscription)) continue;
      subscription.told = snapshot;
      try {
        subscription.listener(snapshot);
      } catch (error) {
        // What one component throws is an uncaught error of the page, and keeps no other one from being told.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  return {
    getSnapshot,
    subscribe: (listener) => {
      const subscription = { listener, told: getSnapshot() };
      subscriptions.add(subscription);
      if (subscriptions.size === 1) stop = start(changed);
      listener(subscription.told);
      return () => {
        if (subscriptions.delete(subscription) && subscriptions.size === 0) stop();
      };
    },
  };
}
