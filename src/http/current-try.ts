/** The try of a call that is under way. */
export interface CurrentTry {
  /** Gives the request to send, which is aborted when the try is ended or the call is. */
  start(request: Request): Request;
  /** Ends the try, whose request would keep its connection otherwise. */
  end(): void;
}

/**
 * Aborts the request of a try that is given up. ky does not where `AbortSignal.any` is missing. Nor does it in Node 20 after
 * a repeat: it sends a copy of the request then, and a copy forgets the signal that it follows when memory is cleaned up.
 */
export function createCurrentTry(callSignal: AbortSignal): CurrentTry {
  let controller = new AbortController();
  const end = (): void => controller.abort();
  callSignal.addEventListener('abort', end);
  return {
    start(request) {
      controller = new AbortController();
      if (callSignal.aborted) end();
      return new Request(request, { signal: controller.signal });
    },
    end,
  };
}
