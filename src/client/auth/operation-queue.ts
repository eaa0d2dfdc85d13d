import { NoAnswerError, type SdkError } from '../../errors.js';
import { aborted } from '../../http/until-aborted.js';
import { startTimer } from '../platform/platform.js';

export interface Operation {
  signal: AbortSignal;
  /**
   * Stops the operation's clock: while the player chooses, and once the service has answered. Throws where the call has been
   * cancelled meanwhile: an answer that comes too late changes nothing.
   */
  hold(): void;
}

export interface Operations {
  /** Runs tasks in the order of the calls, each with its own deadline; at once where nothing else runs. */
  run<T>(task: (operation: Operation) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Fails what waits. */
  cancelWaiting(error: SdkError): void;
  /** Fails what runs and what waits. */
  cancelAll(error: SdkError): void;
}

/** Spec gap: two Auth calls at once go in order. */
export function createOperations(deadlineMs: number): Operations {
  const jobs: { start(): void; fail(error: SdkError): void }[] = [];

  function run<T>(task: (operation: Operation) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      let stopClock = (): void => {};
      const leave = (): void => {
        stopClock();
        signal?.removeEventListener('abort', abort);
        const place = jobs.indexOf(job);
        if (place < 0) return;
        jobs.splice(place, 1);
        if (place === 0) jobs[0]?.start();
      };
      // The call settles at once, whatever its request is still doing.
      const fail = (error: SdkError): void => {
        reject(error);
        controller.abort();
        leave();
      };
      const hold = (): void => {
        stopClock();
        if (controller.signal.aborted) throw new NoAnswerError('aborted', 'The call was cancelled.');
      };
      const abort = (): void => fail(aborted());
      const job = {
        start: (): void => {
          stopClock = startTimer(deadlineMs, () =>
            fail(new NoAnswerError('timeout', `Not done within ${deadlineMs} ms.`)),
          );
          // It leaves before its call settles: what the caller does then finds the place free.
          task({ signal: controller.signal, hold }).finally(leave).then(resolve, reject);
        },
        fail,
      };
      if (signal?.aborted === true) return abort();
      signal?.addEventListener('abort', abort);
      if (jobs.push(job) === 1) job.start();
    });
  }

  // From the back, so that no waiting one is started by the end of the one before it.
  const cancel = (from: number, error: SdkError): void => {
    for (const job of jobs.slice(from).reverse()) job.fail(error);
  };
  return { run, cancelWaiting: (error) => cancel(1, error), cancelAll: (error) => cancel(0, error) };
}
