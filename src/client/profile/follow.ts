import { startTimer } from '../../http/timers.js';

const pauseMs = {
  /** The service's reads of one account have a limit, and other requests need some of it. */
  min: 1_000,
  default: 4_000,
  /** After failures, each of which doubles it. */
  max: 60_000,
};

/** How a game follows what others write. */
export interface FollowOptions {
  /** How often the service is asked, in ms: from 1,000 on, 4,000 by default. */
  everyMs?: number | undefined;
}

export interface Following {
  /** Looks at once, and then again and again while the page can be seen; the function that is given ends that. */
  follow(options?: FollowOptions): () => void;
  /** Whether the page can be seen. */
  seen(isSeen: boolean): void;
  /** Looks at once, if somebody follows and the page can be seen. */
  lookAgain(): void;
  /** Gives up the look that is under way, and is no failure: the next one comes in its time. */
  giveUp(): void;
  /** Gives it up too, and begins none until the function that is given is called. */
  rest(): () => void;
  dispose(): void;
}

/** Makes what looks at the service again and again for somebody; `look` rejects where it fails. */
export function createFollowing(look: (signal: AbortSignal) => Promise<void>): Following {
  /** How often each of those that follow wants to know. */
  const followers = new Map<object, number>();
  const rests = new Set<object>();
  let isHidden = false;
  let looking: AbortController | null = null;
  let failures = 0;
  let stopTimer = (): void => {};

  function next(ms: number): void {
    stopTimer();
    if (looking !== null || isHidden || rests.size > 0 || followers.size === 0) return;
    stopTimer = startTimer(ms, () => void run());
  }

  async function run(): Promise<void> {
    looking = new AbortController();
    const { signal } = looking;
    try {
      await look(signal);
      failures = 0;
    } catch {
      // What the game has shows nothing wrong: it is older. The status tells of what fails to be sent.
      if (!signal.aborted) failures += 1;
    }
    looking = null;
    const everyMs = Math.min(...followers.values());
    next(failures === 0 ? everyMs : Math.max(everyMs, Math.min(everyMs * 2 ** failures, pauseMs.max)));
  }

  return {
    follow: ({ everyMs = pauseMs.default } = {}) => {
      if (!(Number.isFinite(everyMs) && everyMs >= pauseMs.min))
        throw new TypeError(`everyMs must be a number of ms from ${pauseMs.min} on`);
      const follower = {};
      followers.set(follower, everyMs);
      next(0);
      return () => {
        followers.delete(follower);
        if (followers.size === 0) stopTimer();
      };
    },
    seen: (isSeen) => {
      isHidden = !isSeen;
      next(0);
    },
    lookAgain: () => next(0),
    giveUp: () => looking?.abort(),
    rest: () => {
      const rest = {};
      rests.add(rest);
      stopTimer();
      looking?.abort();
      return () => {
        rests.delete(rest);
        next(0);
      };
    },
    dispose: () => {
      followers.clear();
      stopTimer();
      looking?.abort();
    },
  };
}
