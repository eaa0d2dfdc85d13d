import { createTabs, type Tabs } from './tabs.js';

/** What the client takes from its platform. Tests pass their own. */
export interface Platform {
  /** The device's clock, ms since 1970. */
  now(): number;
  random(): number;
  /** What is waited between the tries of a request; a timer by default. */
  wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /** Says what a listener or callback threw, without stopping anything. */
  report(error: unknown): void;
  /** Runs one task at a time under a name, across tabs where the platform can. */
  lock<T>(name: string, task: () => Promise<T>): Promise<T>;
  /** The tabs whose storage keys begin with this prefix. */
  tabs(prefix: string): Tabs;
}

/** How long a lock is waited for: a frozen tab must not hold up the others, and every holder can live without it. */
const lockMs = 10_000;

const queues = new Map<string, Promise<unknown>>();

export function createPlatform(): Platform {
  return { now: () => Date.now(), random: () => Math.random(), report, lock, tabs: createTabs };
}

/** What throws in a game's own code ends up where the game's own errors do: never in ours. */
export function report(error: unknown): void {
  if (typeof reportError === 'function') reportError(error);
  else console.error(error);
}

async function lock<T>(name: string, task: () => Promise<T>): Promise<T> {
  let started: Promise<T> | undefined;
  const start = (): Promise<T> => {
    started = task();
    return started;
  };
  const locks = (globalThis.navigator as Navigator | undefined)?.locks;
  if (locks === undefined) {
    const before = queues.get(name) ?? Promise.resolve();
    const mine = before.then(start, start);
    queues.set(name, mine);
    return mine;
  }
  try {
    return await (locks.request(name, { signal: AbortSignal.timeout(lockMs) }, start) as Promise<T>);
  } catch {
    // Refused, as in a sandboxed frame, or not granted in time: the task's own failure is in its own promise.
    return started ?? task();
  }
}

/** A timer that ends with `stop`, takes more than 2^31 ms, and keeps no Node process alive. */
export function startTimer(ms: number, task: () => void): () => void {
  let handle: ReturnType<typeof setTimeout>;
  const wait = (left: number): void => {
    // Spec gap: beyond 2^31 ms a timer would fire at once, so it is split.
    const part = Math.min(Math.max(left, 0), 2 ** 31 - 1);
    handle = setTimeout(() => (left > part ? wait(left - part) : task()), part);
    (handle as { unref?: () => void }).unref?.();
  };
  wait(ms);
  return () => clearTimeout(handle);
}
