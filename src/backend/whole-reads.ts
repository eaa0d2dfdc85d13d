import { accountDefaults } from '../protocol/gaps/accounts.js';
import { type ConcurrencyLimit, createConcurrencyLimit, type Waiting } from './concurrency-limit.js';

/**
 * Reads something whole, and says how many bytes of values that was. Where it finds out before it has read them that they
 * are so many, `grows` says when they may be read: null is at once, and whoever waits holds nothing of them.
 */
type Read<Result> = (weigh: (bytes: number) => void, grows: (bytes: number) => Promise<void> | null) => Promise<Result>;

/** Who waits, and for what: an account's collection, or all of it. */
interface Reader extends Waiting {
  part?: string | undefined;
  /** How many bytes of values it is, where that is known before; else what it was the last time counts. */
  bytes?: number | undefined;
  /** Is told how many bytes it was, for whom it counts. */
  weigh?: ((bytes: number) => void) | undefined;
}

/**
 * Reads whole collections and profiles, so many at once. What was large the last time waits with what is as large, and
 * they rest between two of them: no small save waits for that.
 */
export type WholeReads = <Result>(who: Reader, read: Read<Result>) => Promise<Result>;

export function createWholeReads(pause: () => Promise<void>): WholeReads {
  const {
    wholeReadsAtOnce: atOnce,
    largeReadsAtOnce,
    largeReadBytes,
    largeReadersKnown,
    wholeReadsAtOncePerAccount: atOncePerLine,
    wholeReadsWaiting: waiting,
    wholeReadsWaitMs: waitMs,
  } = accountDefaults;
  const names = { waiting: 'wholeReadsWaiting', waitMs: 'wholeReadsWaitMs' } as const;
  const others = createConcurrencyLimit({ atOnce, atOncePerLine, waiting, waitMs, names });
  // SQLite reads within the turn: several of these in one would hold up everybody else for all of them.
  const large = createConcurrencyLimit({
    atOnce: largeReadsAtOnce,
    atOncePerLine,
    waiting,
    waitMs,
    names,
    before: pause,
  });
  /** What was large, the last one at the end. */
  const known = new Set<string>();

  function weighed(who: Reader, bytes: number): void {
    if (bytes < largeReadBytes && known.size === 0) return;
    const name = nameOf(who);
    known.delete(name);
    if (bytes < largeReadBytes) return;
    known.add(name);
    const [first] = known;
    if (known.size > largeReadersKnown && first !== undefined) known.delete(first);
  }

  return (who, read) => {
    if (who.bytes !== undefined) weighed(who, who.bytes);
    // Each read comes by here: it gets no name where nothing was large.
    const lane = known.size > 0 && known.has(nameOf(who)) ? large : others;
    const weigh = (bytes: number): void => {
      weighed(who, bytes);
      who.weigh?.(bytes);
    };
    return lane(who, (endTurn) => {
      const grows = (bytes: number): Promise<void> | null => {
        weighed(who, bytes);
        if (lane === large || bytes < largeReadBytes) return null;
        // Whoever waits among the large ones must not hold up a small one.
        endTurn();
        return turnUntil(large, who, () => reading);
      };
      const reading = read(weigh, grows);
      return reading;
    });
  };
}

/** Settles when somebody's turn comes, which lasts until something else has settled. */
function turnUntil(lane: ConcurrencyLimit, who: Waiting, over: () => Promise<unknown>): Promise<void> {
  return new Promise((begin, refuse) => {
    const untilOver = async (): Promise<void> => {
      begin();
      await Promise.allSettled([over()]);
    };
    lane(who, untilOver).catch(refuse);
  });
}

function nameOf({ line = '', part = '' }: Reader): string {
  return `${line}/${part}`;
}
