import type { Device, Page } from './device.js';
import { search } from './search.js';
import type { Kept, WatchedService } from './service.js';
import { createTotals, type Totals } from './totals.js';
import { isCounter, isGrowing, isReplaced, type Mark, marksOf, type Name, torn, type Value } from './values.js';

/** A write that a game made, or a back end: that has no device. */
export interface Write {
  readonly mark: Mark;
  readonly collection: Name;
  readonly key: string;
  readonly device: Device | null;
  /** Null before there is an account: then it is the first one's that comes. */
  account: string | null;
  /** The page that made it before it knew its account; null for any other. */
  readonly earlyOn: Page | null;
  /** The page that made it while it carried out a choice that may leave its account; null for any other. */
  readonly leavingOn: Page | null;
  readonly madeAt: number;
  /** When its promise resolved; null where it did not. */
  keptAt: number | null;
}

/** A write that was seen in another account than its own, in a value there. */
interface Strayed {
  readonly account: string;
  readonly mark: Mark;
  readonly where: string;
  readonly value: Value;
}

/** What must hold, whatever happens. */
export interface Truth {
  readonly totals: Totals;
  begin(
    write: Pick<Write, 'collection' | 'key' | 'device' | 'account' | 'earlyOn' | 'leavingOn'> & { amount: number },
  ): Write;
  kept(write: Write): void;
  /** Its promise rejected: the game knows that it is not kept. */
  refused(write: Write): void;
  /** An account has come on a page: what was written there before it is the account's. */
  arrived(account: string, device: Device, writes: readonly Write[]): void;
  /** The same was set again, and that promise resolved. */
  keptAgain(device: Device, marks: readonly Mark[]): void;
  /** What a game sees. */
  seen(collection: Name, account: string | null, value: Value | undefined, where: string): void;
  /** What a resolved flush says: all that was there is at the service. */
  flushed(marks: readonly Mark[]): void;
  wrong(what: string): void;
  /** The kept writes that are not at the service. */
  owed(device: Device, account: string | null): Write[];
  /** The accounts that a device has written in, or may have. */
  accountsOf(device: Device): string[];
  /** Throws what has been found wrong. */
  check(): void;
  /** The same at the end, when all that is owed has been sent; `lost` are accounts that nothing leads to any more. */
  checkEnd(lost: ReadonlySet<string>): Promise<void>;
}

/** What alone is looked for, where not everything is. */
const sought = search.seek === undefined ? null : new RegExp(search.seek);

export function createTruth(service: WatchedService): Truth {
  const writes = new Map<Mark, Write>();
  const found: string[] = [];
  /** What was seen in another account than its own. */
  const strayed: Strayed[] = [];
  /** Kept writes that the service is not known to have. */
  const open = new Set<Write>();
  /** The accounts that have come on a device. */
  const came = new Map<Device, Set<string>>();
  const places = new Map<Mark, Kept[]>();
  const refused = new Set<Mark>();
  /** What was set before an account by pages that are there. */
  const early = new Set<Write>();
  /** Those of them whose account the home had not got yet when they were looked at last, as their page said. */
  const unnoted = new Set<Write>();
  /** The devices whose storage has failed while something like that was there. */
  const failed = new Set<Device>();
  /** How many writes of a device had failed when something like that was set. */
  const failedBefore = new Map<Write, number>();
  /** What was not at the service when a flush had resolved. */
  let missed: Mark[] = [];
  const wrong = (what: string): void => void (sought?.test(what) === false || found.push(what));
  const totals = createTotals(service, wrong);
  let looked = 0;
  let now = 0;

  const place = ({ account, collection, version }: Kept): string =>
    `${collection} ${version ?? 'snapshot'} of ${account}`;

  /** Whether one of its writes was made while its page carried out a choice: on the value of the account that was left. */
  const hasCrossed = (value: Value): boolean => marksOf(value).some((mark) => writes.get(mark)?.leavingOn != null);

  /** Whether somebody besides its page can know that a write is its account's: the service, or the device. */
  function isKnownAsIts({ mark, account, device }: Write): boolean {
    if (account === null || device === null) return true;
    const isIts = (other: string): boolean => other === account || service.sources(other).has(account);
    if (places.get(mark)?.some((kept) => isIts(kept.account))) return true;
    const { shelf, localShelf, databases } = device;
    const ids = [account, ...(came.get(device) ?? [])].filter(isIts);
    return [...shelf.texts, ...localShelf.texts, ...databases.entries()].some(
      ([key, text]) => text.includes(`"${mark}`) && ids.some((id) => (key + text).includes(id)),
    );
  }

  /**
   * A page has told the game who has come, or that a choice is carried out, and was gone before the home knew whose that
   * is: it is that of whoever comes. So it is where the home was full or failed, and another page has left that account meanwhile.
   */
  function disown(): void {
    for (const write of early) {
      const { device } = write;
      const hasFailed = device !== null && device.shelf.failed > (failedBefore.get(write) ?? 0);
      if (device !== null && (hasFailed || !device.isWell)) failed.add(device);
      const isGone = (write.earlyOn ?? write.leavingOn)?.isAlive === false;
      const isPast = isGone || (unnoted.has(write) && isLeft(write));
      if (isPast) {
        early.delete(write);
        if (!isKnownAsIts(write)) write.account = null;
      } else if ((isUnstored(write) || hasFailed) && !isKnownAsIts(write)) unnoted.add(write);
      else unnoted.delete(write);
    }
  }

  /** Whether its page says that something cannot be stored. */
  function isUnstored({ earlyOn }: Write): boolean {
    return earlyOn !== null && ['offline', 'unstored'].includes(earlyOn.client.profile.status);
  }

  /** Whether its account was deleted or left, by another page than its own: that may not have heard of it yet. */
  function isLeft({ earlyOn, account, device }: Write): boolean {
    if (account === null) return false;
    const beside = device?.pages.map((page) => page?.client.auth.userId ?? account) ?? [];
    return service.deleted.has(account) || [earlyOn?.client.auth.userId, ...beside].some((one) => one !== account);
  }

  /** Goes through what the service has stored since the last time. */
  function look(): void {
    disown();
    totals.look();
    for (; looked < service.history.length; looked += 1) {
      const kept = service.history[looked] as Kept;
      if (isCounter(kept.collection)) continue;
      const isUndone = service.undone.has(kept.account);
      const how = { isUndone, hasCrossed: hasCrossed(kept.value) };
      const problem =
        totals.isTangled(kept.account) || service.isUnited(kept.account)
          ? null
          : torn(kept.collection, kept.value, how);
      if (problem !== null) wrong(`${problem}: ${place(kept)}: ${text(kept.value)}`);
      for (const mark of marksOf(kept.value)) {
        const write = writes.get(mark);
        if (write !== undefined) write.account ??= kept.account;
        isOf(kept.account, mark, place(kept), kept.value);
        const before = places.get(mark) ?? [];
        const again = before.find((one) => one.account === kept.account && one.version !== null);
        if (kept.collection === 'plain' && kept.version !== null && again !== undefined && !isUndone) {
          wrong(`written twice: ${mark} as ${place(again)} and ${place(kept)}`);
        }
        places.set(mark, [...before, kept]);
      }
      if (!isUndone && kept.version !== null && kept.version > 0) grows(kept);
    }
  }

  /** What is only ever added to must not lose anything. */
  function grows(kept: Kept): void {
    if (!isGrowing(kept.collection)) return;
    const marks = marksOf(kept.value);
    let index = looked - 1;
    const isBefore = (one: Kept | undefined): boolean =>
      one?.account === kept.account && one.collection === kept.collection && one.version !== null;
    while (index >= 0 && !isBefore(service.history[index])) index -= 1;
    const gone = marksOf(service.history[index]?.value).filter((mark) => !marks.includes(mark));
    if (gone.length > 0) wrong(`written over: ${gone} in ${place(kept)}`);
  }

  function isOf(account: string, mark: Mark, where: string, value: Value): void {
    const of = writes.get(mark)?.account;
    if (of === undefined) wrong(`nobody wrote ${mark}: ${where}`);
    else if (of !== null && !service.sources(account).has(of)) strayed.push({ account, mark, where, value });
  }

  /**
   * Whether its own page has brought it along: it was given to an account by a tab beside that, while the page, whose
   * storage failed, heard of nothing, built on it, and then got an account of its own.
   */
  function isBrought({ account, mark, value }: Strayed): boolean {
    const { earlyOn, madeAt } = writes.get(mark) as Write;
    const isBuiltOn = marksOf(value).some((other) => {
      const later = writes.get(other);
      return later !== undefined && later.earlyOn === earlyOn && later.madeAt > madeAt;
    });
    return earlyOn !== null && earlyOn.firstAccount === account && isBuiltOn;
  }

  /**
   * Whether the device's other home had taken it over before its page, which lives on in localStorage, got an account of its own: then
   * it is that of whoever came there, and no other one has it. Where localStorage failed as it was to give it up, both have it,
   * until the page's account comes there as well.
   */
  function isTakenOver({ account, mark }: Strayed): boolean {
    const { earlyOn, device, account: own } = writes.get(mark) as Write;
    if (earlyOn?.client.storage.kind !== 'localStorage' || device === null) return false;
    const isInOne = !places.get(mark)?.some((kept) => kept.account === own);
    return came.get(device)?.has(account) === true && (isInOne || failed.has(device));
  }

  /**
   * Whether its own page alone shows it: the page had an account by then, which the home failed to store, and has not heard yet who
   * has come on the tab beside it, and has it.
   */
  function isStillShown({ account, mark }: Strayed): boolean {
    const { earlyOn, device } = writes.get(mark) as Write;
    const isThere = places.get(mark)?.some((kept) => kept.account === account) === true;
    return earlyOn !== null && earlyOn.firstAccount === account && device !== null && failed.has(device) && !isThere;
  }

  /** Whether its device has given the account what it had of its own one. */
  function isGiven({ account, mark }: Strayed): boolean {
    return service.isUnited(account) && service.sources(account).has(writes.get(mark)?.account as string);
  }

  /** Whether it was nobody's after all, and is this account's since. */
  function isItsOwn({ account, mark }: Strayed): boolean {
    return writes.get(mark)?.account === account;
  }

  /** The pages have been looked at by now, so that it is known who came there first, and the devices. */
  function judgeStrayed(): void {
    for (const one of strayed.splice(0)) {
      if (isBrought(one) || isTakenOver(one) || isStillShown(one) || isGiven(one) || isItsOwn(one)) continue;
      wrong(`${one.mark} of ${writes.get(one.mark)?.account} in ${one.where}`);
    }
  }

  /** Whether the service has a write, or may forget it: a later one of the same device has taken its place. */
  function isSafe(write: Write, holds: (one: Write) => boolean): boolean {
    if (places.has(write.mark)) return true;
    const tried = new Set<Write>();
    const left = [write];
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      if (tried.has(one)) continue;
      tried.add(one);
      if (places.has(one.mark) || holds(one)) return true;
      if (!isReplaced(one.collection)) continue;
      for (const other of writes.values()) if (replaces(other, one)) left.push(other);
    }
    return false;
  }

  function replaces(other: Write, one: Write): boolean {
    return (
      other.device === one.device &&
      other.collection === one.collection &&
      other.key === one.key &&
      (other.account === one.account ||
        other.account === null ||
        one.account === null ||
        cameTo(one.account, other) ||
        isWithin(other, one)) &&
      // What was set before an account, or as one was left, goes on top of what waits in it, whenever its page comes to that.
      (other.earlyOn !== null || other.leavingOn !== null || (other.keptAt ?? Number.POSITIVE_INFINITY) > one.madeAt)
    );
  }

  /**
   * Whether it was written in an account, or in one that this has lost to or was merged into: what a page sets that has not heard
   * of that goes there with it.
   */
  function cameTo(account: string, { mark }: Write): boolean {
    const isWrite = ({ version, reason }: Kept): boolean => version !== null || reason === 'mismatch';
    return places.get(mark)?.some((kept) => isWrite(kept) && service.sources(kept.account).has(account)) === true;
  }

  /** Whether one was set while its page carried out a choice, and the other one in the account that was chosen: on top of it. */
  function isWithin({ account: chosen }: Write, { account, leavingOn }: Write): boolean {
    return leavingOn !== null && account !== null && chosen !== null && service.sources(chosen).has(account);
  }

  /**
   * The account that has got what was set while its page carried out a choice; undefined where its own one has it, whose save the
   * other one may then have put aside.
   */
  function cameOutOf({ mark, account, leavingOn }: Write): string | undefined {
    const owners = (places.get(mark) ?? []).filter(({ version }) => version !== null).map((kept) => kept.account);
    if (leavingOn === null || owners.includes(account as string)) return undefined;
    return owners.find((other) => service.sources(other).has(account as string));
  }

  function owedOf(holds: (one: Write) => boolean = () => false): Write[] {
    look();
    for (const write of open) if (places.has(write.mark)) open.delete(write);
    return [...open].filter((write) => !isSafe(write, holds));
  }

  /** What is on a device, in whatever form: its marks are found in the texts. */
  function createStored(): (write: Write) => boolean {
    const texts = new Map<Device, string>();
    return ({ device, mark }) => {
      if (device === null) return false;
      const all = texts.get(device) ?? device.texts().join('\n');
      texts.set(device, all);
      return all.includes(`${mark.slice(0, mark.indexOf(':'))}:`);
    };
  }

  function stop(): void {
    judgeStrayed();
    totals.judge();
    if (found.length > 0) throw new Error([...new Set(found)].join('\n'));
  }

  return {
    totals,
    begin: ({ amount, ...write }) => {
      now += 1;
      const made = { ...write, mark: `m${writes.size + 1}:${amount}`, madeAt: now, keptAt: null };
      writes.set(made.mark, made);
      if (made.earlyOn !== null || made.leavingOn !== null) {
        early.add(made);
        failedBefore.set(made, made.device?.shelf.failed ?? 0);
      }
      return made;
    },
    refused: ({ mark }) => void refused.add(mark),
    kept: (write) => {
      now += 1;
      write.keptAt = now;
      open.add(write);
    },
    arrived: (account, device, before) => {
      came.set(device, (came.get(device) ?? new Set()).add(account));
      for (const write of before) write.account ??= account;
    },
    keptAgain: (device, marks) => {
      now += 1;
      for (const mark of marks) {
        const write = writes.get(mark);
        if (write?.device !== device) continue;
        write.keptAt ??= now;
        open.add(write);
      }
    },
    seen: (collection, account, value, where) => {
      if (value === undefined || isCounter(collection)) return;
      const isFree = account !== null && (totals.isTangled(account) || service.isUnited(account));
      const isUndone = account !== null && service.undone.has(account);
      const problem = isFree ? null : torn(collection, value, { isUndone, hasCrossed: hasCrossed(value) });
      if (problem !== null) wrong(`${problem}: ${where}: ${text(value)}`);
      if (account !== null) for (const mark of marksOf(value)) isOf(account, mark, where, value);
    },
    flushed: (marks) => {
      look();
      for (const mark of marks) {
        const write = writes.get(mark);
        if (write !== undefined && !isSafe(write, () => false)) missed.push(mark);
      }
    },
    wrong,
    owed: (device, account) => owedOf().filter((write) => write.device === device && write.account === account),
    accountsOf: (device) => {
      const accounts = [...writes.values()].filter((write) => write.device === device).map(({ account }) => account);
      // What was set before an account is in the copy of one that came, if it was another page that had set it.
      const hasEarly = owedOf().some((write) => write.device === device && write.account === null);
      const others = hasEarly ? (came.get(device) ?? []) : [];
      return [...new Set([...accounts, ...others, ...totals.accountsOf(device)])].filter((account) => account !== null);
    },
    check: () => {
      // The same turn may have told the game that two tabs' values are too large together: after the flush, or before it.
      for (const mark of missed) if (!refused.has(mark)) wrong(`flushed, but not at the service: ${mark}`);
      missed = [];
      const isStored = createStored();
      for (const { mark, collection, account } of owedOf(isStored)) {
        wrong(`kept, and then lost: ${mark} in ${collection} of ${account}`);
      }
      stop();
    },
    checkEnd: async (lost) => {
      const isStored = createStored();
      // What was set before an account may be in the copy of one that nothing leads to any more, and what took its place too.
      const isStranded = (write: Write): boolean =>
        lost.size > 0 && (write.account === null || lost.has(write.account)) && isStored(write);
      for (const { account, collection, mark } of owedOf(isStranded)) {
        if (account !== null && lost.has(account)) continue;
        wrong(`never came to the service: ${mark} in ${collection} of ${account}`);
      }
      for (const write of writes.values()) {
        const { account, collection, key, mark, keptAt } = write;
        if (collection !== 'tally' || keptAt === null || account === null || lost.has(account)) continue;
        const owner = cameOutOf(write) ?? account;
        if (service.undone.has(owner)) continue;
        const value = await service.value(owner, collection, key);
        // Only the service knew that a name leads to the guest, as the device gave what it had of him to his heir.
        const heir = service.heirs.get(owner);
        const given = heir === undefined ? undefined : await service.value(heir, collection, key);
        const isThere = [value, given].some((one) => marksOf(one).includes(mark));
        if (!isThere) wrong(`not in the tally of ${owner}: ${mark}: ${text(value)}`);
      }
      await totals.checkEnd(lost);
      stop();
    },
  };
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
