import { startTimer } from '../../http/timers.js';

/**
 * How long a lock is waited for. A frozen tab must not hold up the others, where a task can do its work without the
 * lock.
 */
const waitMs = 10_000;

/** Runs one task at a time under a name. */
export interface Lock {
  <T>(name: string, task: () => Promise<T>, options?: LockOptions): Promise<T>;
  /** The names under which tabs of this origin run something now; left out where nobody can say. */
  held?(): Promise<readonly string[]>;
}

export interface LockOptions {
  /** Waits for the lock as long as it takes: the task would do harm without it. Default: false. */
  isNeeded?: boolean;
}

/** The last task under each name, where the platform has no locks. */
const lastTasks = new Map<string, Promise<unknown>>();

/**
 * Runs one task at a time under a name: across the tabs of an origin by the Web Locks API, and within this page where
 * there is none, or where the browser denies it. After 10 s the task runs without the lock, unless it needs it.
 */
export const withLock: Lock = async <T>(name: string, task: () => Promise<T>, { isNeeded = false } = {}) => {
  let started: Promise<T> | undefined;
  const start = (): Promise<T> => {
    started = task();
    return started;
  };
  // `AbortSignal.timeout` is younger than the browsers that we support.
  const waited = new AbortController();
  const stopTimer = isNeeded ? () => {} : startTimer(waitMs, () => waited.abort());
  try {
    const locks = (globalThis.navigator as Navigator | undefined)?.locks;
    if (locks === undefined) return await afterOthers(name, start);
    return await (locks.request(name, { signal: waited.signal }, start) as Promise<T>);
  } catch {
    // Where the task has started, its own promise says how it ended.
    if (started !== undefined) return started;
    if (waited.signal.aborted) return start();
    // The lock was refused, as in a sandboxed frame, or where the site's data is denied.
    return afterOthers(name, start);
  } finally {
    stopTimer();
  }
};

withLock.held = async () => {
  try {
    const { held = [] } = (await (globalThis.navigator as Navigator | undefined)?.locks?.query()) ?? {};
    return held.flatMap(({ name }) => name ?? []);
  } catch {
    // The browser denies locks here: tabs have no turns either.
    return [];
  }
};

/** Runs one task after the other, within this page. */
function afterOthers<T>(name: string, task: () => Promise<T>): Promise<T> {
  const before = lastTasks.get(name) ?? Promise.resolve();
  const mine = before.then(task, task);
  lastTasks.set(name, mine);
  return mine;
}
