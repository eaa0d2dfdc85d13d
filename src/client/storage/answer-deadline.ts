import { startTimer } from '../../http/timers.js';

/** How long a storage may take to answer. One that takes longer is given up, as one that fails. */
const answerMs = 5_000;

/** Runs a task on a storage, and rejects where it throws, rejects or does not answer in time. */
export function withinDeadline<T>(task: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = startTimer(answerMs, () => reject(new Error('no answer')));
    (async () => task())().then(resolve, reject).finally(stop);
  });
}

/** Gives what a task gives; undefined where it fails. */
export async function ignoreFailure<T>(task: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await task();
  } catch {
    return undefined;
  }
}
