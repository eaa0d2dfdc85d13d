import { NoAnswerError } from '../errors.js';

/** Waits for work until the signal aborts, and then leaves it: it may be shared, or deaf to the signal. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(aborted());
  });
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

export function aborted(): NoAnswerError {
  return new NoAnswerError('aborted', 'The call was aborted.');
}
