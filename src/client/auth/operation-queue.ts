import { NoAnswerError, type SdkError, StateError } from '../../errors.js';
import { startTimer } from '../../http/timers.js';
import { aborted, onAbort } from '../../http/until-aborted.js';

/** What a task of the queue gets. */
export interface Operation {
  /** Aborts when the call is cancelled, or its deadline has passed. */
  readonly signal: AbortSignal;
  /**
   * Stops the deadline: while the player chooses, and once the service has answered. Throws where the call has been
   * cancelled meanwhile, so that an answer that comes too late changes nothing.
   */
  stopDeadline(): void;
}

/** The operations of `client.auth`, one at a time. */
export interface OperationQueue {
  /** The first operation, that of `init`; null before it, and once the queue is closed. */
  readonly started: Promise<void> | null;
  /** Runs the first operation: what is called meanwhile waits for it. */
  start(task: (operation: Operation) => Promise<void>): Promise<void>;
  /** Throws `not_initialised` before the first operation, and once the queue is closed. */
  requireStarted(): void;
  /** Runs tasks in the order of the calls, each with its own deadline; at once where nothing else runs. */
  run<T>(task: (operation: Operation) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Fails the operations that wait. */
  cancelWaiting(error: SdkError): void;
  /** Fails the operation that runs, and those that wait. */
  cancelAll(error: SdkError): void;
  /** Fails all operations, and those that are called later with `not_initialised`. */
  close(error: SdkError): void;
}

/** Spec gap: of two calls of `client.auth`, the second begins when the first has ended. */
export function createOperationQueue(deadlineMs: number): OperationQueue {
  const jobs: { start(): void; fail(error: SdkError): void }[] = [];
  let started: Promise<void> | null = null;
  let isClosed = false;

  function run<T>(task: (operation: Operation) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const controller = new AbortController();
      let stopTimer = (): void => {};
      let stopListening = (): void => {};
      const leave = (): void => {
        stopTimer();
        stopListening();
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
      const stopDeadline = (): void => {
        stopTimer();
        if (controller.signal.aborted) throw new NoAnswerError('aborted', 'The call was cancelled.');
      };
      const abort = (): void => fail(aborted());
      const job = {
        start: (): void => {
          stopTimer = startTimer(deadlineMs, () =>
            fail(new NoAnswerError('timeout', `Not done within ${deadlineMs} ms.`)),
          );
          // The job leaves the queue before its call settles: what the caller then calls starts at once.
          task({ signal: controller.signal, stopDeadline }).finally(leave).then(resolve, reject);
        },
        fail,
      };
      if (signal?.aborted === true) return abort();
      stopListening = onAbort(signal, abort);
      if (jobs.push(job) === 1) job.start();
    });
  }

  // The last one fails first: a job that ends would start the one after it.
  const cancelFrom = (index: number, error: SdkError): void => {
    for (const job of jobs.slice(index).reverse()) job.fail(error);
  };

  return {
    get started() {
      return isClosed ? null : started;
    },
    start: (task) => {
      started = run(task);
      return started;
    },
    requireStarted: () => {
      if (started === null || isClosed) throw new StateError('not_initialised', 'The client is not initialised.');
    },
    run,
    cancelWaiting: (error) => cancelFrom(1, error),
    cancelAll: (error) => cancelFrom(0, error),
    close: (error) => {
      isClosed = true;
      cancelFrom(0, error);
    },
  };
}
