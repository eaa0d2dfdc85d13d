import { isSdkError, type SdkError } from '../../errors.js';
import type { Platform } from '../platform/platform.js';
import type { Tabs } from '../platform/tabs.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { Authorized } from '../session/authorized-requests.js';
import type { CurrentSession } from '../session/current-session.js';
import { superseded } from '../session/session-errors.js';
import type { SteadyHome } from '../storage/steady-home.js';
import { createWatched, type Watched } from '../watched.js';
import { type AccountCopy, openAccountCopy, type Writer } from './account-copy.js';
import type { CollectionOptions, SyncStatus } from './collection.js';
import { createDecide } from './decide-clash.js';
import { createTakeIn, giveOffered, type TakeIn } from './early-copy.js';
import { createFoldJournal } from './fold-journal.js';
import { createSendOnHide } from './hidden-page.js';
import type { Journal } from './journal.js';
import { createOutbox, type Outbox } from './outbox.js';
import { createPageWrites, type PageWrites } from './page-writes.js';
import { createPresentCopies, type PresentCopies } from './present-copies.js';
import { createEntrySender } from './send-entry.js';
import { createRequestWrite } from './write-request.js';

/** What keeps the copies on this device and the service the same. */
export interface Sync {
  readonly page: PageWrites;
  readonly present: PresentCopies;
  readonly outbox: Outbox;
  readonly status: Watched<SyncStatus>;
  /** The status may have changed, and something may be unsent. */
  changed(): void;
  /**
   * Takes in what was set before the account, and by pages that were hidden. What cannot be done now is done later.
   * Never rejects; gives what prevents it, where that is a request that fails.
   */
  settleEarlier(): Promise<SdkError | undefined>;
  /** Takes over what another tab has written under these keys of the home, or under any, and sends what is unsent. */
  wake(keys?: readonly string[]): Promise<void>;
}

export interface SyncDependencies {
  home: Pick<SteadyHome, 'readAll' | 'update' | 'isFailing' | 'whileWorking' | 'subscribe'>;
  /** The prefix of an account's entries in the home; null for what is there before an account. */
  prefixOf(userId: string | null): string;
  journal: Journal;
  /** The device's public name for its writes. */
  writer(): string | Promise<string>;
  requests: Requests;
  authorized: Authorized;
  platform: Platform;
  session: Pick<CurrentSession, 'userId' | 'state' | 'isSwitching' | 'serverTime' | 'limits'>;
  tabs: Pick<Tabs, 'notify' | 'pause'>;
  /** Makes an account, where that is wanted and there is none yet. */
  signInAsGuest(): Promise<unknown>;
  statusChanged(status: SyncStatus, previous: SyncStatus): void;
}

/** What the game has opened. */
interface Game {
  /** What it has declared for a collection; undefined where it has not opened it yet. */
  optionsOf(collection: string): CollectionOptions<unknown> | undefined;
  /** What it sees of an entry may have changed. */
  seen(name: string, by: Writer): void;
  /** How the entries of its collections stand may have changed. */
  statusChanged(): void;
}

export function createSync(dependencies: SyncDependencies, game: Game): Sync {
  const { home, journal, platform, session, tabs, prefixOf } = dependencies;
  const { now, random, report } = platform;
  const page = createPageWrites();
  const bounds = { serverTime: (): number => session.serverTime(), maxBytes: (): number => session.limits.valueBytes };
  const takeIn = createTakeIn({ page, optionsOf: game.optionsOf, now, ...bounds });
  const present = createPresentCopies({ session, openCopy, takeIn, turned: (name) => game.seen(name, 'cloud') });
  const sending = createSending(dependencies, { ...game, page, takeIn, ...bounds });
  const status = createStatus({
    read: () => outbox.status(),
    wake: () => outbox.wake(),
    changed: dependencies.statusChanged,
    looked: game.statusChanged,
    report,
  });
  const { changed } = status;
  const outbox = createOutbox({
    ...dependencies,
    ...sending,
    present,
    rest,
    settleRest: settleEarlier,
    now,
    random,
    changed,
    paused: tabs.pause,
  });

  function openCopy(userId: string | null): AccountCopy {
    const prefix = prefixOf(userId);
    const opened: AccountCopy = openAccountCopy(userId, prefix, {
      home,
      page,
      journal,
      now,
      report,
      heir: () => present.heirOf(opened),
      seen: (name, by) => {
        if (!present.isSeen(opened)) return;
        game.seen(name, by);
        changed();
      },
      stored: (name) => {
        tabs.notify(prefix + name);
        tellNewCopy(present, opened, name).catch(reportUnlessDisposed);
        changed();
      },
    });
    return opened;
  }

  /** The home's own promises fail only where the client is disposed of. */
  function reportUnlessDisposed(error: unknown): void {
    if (!isSdkError(error)) report(error);
  }

  /** The entries that were set elsewhere on this device, and are still to come into the account's copy. */
  function rest(): string[] {
    const { aside, current } = present;
    const left = current === null || current.userId === null ? [] : journal.items(current.userId);
    return [...(aside?.unsent ?? []), ...(aside?.storing ?? []), ...left.map(({ name }) => name)];
  }

  async function settleEarlier(): Promise<SdkError | undefined> {
    try {
      await present.adopt();
      if (present.current !== null) await sending.foldJournal(present.current);
      return undefined;
    } catch (error) {
      if (isSdkError(error)) return error;
      report(error);
      return undefined;
    } finally {
      changed();
    }
  }

  async function wake(keys?: readonly string[]): Promise<void> {
    // A home that fails says by itself when it works again.
    if (home.isFailing) return;
    const mine = present.current;
    if (mine !== null) {
      const prefix = prefixOf(mine.userId);
      await mine.sync(keys?.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)));
    }
    await present.adopt();
    if (keys === undefined || keys.some((key) => key.startsWith(prefixOf(null)))) {
      await adoptOffered(present, () => openCopy(null), takeIn);
    }
    outbox.retry();
  }

  home.subscribe(() => {
    changed();
    // What other tabs have told of meanwhile was not read.
    wake().catch(reportUnlessDisposed);
  });

  return { page, present, outbox, status: status.watched, changed, settleEarlier, wake };
}

/**
 * A copy that was left may still store what the game had set: the account's new one takes that over, if it is back, even
 * while that reads the home: it may have passed there already.
 */
async function tellNewCopy({ newest }: PresentCopies, left: AccountCopy, name: string): Promise<void> {
  if (newest !== left && newest?.userId === left.userId) await newest.sync([name]);
}

/** Gives the account what another page of the device had for it, which may be gone before it has given it itself. */
async function adoptOffered(present: PresentCopies, openEarly: () => AccountCopy, takeIn: TakeIn): Promise<void> {
  const mine = present.here();
  // What this page itself has aside it gives away by itself.
  if (mine === null || mine.userId === null || present.aside !== null) return;
  const early = openEarly();
  await early.opened;
  if (mine === present.here()) await giveOffered(early, mine, takeIn);
}

/** The status as the game was told of it last. */
function createStatus(dependencies: {
  read(): SyncStatus;
  wake(): void;
  changed(status: SyncStatus, previous: SyncStatus): void;
  /** It was looked at, whether it has changed or not: that of a collection may have. */
  looked(): void;
  report(error: unknown): void;
}) {
  const { watched, changed } = createWatched(dependencies.read, dependencies.report);
  let status: SyncStatus = 'synced';
  let isNoticed = false;

  return {
    watched,
    /** Looks at it once for all that a game does in one task, and wakes the outbox. */
    changed: (): void => {
      if (isNoticed) return;
      isNoticed = true;
      queueMicrotask(() => {
        isNoticed = false;
        const previous = status;
        status = dependencies.read();
        if (status !== previous) dependencies.changed(status, previous);
        changed();
        dependencies.looked();
        dependencies.wake();
      });
    },
  };
}

/** What asks the service for writes, in the name of the account whose copy holds them. */
export function createSending(
  dependencies: Pick<SyncDependencies, 'requests' | 'authorized' | 'prefixOf' | 'writer' | 'journal'> & {
    platform: Pick<Platform, 'now' | 'lock' | 'report'>;
  },
  game: {
    page: PageWrites;
    takeIn: ReturnType<typeof createTakeIn>;
    optionsOf(collection: string): CollectionOptions<unknown> | undefined;
    serverTime(): number;
    maxBytes(): number;
  },
) {
  const { requests, authorized, prefixOf, writer, journal } = dependencies;
  const { now, lock, report } = dependencies.platform;
  const { page } = game;

  /** No other account may get the entries of this one. */
  const asOwner = <T>({ userId }: AccountCopy, ask: (player: PlayerOptions) => Promise<T>): Promise<T> =>
    authorized((player, user) => {
      if (user !== userId) throw superseded();
      return ask(player);
    });

  const requestWrite = createRequestWrite({ requests, asOwner, journal, page, writer });
  const decide = createDecide({ ...game, journal, requests, asOwner, writer, report });
  const lockName = `${prefixOf('')}send`;
  const sender = createEntrySender({ requestWrite, page, journal, decide, lock, lockName, now });
  const sendOnHide = createSendOnHide({ sender, page, journal });
  const foldJournal = createFoldJournal({ ...game, requestWrite, journal, now });
  return { sender, sendOnHide, foldJournal };
}
