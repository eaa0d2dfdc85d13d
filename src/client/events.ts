import { EventEmitter } from 'eventemitter3';

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

/**
 * Listeners are never awaited and cannot change an outcome: one that throws is reported and silences no other.
 * (An EventEmitter by itself stops at the first that throws, and throws out of `emit`.)
 */
export function createEvents<Payloads extends object>(report: (error: unknown) => void): EventSource<Payloads> {
  const emitter = new EventEmitter<string>();
  const on = (name: PropertyKey, listener: Listener): (() => void) => {
    if (typeof listener !== 'function') throw new TypeError('listener must be a function');
    emitter.on(name as string, listener);
    return () => void emitter.off(name as string, listener);
  };
  return {
    events: {
      on: on as Events<Payloads>['on'],
      once: ((name: string, listener: Listener) => {
        const off = on(name, (payload) => {
          off();
          return listener(payload);
        });
        return off;
      }) as Events<Payloads>['once'],
      off: (name, listener) => void emitter.off(name as string, listener as Listener),
    },
    emit: (name, payload) => {
      for (const listener of emitter.listeners(name as string)) callSafely(report, listener as Listener, payload);
    },
    isHeard: (name) => emitter.listenerCount(name as string) > 0,
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
