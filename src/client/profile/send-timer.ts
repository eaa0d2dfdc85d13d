import { startTimer } from '../../http/timers.js';

/** When the outbox sends next. */
export interface SendTimer {
  /** Whether a time is set. */
  readonly isSet: boolean;
  /** Whether the service has asked for a pause, which nothing shortens. */
  readonly isPaused: boolean;
  readonly isStopped: boolean;
  /** Sends after so many ms, instead of at the time that was set. */
  set(ms: number): void;
  /** Sends after so many ms, and by itself not before. */
  pause(ms: number): void;
  /** What was to be sent is sent now. */
  clear(): void;
  stop(): void;
}

export function createSendTimer(send: () => void): SendTimer {
  let cancel: (() => void) | null = null;
  let isPaused = false;
  let isStopped = false;

  function start(ms: number): void {
    cancel?.();
    cancel = startTimer(ms, () => {
      cancel = null;
      isPaused = false;
      send();
    });
  }

  return {
    get isSet() {
      return cancel !== null;
    },
    get isPaused() {
      return isPaused;
    },
    get isStopped() {
      return isStopped;
    },
    set: (ms) => {
      if (!isStopped && !isPaused) start(ms);
    },
    pause: (ms) => {
      if (isStopped || isPaused) return;
      start(ms);
      isPaused = true;
    },
    clear: () => {
      if (isPaused) return;
      cancel?.();
      cancel = null;
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}
