/** What is known of an entry of an account. */
interface EntryHistory {
  /** Every text that was sent and not surely refused. */
  sent: Set<string>;
  /** What was acknowledged, by version. */
  acknowledged: Map<number, string>;
  last: number;
  /** How many versions may have been made besides: by lost answers, merges and restored snapshots. */
  besides: number;
}

/** An entry as somebody has read it. */
export interface FoundEntry {
  key: string;
  version: number;
  text: string;
}

/** The last acknowledged versions of an account's entries at a moment. */
export type Floor = ReadonlyMap<string, number>;

/**
 * What was sent to whose entries, and what of it was acknowledged: every reading has to agree with that. It holds for several
 * writers of an entry as well, for no two of them may be told of one version.
 */
export interface Ledger {
  sending(userId: string, key: string, text: string): void;
  acknowledged(userId: string, key: string, written: { version: number; text: string; lost: number }): void;
  /** Nothing was written, but by those tries whose answers got lost. */
  refused(userId: string, key: string, written: { text: string; lost: number }): void;
  /** Something else than a write may make a version: a merge, a snapshot that is restored. */
  maybeAlso(userId: string, key: string, text: string): void;
  floor(userId: string): Floor;
  /** The latest acknowledged version of an entry; -1 where there is none. */
  last(userId: string, key: string): number;
  /** What is wrong with what was found, given what had been acknowledged before it was asked for. */
  problems(userId: string, found: readonly FoundEntry[], floor: Floor): string[];
  /** What is wrong at the end: every version has to be somebody's. */
  finalProblems(userId: string, found: readonly FoundEntry[]): string[];
  accounts(): string[];
  /** How many writes were acknowledged. */
  count(): number;
}

export function createLedger(report: (userId: string, problem: string) => void): Ledger {
  const accounts = new Map<string, Map<string, EntryHistory>>();
  let writes = 0;

  function history(userId: string, key: string): EntryHistory {
    const entries = accounts.get(userId) ?? new Map<string, EntryHistory>();
    accounts.set(userId, entries);
    const known = entries.get(key) ?? { sent: new Set(), acknowledged: new Map(), last: -1, besides: 0 };
    entries.set(key, known);
    return known;
  }

  const floor = (userId: string): Floor =>
    new Map([...(accounts.get(userId) ?? [])].flatMap(([key, { last }]) => (last < 0 ? [] : [[key, last]])));

  function problems(userId: string, found: readonly FoundEntry[], since: Floor): string[] {
    const known = accounts.get(userId);
    const seen = new Map(found.map((entry) => [entry.key, entry]));
    const lost = [...since].flatMap(([key, version]) => {
      const there = seen.get(key);
      if (there === undefined) return [`${key}: version ${version} was acknowledged, and nothing is there`];
      return there.version < version
        ? [`${key}: version ${version} was acknowledged, and ${there.version} is there`]
        : [];
    });
    const strange = found.flatMap(({ key, version, text }) => {
      const entry = known?.get(key);
      const told = entry?.acknowledged.get(version);
      if (told !== undefined && told !== text)
        return [`${key}: version ${version} is ${text}, acknowledged was ${told}`];
      return entry?.sent.has(text) ? [] : [`${key}: nobody has written ${text} here`];
    });
    return [...lost, ...strange];
  }

  return {
    sending: (userId, key, text) => void history(userId, key).sent.add(text),
    acknowledged(userId, key, { version, text, lost }) {
      const entry = history(userId, key);
      const other = entry.acknowledged.get(version);
      // A write that has a name is told of the same version each time.
      if (other !== undefined && other !== text)
        report(userId, `${key}: version ${version} was told twice: ${other}, ${text}`);
      if (other === undefined) writes += 1;
      entry.acknowledged.set(version, text);
      entry.last = Math.max(entry.last, version);
      entry.besides += lost;
    },
    refused(userId, key, { text, lost }) {
      const entry = history(userId, key);
      entry.besides += lost;
      if (lost === 0) entry.sent.delete(text);
    },
    maybeAlso(userId, key, text) {
      const entry = history(userId, key);
      entry.sent.add(text);
      entry.besides += 1;
    },
    floor,
    last: (userId, key) => accounts.get(userId)?.get(key)?.last ?? -1,
    problems,
    finalProblems(userId, found) {
      const unexplained = found.flatMap(({ key, version }) => {
        const entry = accounts.get(userId)?.get(key);
        const made = version + 1 - (entry?.acknowledged.size ?? 0);
        return made > (entry?.besides ?? 0) ? [`${key}: version ${version}, and ${made} of them nobody has made`] : [];
      });
      return [...problems(userId, found, floor(userId)), ...unexplained];
    },
    accounts: () => [...accounts.keys()],
    count: () => writes,
  };
}
