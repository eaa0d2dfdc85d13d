/** The longest time that a timer of the platform takes: a longer one would ring at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Waits for work, and rejects with what `late` makes where it takes longer than so many ms. */
export function withinTime<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const stopTimer = startTimer(ms, () => reject(late()));
    work.then(resolve, reject).finally(stopTimer);
  });
}

/** Starts a timer for any number of ms, and gives back a function that stops it. It keeps no Node process alive. */
export function startTimer(ms: number, task: () => void): () => void {
  let handle: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number): void => {
    const partMs = Math.min(Math.max(leftMs, 0), longestTimerMs);
    handle = setTimeout(() => (leftMs > partMs ? wait(leftMs - partMs) : task()), partMs);
    (handle as { unref?: () => void }).unref?.();
  };
  wait(ms);
  return () => clearTimeout(handle);
}
