/** How long work goes on before others are served, in ms. One step more may be added: the largest takes some ms. */
const sliceMs = 8;

/** Long work, done in slices, so that a process with one thread serves others in between. */
export interface Slices {
  /** Whether this slice has gone on for long enough. */
  isOver(): boolean;
  /** Lets others be served, and begins the next slice. */
  pause(): Promise<void>;
}

/** `clock` is in ms, and finer than a ms if it can be; `pause` lets everything else run that waits. */
export function createSlices(clock: () => number, pause: () => Promise<void>): Slices {
  let begunAt = clock();
  return {
    isOver: () => clock() - begunAt >= sliceMs,
    async pause() {
      await pause();
      begunAt = clock();
    },
  };
}

// Taken as the process starts: a test that stops the timers must not stop the service in the middle of an answer.
const {
  setImmediate: soon,
  setTimeout: later,
  performance: time,
} = globalThis as typeof globalThis & { setImmediate?: (task: () => void) => void };

/** What a pause rests on; tests replace it. */
interface Turns {
  /** Begins the next turn of the event loop with this, after everything that waits now has had its turn. */
  next(begin: () => void): void;
  after(ms: number, begin: () => void): void;
  /** In ms. */
  clock(): number;
}

const turnsOfRuntime: Turns = {
  next: (begin) => void (soon === undefined ? later(begin, 0) : soon(begin)),
  after: (ms, begin) => void later(begin, ms),
  clock: time.now.bind(time),
};

/** A turn that was shorter was hardly work. */
const shortTurnMs = sliceMs / 2;
/** How often as long as a turn the rest after it is: a request of others needs several turns. */
const restsPerTurn = 3;
/** A turn that would have a longer rest was not work alone: the machine slept, or others had it. */
const longestRestMs = 300;

/**
 * A pause for all long work of a process. In each turn of the event loop one of those who pause goes on, and then all
 * of them rest for three times as long as that turn took: long work takes a quarter of the time at most, however much of
 * it there is.
 */
export function createPause({ next, after, clock }: Turns = turnsOfRuntime): () => Promise<void> {
  const pausing: (() => void)[] = [];
  let isGoing = false;

  function goOn(): void {
    const first = pausing.shift();
    isGoing = first !== undefined;
    if (first === undefined) return;
    const begunAt = clock();
    first();
    next(() => {
      const tookMs = clock() - begunAt;
      if (tookMs < shortTurnMs) goOn();
      else after(Math.min(restsPerTurn * tookMs, longestRestMs), goOn);
    });
  }

  return () =>
    new Promise((resolve) => {
      pausing.push(resolve);
      if (isGoing) return;
      isGoing = true;
      next(goOn);
    });
}

/** The process has one event loop, which all services, stores and ports in it share. */
export const pauseOfProcess = createPause();

export const slicesOfProcess = (): Slices => createSlices(() => performance.now(), pauseOfProcess);
