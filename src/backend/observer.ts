import type { ConflictChoice } from '../protocol/conflict.js';
import type { FailureCode } from '../protocol/failures.js';
import type { OperationName } from '../protocol/operations.js';
import type { Store } from './stores/store.js';

/**
 * A request, as whoever watches the service sees it. Nothing of it is what its sender wrote, so that nobody can fill
 * what watches with names of their own.
 */
export interface ObservedRequest {
  /** What is asked for; `preflight` where a page asks what it may, null where there is nothing at this address. */
  readonly operation: OperationName | 'preflight' | null;
  /** The pattern of the path; null where there is nothing at this address. */
  readonly route: string | null;
  /** The HTTP method; `OTHER` for one that the service has none of. */
  readonly method: string;
  /** The request's id, as in the log. */
  readonly requestId: string;
  /** The status of the answer; null until there is one, and where none is given. */
  readonly status: number | null;
  /** The failure's code; null until the answer, and where the request does not fail. */
  readonly code: FailureCode | null;
  /** What the log calls the player; null until that is known. */
  readonly user: string | null;
  /** A header of the request, where a trusted proxy has sent it; null otherwise. */
  trustedHeader(name: string): string | null;
}

/** What an operation tells besides its answer. */
export type ServiceEvent =
  /** A player's choice in a conflict was carried out, or asked for once more. */
  | {
      /** Which event this is. */
      kind: 'choice';
      /** What was chosen. */
      choice: ConflictChoice;
    }
  /** The nonce of a request that is signed rightly was claimed. */
  | {
      /** Which event this is. */
      kind: 'nonce';
      /** The game's id, one of the service's games. */
      gameId: string;
      /** Whether it is this request's now, was another's, or found no room. */
      outcome: Awaited<ReturnType<Store['claimNonce']>>;
    }
  /** What had expired was removed, or some of it. */
  | {
      /** Which event this is. */
      kind: 'removal';
      /** How many records. */
      removed: number;
    };

/** Watches a service, for metrics and traces. Whatever it throws fails the request that it watches. */
export interface Observer {
  /** Calls `answer` once and gives what that gives. Afterwards `request` says how it ended. */
  request<Result>(request: ObservedRequest, answer: () => Promise<Result>): Promise<Result>;
  /** Calls `run`, one operation of the store, once and gives what that gives. */
  store<Result>(operation: keyof Store, run: () => Promise<Result>): Promise<Result>;
  /** Takes an event. */
  happened(event: ServiceEvent): void;
}

/** A store that is watched at each operation. */
export function observedStore(store: Store, observer: Observer): Store {
  const watched = new Map<string | symbol, unknown>();
  return new Proxy(store, {
    get(target, name) {
      const known = watched.get(name);
      if (known !== undefined) return known;
      const operation: unknown = Reflect.get(target, name);
      if (typeof operation !== 'function') return operation;
      const run = (...given: unknown[]) =>
        observer.store(name as keyof Store, async () => Reflect.apply(operation, target, given));
      watched.set(name, run);
      return run;
    },
  });
}
