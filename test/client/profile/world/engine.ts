/** What the model needs of the JavaScript engine that it runs on, whatever it holds of the platform: Node, or a browser's page. */
const setImmediateNow = globalThis.setImmediate as typeof setImmediate | undefined;
const isNode = setImmediateNow !== undefined;

/** Does something as the next task of the event loop, after all microtasks. */
export const asTask: (task: () => void) => unknown = setImmediateNow ?? byMessages();

/** A page's way to a task that comes without a pause: timers are held back for some ms. */
function byMessages(): (task: () => void) => void {
  const { port1, port2 } = new MessageChannel();
  const tasks: (() => void)[] = [];
  port1.onmessage = () => tasks.shift()?.();
  return (task) => {
    tasks.push(task);
    port2.postMessage(null);
  };
}

/** What browsers carry out beside the event loop. */
const outside = new Set<Promise<void>>();

/** Lets `drained` wait for what takes the browser tasks of its own. */
export function waitFor(work: Promise<unknown>): void {
  const end = (): void => void outside.delete(ended);
  const ended = work.then(end, end);
  outside.add(ended);
}

/** Settles when all that the running code has set off has ended. */
export const drained: () => Promise<void> = isNode
  ? () => new Promise((resolve) => void asTask(resolve))
  : async () => {
      do {
        await Promise.all(outside);
        await new Promise<void>((resolve) => void asTask(resolve));
      } while (outside.size > 0);
    };

/**
 * Browsers read the body of a request or an answer beside the event loop, and none says how many tasks that takes. So the
 * model waits for each that is read, and lets those that are read at once end in the order in which they began.
 */
export function holdBodies(): () => void {
  if (isNode) return () => {};
  let last: Promise<unknown> = Promise.resolve();
  const releases = [Request.prototype, Response.prototype].map((prototype) => {
    const { text } = prototype;
    prototype.text = function heldText(this: Body) {
      const reading = Promise.all([text.call(this), last]).then(([read]) => read);
      last = reading.catch(() => {});
      waitFor(reading);
      return reading;
    };
    return () => {
      prototype.text = text;
    };
  });
  return () => {
    for (const release of releases) release();
  };
}

/** Hears of what rejects and nobody handles, in the place of the test runner. */
export function holdRejections(hear: (error: unknown) => void): () => void {
  if (isNode) {
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', hear);
    return () => {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    };
  }
  const listener = (event: PromiseRejectionEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    hear(event.reason);
  };
  addEventListener('unhandledrejection', listener, { capture: true });
  return () => removeEventListener('unhandledrejection', listener, { capture: true });
}

/** What an error says, and where it comes from: not every engine's stack has the message. */
export function traceOf(error: unknown): string {
  const { stack = '' } = (error ?? {}) as Partial<Error>;
  return stack.startsWith(String(error)) ? stack : `${error}\n${stack}`;
}

/** Of this process: what others do on the machine does not count. A page knows the time alone. */
export const cpuMs = (): number => (isNode ? process.cpuUsage().user / 1_000 : performance.now());
