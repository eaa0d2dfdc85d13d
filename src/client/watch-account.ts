import type { SdkError } from '../errors.js';
import type { CurrentSession } from './session/current-session.js';
import type { StateName } from './session/state-machine.js';
import { createWatched, deepFreeze, type Watched } from './watched.js';

/** Who the player is at a moment. */
export interface AccountSnapshot {
  /** The user's id, or null where nobody is authenticated. */
  readonly userId: string | null;
  /** The state of the client, such as `guest` or `linked`. docs/interface.md#states-and-transitions */
  readonly state: StateName;
  /** What leads to the account: `device`, `name`, `identity`, `social`, `custom`, `recovery`. */
  readonly methods: readonly string[];
  /** ISO 3166-1 alpha-2; `ZZ` where the service does not know it, null where nobody is authenticated. */
  readonly country: string | null;
  /**
   * Why nobody could be signed in: what the latest `init` failed with. Null before and while that is under way, and as soon
   * as the state is not `starting` any more: the client tries again by itself once there is a network.
   */
  readonly error: SdkError | null;
}

/** The account of a client, and what its latest start has failed with. */
export interface WatchedAccount {
  readonly watched: Watched<AccountSnapshot>;
  /** What the latest start has failed with; null while one is under way. */
  startError: SdkError | null;
}

/** Makes the account of a client something to be watched. */
export function createWatchedAccount(currentSession: CurrentSession, report: (error: unknown) => void): WatchedAccount {
  let startError: SdkError | null = null;
  let text = '';
  let snapshot: AccountSnapshot | null = null;

  function getSnapshot(): AccountSnapshot {
    const { userId, state, session } = currentSession;
    const { methods = [], country = null } = session ?? {};
    const present = { userId, state: state.name, methods: [...methods], country };
    const latest = JSON.stringify(present);
    const error = state.name === 'starting' ? startError : null;
    if (snapshot === null || latest !== text || error !== snapshot.error) {
      text = latest;
      snapshot = Object.freeze({ ...deepFreeze(present), error });
    }
    return snapshot;
  }

  const { watched, changed } = createWatched(getSnapshot, report);
  currentSession.subscribe({ sessionChanged: changed });
  return {
    watched,
    get startError() {
      return startError;
    },
    set startError(error) {
      startError = error;
      changed();
    },
  };
}
