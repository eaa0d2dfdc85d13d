import { accountDefaults } from '../protocol/gaps/accounts.js';
import { createConcurrencyLimit, type Waiting } from './concurrency-limit.js';

/** Reads something whole, and says how many bytes of values that was. */
type Read<Result> = (weigh: (bytes: number) => void) => Promise<Result>;

/**
 * Reads whole collections and profiles, so many at once. Whoever was large the last time waits with those who are as large,
 * and they rest between two of them: nobody with a small save waits for that.
 */
export type WholeReads = <Result>(who: Waiting, read: Read<Result>) => Promise<Result>;

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
  const others = createConcurrencyLimit({ atOnce, atOncePerLine, waiting, waitMs });
  // SQLite reads within the turn: several of these in one would hold up everybody else for all of them.
  const large = createConcurrencyLimit({ atOnce: largeReadsAtOnce, atOncePerLine, waiting, waitMs, before: pause });
  /** Those who were large, the one who came last at the end. */
  const known = new Set<string>();

  function weighed(line: string, bytes: number): void {
    known.delete(line);
    if (bytes < largeReadBytes) return;
    known.add(line);
    const [first] = known;
    if (known.size > largeReadersKnown && first !== undefined) known.delete(first);
  }

  return (who, read) => {
    const { line } = who;
    const lane = line !== undefined && known.has(line) ? large : others;
    return lane(who, () => read((bytes) => void (line !== undefined && weighed(line, bytes))));
  };
}
