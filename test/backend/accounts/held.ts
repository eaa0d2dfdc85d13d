import { vi } from 'vitest';
import type { Store } from '../../../src/backend/stores/store.js';

const deriveBits = crypto.subtle.deriveBits.bind(crypto.subtle);

/** A place where one call is held until a test lets it go on. */
export interface Gate {
  /** Settles when the call has come. */
  arrived: Promise<void>;
  /** Lets it go on. */
  open(): void;
}

/** Where a request is held: before it checks or hashes a password, or before an operation of the store. */
export type Place = 'hasher' | keyof Store;

function newGate(): Gate & { pass(): Promise<void> } {
  let arrive = (): void => {};
  let open = (): void => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    arrived,
    open,
    async pass() {
      arrive();
      await opened;
    },
  };
}

/** A store that can hold its next call of an operation, and otherwise is `store`. */
export function holdable(store: Store): { store: Store; hold(place: Place): Gate } {
  const gates = new Map<string | symbol, ReturnType<typeof newGate>>();
  const held = new Proxy(store, {
    get(target, name) {
      const operation = Reflect.get(target, name) as (request: unknown) => unknown;
      return async (request: unknown) => {
        const gate = gates.get(name);
        gates.delete(name);
        await gate?.pass();
        return operation(request);
      };
    },
  });
  return {
    store: held,
    hold(place) {
      const gate = place === 'hasher' ? holdHasher() : newGate();
      if (place !== 'hasher') gates.set(place, gate as ReturnType<typeof newGate>);
      return gate;
    },
  };
}

/** Holds the next password that is hashed, whoever asks. */
export function holdHasher(): Gate {
  const gate = newGate();
  vi.spyOn(crypto.subtle, 'deriveBits').mockImplementationOnce(async (...given) => {
    await gate.pass();
    return deriveBits(...given);
  });
  return gate;
}
