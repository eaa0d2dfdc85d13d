/**
 * A command was asked to end (Ctrl-C, SIGTERM) before it was done. The message says what there
 * is now, and how to go on.
 */
export class Interrupted extends Error {}

/** The exit code of a program that a signal has asked to end, as shells have it. */
export function exitCodeOf(signal: unknown): 130 | 143 {
  return signal === 'SIGTERM' ? 143 : 130;
}

/** Waits for work until `stop` aborts, and rejects with Interrupted then: what has begun is left to itself. */
export function orInterrupted<Result>(work: Promise<Result>, stop: AbortSignal, message: string): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new Interrupted(message));
    if (stop.aborted) leave();
    stop.addEventListener('abort', leave, { once: true });
    work.finally(() => stop.removeEventListener('abort', leave)).then(resolve, reject);
  });
}
