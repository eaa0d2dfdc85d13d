import { operatorDefaults } from '../../protocol/gaps/operators.js';

/** A session, by what tells it from every other one. */
export interface EndingSession {
  id: string;
  expiresAt: number;
}

/** Knows which sessions somebody has signed out. */
export interface SignedOut {
  /** Ends a session. Rejects where that cannot be kept, and the session has not ended. */
  end(session: EndingSession): Promise<void>;
  /** Rejects where nobody knows. */
  hasEnded(id: string): Promise<boolean>;
}

/** Of one process, until it stops. */
export function signedOutHere(): SignedOut {
  const ended = new Set<string>();
  return {
    async end({ id }) {
      ended.add(id);
    },
    hasEnded: async (id) => ended.has(id),
  };
}

/** More sessions than there are operators at work. */
const maxLooks = 1_000;

interface Look {
  at: number;
  hasEnded: Promise<boolean>;
}

/**
 * Of all processes over one store, which is asked at most once in two seconds for a session: a page sends many requests at once, and
 * what another process has ended counts no longer than that.
 */
export function lookedUp(store: SignedOut, now: () => number): SignedOut {
  const looks = new Map<string, Look>();

  function keep(id: string, hasEnded: Promise<boolean>): Look {
    const look = { at: now(), hasEnded };
    looks.delete(id);
    looks.set(id, look);
    const [oldest] = looks.keys();
    if (looks.size > maxLooks && oldest !== undefined) looks.delete(oldest);
    return look;
  }

  return {
    async end(session) {
      await store.end(session);
      keep(session.id, Promise.resolve(true));
    },

    async hasEnded(id) {
      const known = looks.get(id);
      // A clock that was set back must not let what is known count for longer.
      if (known !== undefined && Math.abs(now() - known.at) < operatorDefaults.consoleSessionLookMs)
        return known.hasEnded;
      const look = keep(id, store.hasEnded(id));
      try {
        return await look.hasEnded;
      } catch (error) {
        if (looks.get(id) === look) looks.delete(id);
        throw error;
      }
    },
  };
}
