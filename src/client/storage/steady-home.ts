import { startTimer } from '../../http/timers.js';
import { aborted, untilAborted } from '../../http/until-aborted.js';
import type { Change, Home, RawHome } from './home.js';
import type { StorageName } from './storage-port.js';

/** How long a storage may take before the player is told that it fails. What it does is waited for all the same. */
const answerMs = 5_000;

/** The pause after a failure; it doubles with each further one. */
const pauseMs = { min: 250, max: 10_000 };

/** A home, and what it is made of. */
export interface OpenHome {
  readonly kind: StorageName;
  readonly home: RawHome;
}

/** The home that a client uses: what fails in it stays pending, and is tried again until it works. */
export interface SteadyHome extends Home {
  /** What the home is made of; null until it has been opened. */
  readonly kind: StorageName | null;
  /** Whether something that was asked for has failed, or has not been answered within 5 s, and is not done yet. */
  readonly isFailing: boolean;
  /** Settles when the home has been opened; rejects only with `aborted`, after `close`. */
  open(): Promise<void>;
  /** Waits for something of this home; where the home fails, no longer than until it does, and gives undefined. */
  whileWorking<T>(work: Promise<T>): Promise<T | undefined>;
  /** Calls back when `isFailing` has changed. */
  subscribe(listener: () => void): () => void;
  /** Ends all that is pending, which then fails with `aborted`. What the storage has begun, it may still end. */
  close(): void;
}

interface PendingUpdate {
  readonly change: Change;
  readonly strict: boolean;
  readonly resolve: (text: string | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes a home steady. Each key has its own queue and its own pauses, so that a text that is refused holds up no other.
 * The updates of one key are carried out in the order in which they were asked for.
 *
 * @param find finds the home; it is asked again until it does
 */
export function createSteadyHome(find: () => Promise<OpenHome>): SteadyHome {
  const queues = new Map<string, PendingUpdate[]>();
  const failures = createFailures();
  const closed = new AbortController();
  const pauses = createPauses(closed.signal);
  const finder = createFinder(find);
  let running = 0;

  /** Tries a task until it succeeds. The first try is made even if the home is closed meanwhile. */
  async function persist<T>(task: (home: RawHome) => Promise<T>): Promise<T> {
    let goesOn = (): void => {};
    for (let tries = 0; ; tries += 1) {
      const stopTimer = startTimer(answerMs, () => failures.note(task, true));
      running += 1;
      try {
        const { home } = await finder.found();
        const working = task(home);
        goesOn();
        const result = await working;
        failures.note(task, false);
        return result;
      } catch {
        failures.note(task, true);
      } finally {
        goesOn();
        stopTimer();
        running -= 1;
        if (running === 0) closeFound();
      }
      goesOn = await pauses.pause(Math.min(pauseMs.max, pauseMs.min * 2 ** tries));
    }
  }

  /** `before`: what has to be under way by then. */
  async function writeQueue(key: string, queue: PendingUpdate[], before: Promise<unknown> | null): Promise<void> {
    // What is asked for in one task is written at once.
    await before;
    while (queue.length > 0) {
      const outcomes = await persist((home) => writeAll(home, key, [...queue]));
      queue.splice(0, outcomes.length);
      for (const settle of outcomes) settle();
    }
    queues.delete(key);
  }

  async function persistUnlessClosed<T>(task: (home: RawHome) => Promise<T>): Promise<T> {
    if (closed.signal.aborted) throw aborted();
    return untilAborted(persist(task), closed.signal);
  }

  function closeFound(): void {
    if (closed.signal.aborted) finder.close();
  }

  return {
    get kind() {
      return finder.kind;
    },
    get isFailing() {
      return failures.isFailing;
    },
    open: () => persistUnlessClosed(async () => {}),
    whileWorking: (work) =>
      new Promise((resolve, reject) => {
        const stop = failures.subscribe(() => resolve(undefined));
        work.then(resolve, reject).finally(stop);
        if (failures.isFailing) resolve(undefined);
      }),
    subscribe: failures.subscribe,
    readAll: (prefix) => persistUnlessClosed((home) => home.readAll(prefix)),
    update: (key, change, { strict = false } = {}) =>
      new Promise((resolve, reject) => {
        if (closed.signal.aborted) return reject(aborted());
        const update = { change, strict, resolve, reject };
        const queue = queues.get(key);
        if (queue !== undefined) return void queue.push(update);
        const started = [update];
        queues.set(key, started);
        // It says who plays here. Before it goes what waits, and may be noted as the former player's own by that.
        const before = strict ? pauses.end() : null;
        // It fails only once the home is closed, and then so have the updates.
        writeQueue(key, started, before).catch(() => {});
      }),
    close: () => {
      closed.abort();
      failures.forgetListeners();
      for (const queue of queues.values()) for (const { reject } of queue) reject(aborted());
      // At once, so that nothing makes a database again that is deleted now; what is under way opens it once more.
      closeFound();
    },
  };
}

/** Finds the home once; again where it could not be found. */
function createFinder(find: () => Promise<OpenHome>) {
  let finding: Promise<OpenHome> | null = null;
  let kind: StorageName | null = null;
  return {
    get kind() {
      return kind;
    },
    found: (): Promise<OpenHome> => {
      finding ??= find().then(
        (one) => {
          kind = one.kind;
          return one;
        },
        (error) => {
          finding = null;
          throw error;
        },
      );
      return finding;
    },
    /** Ends the connection of the one that was found. */
    close: (): void => void finding?.then(({ home }) => home.close?.()).catch(() => {}),
  };
}

/** Which tasks fail at present, and who wants to know whether any does. */
function createFailures() {
  const failing = new Set<object>();
  const listeners = new Set<() => void>();
  return {
    get isFailing() {
      return failing.size > 0;
    },
    note: (task: object, fails: boolean): void => {
      const before = failing.size > 0;
      if (fails) failing.add(task);
      else failing.delete(task);
      if (before === failing.size > 0) return;
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void): (() => void) => {
      const call = (): void => listener();
      listeners.add(call);
      return () => void listeners.delete(call);
    },
    forgetListeners: () => listeners.clear(),
  };
}

/** Writes what a queue holds as one update, and gives for each part of it how its promise settles. */
async function writeAll(home: RawHome, key: string, queue: readonly PendingUpdate[]): Promise<(() => void)[]> {
  let outcomes: (() => void)[] = [];
  const changeAll = (stored: string | null): string | null => {
    let text = stored;
    outcomes = queue.map(({ change, resolve, reject }) => {
      try {
        text = change(text);
      } catch (error) {
        // A defect of the caller's is no failure of the storage.
        return () => reject(error);
      }
      const own = text;
      return () => resolve(own);
    });
    return text;
  };
  await home.update(key, changeAll, { strict: queue.some(({ strict }) => strict) });
  return outcomes;
}

/** The pauses between tries. */
function createPauses(signal: AbortSignal) {
  const running = new Set<{ end(): void; readonly next: Promise<void> }>();
  return {
    /**
     * Gives what is to be called once the next try is under way. Rejects with `aborted` as soon as the signal aborts.
     */
    pause: async (ms: number): Promise<() => void> => {
      let end = (): void => {};
      let goesOn = (): void => {};
      const over = new Promise<void>((resolve) => {
        end = resolve;
      });
      const next = new Promise<void>((resolve) => {
        goesOn = resolve;
      });
      const stopTimer = startTimer(ms, end);
      const pause = { end, next };
      running.add(pause);
      void next.then(() => running.delete(pause));
      try {
        await untilAborted(over, signal);
        return goesOn;
      } finally {
        stopTimer();
      }
    },
    /** Ends all that run now. Settles when their next tries are under way, however many wait for that. */
    end: (): Promise<unknown> =>
      Promise.all(
        [...running].map(({ end, next }) => {
          end();
          return next;
        }),
      ),
  };
}
