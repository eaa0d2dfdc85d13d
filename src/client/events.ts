import { EventEmitter } from 'eventemitter3';

/**
 * Subscriptions to what a client raises. Listeners are called in the order in which they were added, last of all:
 * state is saved before. None is awaited, and none can change an outcome: what one throws, or its promise rejects
 * with, is reported as an uncaught error of the page, and the others are called all the same. Who listens when an
 * event is raised hears it, whoever is added or ends meanwhile.
 */
export interface Events<Payloads extends object> {
  /**
   * Calls the listener at each such event. A listener that is added twice is called twice.
   *
   * @returns A function that ends this registration, and no other one of the same listener.
   * @throws TypeError where the listener is no function; in the interface's spelling also for a name that is no event.
   */
  on<Name extends keyof Payloads>(name: Name, listener: (payload: Payloads[Name]) => unknown): () => void;
  /** As `on`, for the next such event only. `off`, or the function that is returned, ends it before. */
  once<Name extends keyof Payloads>(name: Name, listener: (payload: Payloads[Name]) => unknown): () => void;
  /**
   * Ends one registration of the listener, whether it was made by `on` or by `once`: the last one that was made, as
   * Node's emitter does. Does nothing where there is none.
   */
  off<Name extends keyof Payloads>(name: Name, listener: (payload: Payloads[Name]) => unknown): void;
}

/** Events, with what only their owner may do. */
export interface EventSource<Payloads extends object> {
  readonly events: Events<Payloads>;
  /** Raises an event. Never throws. */
  emit<Name extends keyof Payloads>(name: Name, payload: Payloads[Name]): void;
  hasListener(name: keyof Payloads): boolean;
}

type Listener = (payload: unknown) => unknown;

/** One call of `on` or `once`. The emitter knows it by `call`, which no other registration shares. */
interface Registration {
  readonly name: string;
  readonly listener: Listener;
  readonly call: (payload: unknown) => void;
}

/** Makes a source of events. `report` is given what a listener throws, or its promise rejects with. */
export function createEvents<Payloads extends object>(report: (error: unknown) => void): EventSource<Payloads> {
  const emitter = new EventEmitter();
  const registrations: Registration[] = [];

  function end(registration: Registration): void {
    const index = registrations.indexOf(registration);
    if (index < 0) return;
    registrations.splice(index, 1);
    emitter.off(registration.name, registration.call);
  }

  function add(name: string, listener: Listener, isOnce: boolean): () => void {
    if (typeof listener !== 'function') throw new TypeError('listener must be a function');
    let calls = 0;
    const registration: Registration = {
      name,
      listener,
      call: (payload) => {
        calls += 1;
        // A listener may raise the event again: the outer round of calls still knows this registration.
        if (isOnce && calls > 1) return;
        if (isOnce) end(registration);
        callSafely(report, listener, payload);
      },
    };
    registrations.push(registration);
    emitter.on(name, registration.call);
    return () => end(registration);
  }

  return {
    events: {
      on: (name: string, listener: Listener) => add(name, listener, false),
      once: (name: string, listener: Listener) => add(name, listener, true),
      off: (name: string, listener: Listener) => {
        const last = registrations.filter((one) => one.name === name && one.listener === listener).at(-1);
        if (last !== undefined) end(last);
      },
    } as Events<Payloads>,
    emit: (name, payload) => void emitter.emit(name as string, payload),
    hasListener: (name) => emitter.listenerCount(name as string) > 0,
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
