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
   * Whether a player is about to be here: until `init` has ended, and where it waits for the network that the game has
   * switched off. False once it has ended without one: it has failed, or `autoLogin` is false.
   */
  readonly isStarting: boolean;
  /**
   * Why nobody could be signed in: what the latest `init` failed with. Null before and while that is under way, and as soon
   * as the state is not `starting` any more: the client tries again by itself once there is a network.
   */
  readonly error: SdkError | null;
}

/** How the latest start of a client stands; `error` is what it has failed with. */
type Start = Pick<AccountSnapshot, 'isStarting' | 'error'>;

/** The account of a client, and its latest start. */
export interface WatchedAccount {
  readonly watched: Watched<AccountSnapshot>;
  start: Start;
}

/** Makes the account of a client something to be watched. */
export function createWatchedAccount(currentSession: CurrentSession, report: (error: unknown) => void): WatchedAccount {
  let start: Start = { isStarting: true, error: null };
  let text = '';
  let snapshot: AccountSnapshot | null = null;

  function getSnapshot(): AccountSnapshot {
    const { userId, state, session } = currentSession;
    const { methods = [], country = null } = session ?? {};
    const { isStarting, error } = state.name === 'starting' ? start : { isStarting: false, error: null };
    const present = { userId, state: state.name, methods: [...methods], country, isStarting };
    const latest = JSON.stringify(present);
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
    get start() {
      return start;
    },
    set start(next) {
      start = next;
      changed();
    },
  };
}
