import { NoAnswerError } from '../errors.js';

/** Waits for work that several callers share: one that aborts leaves, and the work goes on for the others. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let leave = (): void => {};
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new NoAnswerError('aborted', 'The call was aborted.'));
  });
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave);
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
