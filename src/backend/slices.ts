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
const { setImmediate: soon, setTimeout: later } = globalThis as typeof globalThis & {
  setImmediate?: (task: () => void) => void;
};

/** Begins the next turn of the event loop with this, after everything that waits now has had its turn. */
function nextTurn(begin: () => void): void {
  if (soon === undefined) later(begin, 0);
  else soon(begin);
}

/**
 * A pause for all long work of a service. In each turn of the event loop one of those who pause goes on: however many there
 * are, everybody else waits for one slice at most.
 */
export function createPause(turn: (begin: () => void) => void = nextTurn): () => Promise<void> {
  const pausing: (() => void)[] = [];

  function goOn(): void {
    pausing.shift()?.();
    if (pausing.length > 0) turn(goOn);
  }

  return () =>
    new Promise((resolve) => {
      if (pausing.push(resolve) === 1) turn(goOn);
    });
}
