import { NoAnswerError } from '../errors.js';

/** Waits for work until the signal aborts, and then leaves it: it may be shared, or deaf to the signal. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(aborted());
  });
  if (signal.aborted) leave();
  const stopWaiting = onAbort(signal, leave);
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
 * Calls back when the signal aborts, until the function that is returned is called. A game may hand one signal to many calls
 * at once: they share one listener, because Node warns of a memory leak where a signal has more than 10.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
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

export function aborted(): NoAnswerError {
  return new NoAnswerError('aborted', 'The call was aborted.');
}
