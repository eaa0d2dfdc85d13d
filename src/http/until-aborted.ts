import { NoAnswerError } from '../errors.js';

/** Waits for work until the signal aborts, and then leaves it: it may be shared, or deaf to the signal. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let stopWaiting = (): void => {};
  const left = new Promise<never>((_, reject) => {
    stopWaiting = onAbort(signal, () => reject(aborted()));
  });
  try {
    return await Promise.race([work, left]);
  } finally {
    stopWaiting();
  }
}

/** Who waits for a signal, and the one listener that tells all of them. */
interface Waiting {
  readonly callbacks: Set<() => void>;
  tellAll(): void;
}

const waitingFor = new WeakMap<AbortSignal, Waiting>();

/**
 * Calls back when the signal aborts, at once where it has, until the function that is returned is called. A game
 * may hand one signal to many calls at once: they share one listener, because Node warns of a memory leak where a
 * signal has more than 10.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal?.aborted === true) callback();
  if (signal === undefined || signal.aborted) return () => {};
  const waiting = waitingFor.get(signal) ?? startWaiting(signal);
  // Each registration is a function of its own, so that nobody ends another's.
  const call = (): void => callback();
  waiting.callbacks.add(call);
  return () => {
    waiting.callbacks.delete(call);
    if (waiting.callbacks.size > 0) return;
    signal.removeEventListener('abort', waiting.tellAll);
    if (waitingFor.get(signal) === waiting) waitingFor.delete(signal);
  };
}

function startWaiting(signal: AbortSignal): Waiting {
  const callbacks = new Set<() => void>();
  const waiting: Waiting = {
    callbacks,
    tellAll: () => {
      for (const callback of callbacks) callback();
    },
  };
  waitingFor.set(signal, waiting);
  signal.addEventListener('abort', waiting.tellAll);
  return waiting;
}

/**
 * A signal that aborts when one of the others does, until `stop`, or by `abort`. `AbortSignal.any` is younger than the
 * browsers that we support.
 */
export interface FollowingSignal {
  readonly signal: AbortSignal;
  abort(): void;
  stop(): void;
}

export function followSignals(...others: readonly (AbortSignal | undefined)[]): FollowingSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const stops = others.map((other) => onAbort(other, abort));
  return {
    signal: controller.signal,
    abort,
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

export function aborted(): NoAnswerError {
  return new NoAnswerError('aborted', 'The call was aborted.');
}
