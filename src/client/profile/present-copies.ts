import { versions } from '../../protocol/gaps/versions.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { CurrentSession } from '../session/current-session.js';
import { notAuthenticated, superseded } from '../session/session-errors.js';
import type { AccountCopy, RecordChange } from './account-copy.js';
import { giveAway, type TakeIn } from './early-copy.js';
import { nextWrite, offersOf, onlyCounted } from './entry-record.js';

/** The copies behind the collections, as the account changes. */
export interface Copies {
  /** What the game sees under a name. */
  value(name: string): JsonObject | undefined;
  /** The version of an entry at the service; -1 where it has none. */
  version(name: string): number;
  names(): string[];
  /** The copy that takes what the game sets now in an entry. Throws where there is none. */
  writable(name: string): AccountCopy;
}

/** Ends that an account is being left. What was set is the heir's from now on; whoever comes next has it with null. */
export type EndLeave = (isBack: boolean, heir: string | null) => void;

/** Which copies count as the account changes: the account's own, and that of what has no account yet. */
export interface PresentCopies {
  /** The copy that was opened last; null where nobody is signed in. */
  readonly current: AccountCopy | null;
  /** The same, or the one that will be, which still reads the home. */
  readonly newest: AccountCopy | null;
  /** The copy of the account that is there; null while that changes. */
  here(): AccountCopy | null;
  /** Whether the game sees what is in this copy. */
  isSeen(copy: AccountCopy): boolean;
  /** The account that arrives, where what the game sets for it lands in this copy; else null. */
  heirOf(copy: AccountCopy): string | null;
  /** What the collections see of them. */
  readonly copies: Copies;
  /** From now on the game may set values: they belong to whoever comes first. */
  start(): void;
  /** Opens the copy of the account that is there. Gives false where that has become another meanwhile. */
  open(): Promise<boolean>;
  /** What was set, and has to come into the account's copy; null where there is nothing. */
  readonly aside: Pick<AccountCopy, 'unsent' | 'storing'> | null;
  /** Gives what was set before the account to the account. What has to wait stays there. */
  adopt(): Promise<void>;
  /**
   * From now on what the game sets is kept for the account that comes. The function that is given ends that, and says whose it
   * is; where the account stays (`isBack`), `adopt` has to give it what was set.
   */
  leave(): Promise<EndLeave>;
  /** Drops what this device has of an account, but what the service has not got. */
  forget(userId: string): Promise<void>;
}

interface Surroundings {
  /** Who is signed in. In the state `starting` nobody has been yet: what is set then belongs to whoever comes first. */
  session: Pick<CurrentSession, 'userId' | 'state' | 'isSwitching'>;
  openCopy(userId: string | null): AccountCopy;
  takeIn: TakeIn;
  /** Another copy than before may say what the game sees of an entry. */
  turned(name: string): void;
}

export function createPresentCopies({ session, openCopy, takeIn, turned }: Surroundings): PresentCopies {
  let current: AccountCopy | null = null;
  let newest: AccountCopy | null = null;
  /** What was set before there was an account, or while one was being left. */
  let early: AccountCopy | null = null;
  let leaving = 0;

  const here = (): AccountCopy | null =>
    current?.userId === null || current?.userId === session.userId ? current : null;
  const left = (): AccountCopy | null => (leaving > 0 || arrival.isOn() ? early : null);
  /** The entries of which something waits to come into the account's copy. */
  const offered = (): string[] => (current?.userId == null ? [] : (early?.offered(current.userId) ?? []));
  /** What the game sees of them until the account that arrives has it. */
  const arriving = (name: string): JsonObject | undefined =>
    arrival.isOn() ? offersOf(current?.userId, early?.record(name)).at(-1)?.write.value : undefined;
  const valueAside = (name: string): JsonObject | undefined => left()?.value(name) ?? arriving(name);
  const arrival = createArrival(session, offered, turned);
  return {
    get current() {
      return current;
    },
    get newest() {
      return newest;
    },
    get aside() {
      if (early === null || early === current) return null;
      return { storing: early.storing, unsent: new Set([...early.unsent, ...offered()]) };
    },
    here,
    isSeen: (copy) => copy === current || copy === early,
    heirOf: (copy) => (copy === early && leaving === 0 ? session.userId : null),
    copies: {
      value: (name) => valueAside(name) ?? here()?.value(name),
      version: (name) => here()?.record(name)?.version ?? versions.force,
      names: () => joined(here()?.names(), left()?.names(), arrival.isOn() ? offered() : []),
      writable: (name) => {
        // What is set comes after what waits to come into the account's copy.
        const mine = (leaving > 0 || valueAside(name) !== undefined ? left() : null) ?? here();
        // Until it has heard of the switch, the game holds the other account's values: they must not land in this one.
        if (mine !== null && !session.isSwitching) return mine;
        throw session.userId === null ? notAuthenticated() : superseded();
      },
    },
    start: () => {
      current = newest = openCopy(null);
    },
    open: async () => {
      const { userId } = session;
      let next: AccountCopy | null = null;
      if (userId !== null || session.state.name === 'starting') {
        next = newest = current?.userId === null && userId === null ? current : openCopy(userId);
        await next.opened;
        // A page may have been closed before it had given what it held to its new account.
        if (userId !== null) early ??= current?.userId === null ? current : openCopy(null);
        await early?.opened;
        if (session.userId !== userId) return false;
        arrival.begin(current?.userId === null ? userId : null);
      }
      current = next;
      return true;
    },
    adopt: () =>
      arrival.until(async () => {
        const [from, to] = [early, here()];
        if (from === null || to?.userId == null || leaving > 0) return;
        from.inherit(to.userId);
        const hasRest = await giveAll(from, to, takeIn, () => early === from && arrival.isOn());
        if (!hasRest && early === from && from.storing.size === 0 && leaving === 0) early = null;
      }),
    leave: async () => {
      let aside: AccountCopy;
      do {
        early ??= openCopy(null);
        aside = early;
        await aside.opened;
        // An account that has just come may have got it all by then, and it is dropped.
      } while (early !== aside);
      leaving += 1;
      // The game sees from now on what another tab has set for whoever comes.
      aside.names().forEach(turned);
      let isOver = false;
      return (isBack, heir) => {
        if (!isOver) leaving -= 1;
        isOver = true;
        if (leaving === 0 && heir !== null && early !== null) leaveTo(heir, early);
        // The game goes on seeing what it has set, however long the home takes to give it to the account.
        if (isBack && leaving === 0 && here() !== null) arrival.begin(session.userId);
      };
    },
    forget: async (userId) => {
      const copy = current?.userId === userId ? current : openCopy(userId);
      if (current === copy) current = null;
      await dropSent(copy);
    },
  };
}

/** Gives an account all that waits for it, also what comes as long as `goesOn` says so. Gives whether something has to wait. */
async function giveAll(from: AccountCopy, to: AccountCopy, takeIn: TakeIn, goesOn: () => boolean): Promise<boolean> {
  let [hasRest, isEmpty] = [false, false];
  do {
    await from.stored();
    hasRest = await giveAway(from, to, takeIn);
    isEmpty = from.storing.size + from.unsent.size + from.offered(to.userId as string).length === 0;
  } while (goesOn() && !isEmpty && (!hasRest || from.storing.size > 0));
  return hasRest;
}

/** The time in which an account is given what was set before it: until it has it, the game plays on there. */
function createArrival(
  session: Pick<CurrentSession, 'userId'>,
  waiting: () => readonly string[],
  turned: (name: string) => void,
) {
  let arrived: string | null = null;
  let adopting = 0;
  const isOn = (): boolean => arrived !== null && arrived === session.userId;

  return {
    isOn,
    /** Null where this account needs none. */
    begin: (userId: string | null): void => {
      arrived = userId;
    },
    /** Ends it with the last of these tasks. What could not be given waits, and the game sees what the account has. */
    until: async (task: () => Promise<void>): Promise<void> => {
      adopting += 1;
      try {
        await task();
      } finally {
        adopting -= 1;
        if (adopting === 0) {
          const left = isOn() ? waiting() : [];
          arrived = null;
          left.forEach(turned);
        }
      }
    },
  };
}

/** All of these names, each once. It is asked for at each change, and mostly nothing is added. */
function joined(names: string[] = [], ...added: (readonly string[] | undefined)[]): string[] {
  const others = added.flatMap((some) => some ?? []);
  return others.length === 0 ? names : [...new Set([...names, ...others])];
}

/** What was set is this account's, which may be left, or deleted, before it has it. Fails only where the client is gone. */
function leaveTo(heir: string, early: AccountCopy): void {
  early.inherit(heir);
  for (const name of early.offered(heir)) early.change(name, 'game', (record) => record).catch(() => {});
}

/**
 * What the service has not got stays, and the names of what counts: a page that comes back would set it once more, and
 * the account can be restored.
 */
async function dropSent(copy: AccountCopy): Promise<void> {
  await copy.opened;
  const drop: RecordChange = (record) => (nextWrite(record) === undefined ? onlyCounted(record) : record);
  await Promise.all(copy.names().map((name) => copy.change(name, 'cloud', drop)));
}
