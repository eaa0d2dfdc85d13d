export interface Events<Payloads extends object> {
  /** Calls the listener at each such event, and gives back a function that ends it. The listener may be async; it is not awaited. */
  on<Name extends keyof Payloads>(name: Name, listener: (payload: Payloads[Name]) => unknown): () => void;
  /** The same for the next one only. */
  once<Name extends keyof Payloads>(name: Name, listener: (payload: Payloads[Name]) => unknown): () => void;
  off<Name extends keyof Payloads>(name: Name, listener: (payload: Payloads[Name]) => unknown): void;
}

export interface EventSource<Payloads extends object> {
  readonly events: Events<Payloads>;
  emit<Name extends keyof Payloads>(name: Name, payload: Payloads[Name]): void;
  isHeard(name: keyof Payloads): boolean;
}

type Listener = (payload: unknown) => unknown;

/** Listeners are never awaited and cannot change an outcome: one that throws is reported and silences no other. */
export function createEvents<Payloads extends object>(report: (error: unknown) => void): EventSource<Payloads> {
  // A list is replaced, never changed: an event that is being raised goes through the one it began with.
  const lists = new Map<keyof Payloads, readonly Listener[]>();
  const listenersOf = (name: keyof Payloads): readonly Listener[] => lists.get(name) ?? [];
  const off = (name: keyof Payloads, listener: Listener): void => {
    lists.set(
      name,
      listenersOf(name).filter((other) => other !== listener),
    );
  };
  const on = (name: keyof Payloads, listener: Listener): (() => void) => {
    if (typeof listener !== 'function') throw new TypeError('listener must be a function');
    lists.set(name, [...listenersOf(name), listener]);
    return () => off(name, listener);
  };
  const once = (name: keyof Payloads, listener: Listener): (() => void) => {
    const end = on(name, (payload) => {
      end();
      return listener(payload);
    });
    return end;
  };
  return {
    events: { on, once, off } as Events<Payloads>,
    emit: (name, payload) => {
      for (const listener of listenersOf(name)) callSafely(report, listener, payload);
    },
    isHeard: (name) => listenersOf(name).length > 0,
  };
}

/** Calls a game's own function; what it throws, or its promise rejects with, is reported and changes nothing. */
export function callSafely<T>(
  report: (error: unknown) => void,
  listener: ((payload: T) => unknown) | undefined,
  payload: T,
): void {
  try {
    Promise.resolve(listener?.(payload)).catch(report);
  } catch (error) {
    report(error);
  }
}
