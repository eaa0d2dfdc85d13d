const everyMs = 1_000;
/** After a failure of the store: it is asked again when that may have passed. */
const afterFailureMs = 30_000;

/** Delivers webhooks again and again, until it is to end. */
export interface Courier {
  /** Begins nothing more, and resolves when what has begun is over, which takes no longer than a receiver may take. */
  end(): Promise<void>;
}

/** `deliver` delivers what is due, as `Backend.deliverWebhooks`; never twice at once. `failed` is told that it rejected. */
export function startCourier(
  deliver: (signal: AbortSignal) => Promise<unknown>,
  failed: (error: unknown) => void,
): Courier {
  const ending = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let round: Promise<void> = Promise.resolve();

  function next(ms: number): void {
    if (ending.signal.aborted) return;
    timer = setTimeout(() => {
      round = deliver(ending.signal).then(
        () => next(everyMs),
        (error: unknown) => {
          failed(error);
          next(afterFailureMs);
        },
      );
    }, ms);
    // It keeps no process alive that has nothing else to do.
    (timer as { unref?: () => void }).unref?.();
  }

  next(everyMs);
  return {
    async end() {
      ending.abort();
      clearTimeout(timer);
      await round;
    },
  };
}
