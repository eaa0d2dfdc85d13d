import { startTimer } from './timers.js';
import { followSignals } from './until-aborted.js';

/** The time that a whole call has, with all its tries and pauses. */
export interface Deadline {
  /** Aborts with the caller's own signal, and when the time is over. */
  readonly signal: AbortSignal;
  /** When the time is over, ms since 1970. */
  readonly at: number;
  /** Ends the call, and aborts what is still under way of it. */
  stop(): void;
}

/** Starts a deadline of so many ms. */
export function startDeadline(caller: AbortSignal | undefined, ms: number, now: () => number): Deadline {
  const { signal, abort, stop } = followSignals(caller);
  const stopTimer = startTimer(ms, abort);
  return {
    signal,
    at: now() + ms,
    stop: () => {
      stopTimer();
      stop();
      abort();
    },
  };
}
