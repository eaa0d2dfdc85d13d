import { testStart } from '../../../support/service.js';

/** Something that a page waits for by the clock. */
interface Timer {
  readonly due: number;
  ring(): void;
}

/** The clock of a world, and what is set on it. It moves only when it is told to. */
export interface Clock {
  readonly now: number;
  set(ring: () => void, ms: number): Timer;
  clear(timer: Timer): void;
  /**
   * Moves on until something is due, or to the end; gives whether something has rung. It moves in steps that grow, as
   * a page's timers come late: what is due within the last step rings with it.
   */
  advance(end: number): boolean;
  /** Moves on without a sound: what is due by then rings with the next step. */
  skipTo(end: number): void;
}

const firstStepMs = 1_000;

/** What `Date` says; of the sequence that runs. */
let dateNow = testStart;

/** Makes the clock of the next world; `Date` follows it. */
export function createClock(): Clock {
  /** In the order in which they were set. */
  const timers = new Set<Timer>();
  let now = testStart;

  function moveTo(next: number): void {
    now = next;
    dateNow = next;
  }

  function firstDue(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const { due } of timers) first = Math.min(first, due);
    return first;
  }

  moveTo(now);
  return {
    get now() {
      return now;
    },
    set: (ring, ms) => {
      const timer = { due: now + ms, ring };
      timers.add(timer);
      return timer;
    },
    clear: (timer) => void timers.delete(timer),
    advance: (end) => {
      const first = firstDue();
      let passedMs = firstStepMs;
      while (now + passedMs < first && now + passedMs < end) passedMs = 2 * passedMs + firstStepMs;
      moveTo(first > end ? Math.max(now, end) : Math.min(now + passedMs, Math.max(now, end)));
      const due = [...timers].filter((timer) => timer.due <= now).sort((one, other) => one.due - other.due);
      for (const timer of due) {
        timers.delete(timer);
        timer.ring();
      }
      return due.length > 0;
    },
    skipTo: (end) => moveTo(Math.max(now, end)),
  };
}

/** Makes `Date` follow the clock. */
export function holdDate(): () => void {
  const PlatformDate = globalThis.Date;
  globalThis.Date = class HeldDate extends PlatformDate {
    constructor(...given: []) {
      super(...((given.length === 0 ? [dateNow] : given) as []));
    }
    static override now(): number {
      return dateNow;
    }
  } as DateConstructor;
  return () => {
    globalThis.Date = PlatformDate;
  };
}
