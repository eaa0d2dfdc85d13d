import { startTimer } from './timers.js';
import { onAbort } from './until-aborted.js';

/** The time that a whole call has, with all its tries and pauses. */
export interface Deadline {
  /** Aborts with the caller's own signal, and when the time is over. */
  readonly signal: AbortSignal;
  /** When the time is over, ms since 1970. */
  readonly at: number;
  /** Ends the call, and aborts what is still under way of it. */
  stop(): void;
}

/** Starts a deadline of so many ms. `AbortSignal.any` and `AbortSignal.timeout` are younger than the browsers that we support. */
export function startDeadline(caller: AbortSignal | undefined, ms: number, now: () => number): Deadline {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const stopTimer = startTimer(ms, abort);
  const stopListening = caller === undefined ? undefined : onAbort(caller, abort);
  return {
    signal: controller.signal,
    at: now() + ms,
    stop: () => {
      stopTimer();
      stopListening?.();
      abort();
    },
  };
}
