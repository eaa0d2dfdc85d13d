import type { Device } from './device.js';
import type { Kept, WatchedService } from './service.js';
import { type CollectionName, key, type Mark, marksOf, torn, type Value } from './values.js';

/** A write that a game made. */
export interface Write {
  readonly mark: Mark;
  readonly collection: CollectionName;
  readonly device: Device;
  /** Null before there is an account: then it is the first one's that comes. */
  account: string | null;
  readonly madeAt: number;
  /** When its promise resolved; null where it did not. */
  keptAt: number | null;
}

/** What must hold, whatever happens. */
export interface Truth {
  begin(write: Pick<Write, 'collection' | 'device' | 'account'> & { amount: number }): Write;
  kept(write: Write): void;
  /** The same was set again, and that promise resolved. */
  keptAgain(device: Device, marks: readonly Mark[]): void;
  /** What a game sees. */
  seen(collection: CollectionName, account: string | null, value: Value | undefined, where: string): void;
  /** What a resolved flush says: all that was there is at the service. */
  flushed(marks: readonly Mark[]): void;
  wrong(what: string): void;
  /** The marks of kept writes that are not at the service. */
  owed(device: Device, account: string): Write[];
  /** Throws what has been found wrong. */
  check(): void;
  /** The same at the end, when all that is owed has been sent; `lost` are accounts that nothing leads to any more. */
  checkEnd(lost: ReadonlySet<string>): void;
}

export function createTruth(service: WatchedService, profileKey: (account: string | null) => string): Truth {
  const writes = new Map<Mark, Write>();
  const found: string[] = [];
  /** By mark: where the service has it. */
  const places = new Map<Mark, Kept[]>();
  let looked = 0;
  let now = 0;

  const wrong = (what: string): void => void found.push(what);
  const place = ({ account, collection, version }: Kept): string =>
    `${collection} ${version ?? 'snapshot'} of ${account}`;

  /** Goes through what the service has stored since the last time. */
  function look(): void {
    for (; looked < service.history.length; looked += 1) {
      const kept = service.history[looked] as Kept;
      const collection = kept.collection as CollectionName;
      const isUndone = service.undone.has(kept.account);
      const problem = torn(collection, kept.value);
      if (problem !== null && !(isUndone && collection === 'tally'))
        wrong(`${problem}: ${place(kept)}: ${text(kept.value)}`);
      for (const mark of marksOf(kept.value)) {
        const write = writes.get(mark);
        if (write !== undefined) write.account ??= kept.account;
        isOf(kept.account, mark, place(kept));
        const before = places.get(mark) ?? [];
        const again = before.find((one) => one.account === kept.account && one.version !== null);
        if (collection === 'plain' && kept.version !== null && again !== undefined && !isUndone) {
          wrong(`written twice: ${mark} as ${place(again)} and ${place(kept)}`);
        }
        places.set(mark, [...before, kept]);
      }
      if (!isUndone && kept.version !== null && kept.version > 0) grows(kept);
    }
  }

  /** What is only ever added to must not lose anything. */
  function grows(kept: Kept): void {
    if (kept.collection !== 'log' && kept.collection !== 'tally') return;
    const last = service.history
      .slice(0, looked)
      .findLast((one) => one.account === kept.account && one.collection === kept.collection && one.version !== null);
    const gone = marksOf(last?.value).filter((mark) => !marksOf(kept.value).includes(mark));
    if (gone.length > 0) wrong(`written over: ${gone} in ${place(kept)}`);
  }

  function isOf(account: string, mark: Mark, where: string): void {
    const of = writes.get(mark)?.account;
    if (of === undefined) wrong(`nobody wrote ${mark}: ${where}`);
    else if (of !== null && !service.sources(account).has(of)) wrong(`${mark} of ${of} in ${where}`);
  }

  /** Whether the service has a write, or may forget it: a later one of the same device has taken its place. */
  function isSafe(write: Write, holds: (one: Write) => boolean): boolean {
    const tried = new Set<Write>();
    const left = [write];
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      if (tried.has(one)) continue;
      tried.add(one);
      if (places.has(one.mark) || holds(one)) return true;
      if (one.collection !== 'plain' && one.collection !== 'asked') continue;
      for (const other of writes.values()) if (replaces(other, one)) left.push(other);
    }
    return false;
  }

  function replaces(other: Write, one: Write): boolean {
    return (
      other.device === one.device &&
      other.collection === one.collection &&
      (other.account === one.account || other.account === null || one.account === null) &&
      (other.keptAt ?? Number.POSITIVE_INFINITY) > one.madeAt
    );
  }

  const isStored = (write: Write): boolean => storedMarks(write).includes(write.mark);

  function storedMarks({ device, account, collection }: Write): Mark[] {
    // What is written before an account is there is moved to it a little later, and nobody knows which one it will be.
    const unowned = profileKey(null);
    const copies = device
      .keys()
      .filter((at) => at === unowned || (account === null ? at.startsWith(unowned) : at === profileKey(account)));
    return copies.flatMap((at) => {
      const { slots = [] } = JSON.parse(device.stored(at) || '{}') as { slots?: [string, { local?: Value }][] };
      const slot = slots.find(([name]) => name === `${collection}\n${key}`)?.[1];
      return marksOf(slot?.local);
    });
  }

  const keptWrites = (): Write[] => [...writes.values()].filter(({ keptAt }) => keptAt !== null);

  function stop(): void {
    if (found.length > 0) throw new Error(found.join('\n'));
  }

  return {
    begin: ({ amount, ...write }) => {
      now += 1;
      const made = { ...write, mark: `m${writes.size + 1}:${amount}`, madeAt: now, keptAt: null };
      writes.set(made.mark, made);
      return made;
    },
    kept: (write) => {
      now += 1;
      write.keptAt = now;
    },
    keptAgain: (device, marks) => {
      now += 1;
      for (const mark of marks) {
        const write = writes.get(mark);
        if (write?.device === device) write.keptAt ??= now;
      }
    },
    seen: (collection, account, value, where) => {
      if (value === undefined) return;
      const isUndone = account !== null && service.undone.has(account);
      const problem = torn(collection, value);
      if (problem !== null && !(isUndone && collection === 'tally')) wrong(`${problem}: ${where}: ${text(value)}`);
      if (account !== null) for (const mark of marksOf(value)) isOf(account, mark, where);
    },
    flushed: (marks) => {
      look();
      for (const mark of marks) {
        const write = writes.get(mark);
        if (write !== undefined && !isSafe(write, () => false)) wrong(`flushed, but not at the service: ${mark}`);
      }
    },
    wrong,
    owed: (device, account) => {
      look();
      return keptWrites().filter(
        (write) => write.device === device && write.account === account && !isSafe(write, () => false),
      );
    },
    check: () => {
      look();
      for (const write of keptWrites()) {
        if (!isSafe(write, isStored))
          wrong(`kept, and then lost: ${write.mark} in ${write.collection} of ${write.account}`);
      }
      stop();
    },
    checkEnd: (lost) => {
      look();
      for (const write of keptWrites()) {
        const { account, collection, mark } = write;
        if (account !== null && lost.has(account)) continue;
        if (!isSafe(write, () => false)) wrong(`never came to the service: ${mark} in ${collection} of ${account}`);
        else if (collection === 'tally' && account !== null && !service.undone.has(account)) {
          const value = service.value(account, collection, key);
          if (!marksOf(value).includes(mark)) wrong(`not in the tally of ${account}: ${mark}: ${text(value)}`);
        }
      }
      stop();
    },
  };
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
