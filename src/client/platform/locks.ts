import { startTimer } from '../../http/timers.js';

/**
 * How long a lock is waited for. A frozen tab must not hold up the others, and each task can do its work without the
 * lock.
 */
const waitMs = 10_000;

/** The last task under each name, where the platform has no locks. */
const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs one task at a time under a name: across the tabs of an origin by the Web Locks API, and within this page where
 * there is none. After 10 s the task runs without the lock.
 */
export async function withLock<T>(name: string, task: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined;
  const start = (): Promise<T> => {
    started = task();
    return started;
  };
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (locks === undefined) {
    const before = lastTasks.get(name) ?? Promise.resolve();
    const mine = before.then(start, start);
    lastTasks.set(name, mine);
    return mine;
  }
  // `AbortSignal.timeout` is younger than the browsers that we support.
  const waited = new AbortController();
  const stopTimer = startTimer(waitMs, () => waited.abort());
  try {
    return await (locks.request(name, { signal: waited.signal }, start) as Promise<T>);
  } catch {
    // The lock was refused, as in a sandboxed frame, or was not granted in time. Where the task has started, its own
    // promise says how it ended.
    return started ?? task();
  } finally {
    stopTimer();
  }
}
