import { type Clock, createClock } from './clock.js';
import { drained } from './engine.js';

/** Whose code runs in a task: a page can die, and it can be frozen. */
export interface Runner {
  readonly isAlive: boolean;
  /** What a frozen page's tasks wait in; null where it is not frozen. */
  readonly waiting: (() => void)[] | null;
}

/**
 * What happens outside of the pages, one task after the other and a turn at a time: a seed that fails fails again. One task
 * belongs to one page at most, and all that it sets off there has ended before the next page's task begins. So the platform
 * knows at any moment whose code runs.
 */
export interface Turns {
  readonly clock: Clock;
  /** The page whose code runs; null for the world's own. */
  readonly runner: Runner | null;
  /** Whether the service is at work: its own waiting is not the world's. */
  readonly isServing: boolean;
  /** Lets the service work, once the code of all pages has ended. */
  serve<T>(task: () => Promise<T>): Promise<T>;
  /** To be done in the next turn, as code of a page, unless that is dead by then. */
  later(task: () => unknown, runner?: Runner | null): void;
  /** From here on the code of a page runs, until what it sets off has ended. */
  enter(runner: Runner): void;
  /** Reads something in a page that sets nothing off. */
  read<T>(runner: Runner, task: () => T): T;
  /** Does something in a page: now, or in the next turn where another page's code has not ended. */
  act(runner: Runner, task: () => void): void;
  turn(count?: number): Promise<void>;
  /** Settles so many turns later. */
  pause(count: number): Promise<void>;
  /** Goes on until nothing is left to do; bounded in turns, so that what never settles is found. */
  rest(): Promise<void>;
  /** Moves the clock; what is due on the way rings, and what each timer sets off comes to its end after that. */
  pass(ms: number): Promise<void>;
}

const mostTurns = 6_000;

/** How often something may ring while time passes; what rings on and on must not hold it up. */
const mostRounds = 40;

/** The turns that the platform's timers come to; of the sequence that runs. */
let active: Turns | null = null;

export const activeTurns = (): Turns | null => active;

export function createTurns(): Turns {
  let tasks: { task: () => unknown; runner: Runner | null }[] = [];
  let runner: Runner | null = null;
  let isServing = false;
  const clock = createClock();

  async function turn(): Promise<void> {
    const due = tasks;
    tasks = [];
    for (const next of due) {
      if (next.runner?.isAlive === false) continue;
      if (next.runner?.waiting != null) {
        next.runner.waiting.push(() => turns.later(next.task, next.runner));
        continue;
      }
      // Nobody's task may be followed by another one's: it can have gone on as a page's.
      if (next.runner === null || next.runner !== runner) await drained();
      runner = next.runner;
      await next.task();
    }
    await drained();
    runner = null;
  }

  const turns: Turns = {
    clock,
    get isServing() {
      return isServing;
    },
    get runner() {
      return runner;
    },
    serve: async (task) => {
      await drained();
      isServing = true;
      try {
        return await task();
      } finally {
        isServing = false;
      }
    },
    later: (task, whose = runner) => void tasks.push({ task, runner: whose }),
    enter: (whose) => {
      runner = whose;
    },
    read: (whose, task) => {
      const before = runner;
      runner = whose;
      try {
        return task();
      } finally {
        runner = before;
      }
    },
    act: (whose, task) => {
      if (runner !== null && runner !== whose) return turns.later(task, whose);
      runner = whose;
      task();
    },
    turn: async (count = 1) => {
      await drained();
      runner = null;
      for (let left = count; left > 0; left -= 1) await turn();
    },
    pause: (count) =>
      new Promise((resolve) => {
        const wait = (left: number): void => (left === 0 ? resolve() : turns.later(() => wait(left - 1)));
        wait(count);
      }),
    rest: async () => {
      await drained();
      for (let count = 0; tasks.length > 0; count += 1) {
        if (count > mostTurns) throw new Error(`does not come to rest within ${mostTurns} turns`);
        await turn();
      }
      runner = null;
    },
    pass: async (ms) => {
      const end = clock.now + ms;
      for (let rounds = 0; rounds < mostRounds; rounds += 1) {
        await turns.rest();
        if (!clock.advance(end)) break;
      }
      clock.skipTo(end);
      await turns.rest();
    },
  };
  active = turns;
  return turns;
}

/**
 * Gives the pages timers that ring in turns, as code of the page that set them. What the service waits for is the
 * platform's own.
 */
export function holdPageTimers(): () => void {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const stops = new WeakMap<object, () => void>();
  const setInTurn = (task: () => void, ms?: number): unknown => {
    const turns = active;
    if (turns === null || turns.isServing) return set(task, ms);
    const { runner, clock } = turns;
    let isStopped = false;
    const ring = (): void => turns.later(() => void (isStopped || task()), runner);
    // A pause of nothing needs no clock.
    const timer = ms ? clock.set(ring, ms) : null;
    const handle = { unref: () => handle };
    stops.set(handle, () => {
      isStopped = true;
      if (timer !== null) clock.clear(timer);
    });
    if (timer === null) turns.later(ring, runner);
    return handle;
  };
  const clearInTurn = (handle: unknown): void => {
    const stop = typeof handle === 'object' && handle !== null ? stops.get(handle) : undefined;
    if (stop === undefined) clear(handle as number);
    else stop();
  };
  globalThis.setTimeout = Object.assign(setInTurn, set) as never;
  globalThis.clearTimeout = clearInTurn as never;
  return () => {
    active = null;
    globalThis.setTimeout = set;
    globalThis.clearTimeout = clear;
  };
}
