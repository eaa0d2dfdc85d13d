import { ServiceError } from '../../errors.js';
import type { MergeRules } from '../../merge/rules.js';
import { entrySegment } from '../../protocol/entry-name.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { CollectionRevision } from '../../protocol/player-messages.js';
import type { Requests } from '../requests.js';
import type { CallOptions } from '../results.js';
import { superseded } from '../session/session-errors.js';
import type { AccountCopy } from './account-copy.js';
import { checkCollectionOptions } from './check-options.js';
import type { Collection, CollectionOptions, Profile } from './collection.js';
import { nameOf, namesIn, splitName } from './entry-name.js';
import { cleanCloud, discard, type EntryRecord, nextWrite, refresh } from './entry-record.js';
import { createFollowing, type Following } from './follow.js';
import { importFrom } from './import-from.js';
import type { EndLeave } from './present-copies.js';
import { createRoom, type Room } from './room.js';
import { createSync, type Sync, type SyncDependencies } from './sync.js';
import { inTodaysForm } from './values.js';

export interface ProfileRoom {
  readonly profile: Profile;
  /** From now on the game may set values. The home is read as soon as that is possible. */
  start(): void;
  /**
   * Takes up the copy of the account that is there now, and reads the open collections from the service where it was
   * another before.
   */
  reload(): Promise<void>;
  /** Takes over what another tab has written to these entries, or to any, and sends what is unsent. */
  wake(keys?: readonly string[]): Promise<void>;
  following: Pick<Following, 'seen' | 'lookAgain'>;
  /** The service has asked another tab for a pause. */
  pause(ms: number): void;
  /** Nobody sees the page. Sends what is unsent at once, for it may be gone the next moment. */
  hide(): void;
  /**
   * Sends what the present account has not sent yet, but what fails by itself. Rejects with an `SdkError` where nothing
   * can be sent now.
   */
  flush(options?: CallOptions): Promise<void>;
  /** How many entries of the present account wait to be sent. */
  unsent(): number;
  /** What the game has declared for a collection; none is an empty object. */
  rulesOf(collection: string): MergeRules;
  /** A value of a collection in the form that the game has today. Throws what the game's own function does. */
  inTodaysForm(collection: string, value: JsonObject): JsonObject;
  /** Reads the open collections from the service again. */
  refresh(): Promise<void>;
  /** Gives up what is held of an entry, if it is: something else has been written in its place. */
  discardHeld(collection: string, key: string): Promise<void>;
  /**
   * The account is being left: from now on what the game sets is kept for whoever comes out of it. The function that is
   * given ends that; `isBack` says that the account stays, `heir` whose it is what was set.
   */
  leave(): Promise<EndLeave>;
  /** Drops what this device has of an account, but what the service has not got. */
  forget(userId: string): Promise<void>;
  dispose(): void;
}

export function createProfile(dependencies: SyncDependencies): ProfileRoom {
  const { session, platform } = dependencies;
  const rooms = new Map<string, Room>();
  const sync = createSync(dependencies, openedIn(rooms));
  const { page, present, outbox, settleEarlier } = sync;
  const { load, loadAll, loadNew, discardEntry } = createServiceEntries(dependencies, sync, rooms);
  const following = createFollowing(loadNew);
  let hadAccount = false;

  function openRoom(name: string): Room {
    const known = rooms.get(name);
    if (known !== undefined) return known;
    const room = createRoom(name, {
      copies: present.copies,
      outbox,
      page,
      report: platform.report,
      serverTime: () => session.serverTime(),
      limits: () => session.limits,
      load: (options) => load(name, options),
      discard: (key, options) => discardEntry(name, key, options),
    });
    rooms.set(name, room);
    return room;
  }

  function collection(name: string, options?: CollectionOptions<unknown>) {
    entrySegment(name);
    if (options !== undefined) checkCollectionOptions(options);
    const isNew = !rooms.has(name);
    const room = openRoom(name);
    if (options !== undefined) room.options = options;
    if (isNew || options !== undefined) {
      // What waited for it can be decided now.
      outbox.releaseAll(name, 'entry_conflict');
      outbox.wake();
      void settleEarlier();
    }
    return room.collection;
  }

  return {
    profile: {
      get status() {
        return outbox.status();
      },
      watchStatus: () => sync.status,
      collection: collection as Profile['collection'],
      importFrom: (storage, map) => importFrom((name) => collection(name) as Collection, storage, map),
      flush: (options) => outbox.flush(undefined, options),
      follow: following.follow,
    },
    start: present.start,
    reload: async () => {
      following.giveUp();
      // While it was opened, the account can have become another.
      if (!(await present.open())) return;
      const hasAccount = present.current?.userId != null;
      // A home that fails must not hold up the start, nor a sign-in: it goes on with that as soon as it works.
      await dependencies.home.whileWorking(settleEarlier());
      outbox.releaseAll();
      for (const room of rooms.values()) room.switched();
      sync.changed();
      outbox.retry();
      // A start shows what this device has, and waits for nobody.
      if (hasAccount && hadAccount) await dependencies.home.whileWorking(loadAll());
      hadAccount ||= hasAccount;
    },
    wake: sync.wake,
    following,
    pause: outbox.pause,
    hide: outbox.sendOnHide,
    flush: (options) => outbox.flush(undefined, { ...options, skipsTroubled: true }),
    unsent: outbox.unsent,
    rulesOf: (name) => rooms.get(name)?.options.merge ?? {},
    inTodaysForm: (name, value) => inTodaysForm(rooms.get(name)?.options ?? {}, value),
    refresh: loadAll,
    discardHeld: async (name, key) => {
      if (outbox.troubleOf(nameOf(name, key)) !== undefined) await discardEntry(name, key);
    },
    leave: async () => {
      const end = await present.leave();
      // Whoever leaves an account may end its session: what is asked of it would be refused.
      const lookOn = following.rest();
      return (isBack, heir) => {
        end(isBack, heir);
        lookOn();
        if (isBack) void settleEarlier();
      };
    },
    forget: present.forget,
    dispose: () => {
      following.dispose();
      outbox.stop();
    },
  };
}

/** What the game has opened, for those who keep the copies the same. */
function openedIn(rooms: ReadonlyMap<string, Room>): Parameters<typeof createSync>[1] {
  return {
    optionsOf: (collection) => rooms.get(collection)?.options,
    seen: (name, by) => {
      const [collection, key] = splitName(name);
      rooms.get(collection)?.seen(key, by);
    },
    statusChanged: () => {
      for (const room of rooms.values()) room.statusChanged();
    },
  };
}

/** Reads the present account's entries from the service, and gives up what is unsent for what the service has. */
function createServiceEntries(
  { requests, authorized, writer }: Pick<SyncDependencies, 'requests' | 'authorized' | 'writer'>,
  { present, outbox }: Pick<Sync, 'present' | 'outbox'>,
  open: Pick<ReadonlyMap<string, Room>, 'has' | 'keys'>,
) {
  async function load(collection: string, { signal }: CallOptions = {}): Promise<void> {
    const { entries, userId } = await authorized(
      async (player, user) => ({ entries: await requests.readCollection(collection, player), userId: user }),
      signal,
    );
    // The account may have been left meanwhile, or its copy not be here yet: nobody else's may have its entries.
    const mine = present.here();
    if (mine?.userId !== userId) throw superseded();
    const newer = entries.filter(({ key, version }) => {
      const known = mine.record(nameOf(collection, key));
      return known === undefined || known.version < version;
    });
    await Promise.all(
      newer.map(({ key, value, version, times }) =>
        mine.change(nameOf(collection, key), 'cloud', (record) => refresh(record, cleanCloud(version, value, times))),
      ),
    );
  }

  async function loadAll(): Promise<void> {
    // Where a read fails, the game goes on with the copy of this device.
    await Promise.allSettled([...open.keys()].map((name) => load(name)));
  }

  /** What was read last: an entry that waits to be sent keeps the version that it rests on, whatever is read. */
  let last: { of: AccountCopy; revisions: Map<string, number> } | null = null;

  /** Reads those of the open collections again of which the service has something newer. */
  async function loadNew(signal: AbortSignal): Promise<void> {
    const mine = present.here();
    if (mine === null || mine.userId === null) return;
    const found = await authorized(requests.listCollections, signal);
    if (mine !== present.here()) return;
    if (last?.of !== mine) last = { of: mine, revisions: new Map() };
    const { revisions } = last;
    const isNew = ({ name, revision }: CollectionRevision): boolean =>
      open.has(name) && revision > revisionOf(mine, name) && revision !== revisions.get(name);
    await Promise.all(
      found.filter(isNew).map(async ({ name, revision }) => {
        await load(name, { signal });
        revisions.set(name, revision);
      }),
    );
  }

  async function discardEntry(collection: string, key: string, { signal }: CallOptions = {}): Promise<void> {
    const mine = present.here();
    const name = nameOf(collection, key);
    const lastOf = (record: EntryRecord | undefined) => record?.local ?? nextWrite(record);
    let write = lastOf(mine?.record(name));
    if (mine === null || write === undefined) return;
    let isKept = false;
    while (write !== undefined && !isKept) {
      const { id, value } = write;
      await keep({ collection, key, value }, `${id}-given-up`, signal);
      outbox.release(name);
      await mine.change(name, 'cloud', (latest) => {
        // What the game or another page has set meanwhile is kept first, too.
        isKept = lastOf(latest)?.id === id;
        return isKept && latest !== undefined ? discard(latest) : latest;
      });
      write = lastOf(mine.record(name));
    }
    await load(collection, { signal }).catch(() => {});
    // What had to wait for the entry may go on.
    outbox.retry();
  }

  async function keep(
    entry: Parameters<Requests['addSnapshot']>[0],
    write: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const snapshot = { device: await writer(), write };
    await authorized((player) => requests.addSnapshot(entry, snapshot, player), signal).catch((error) => {
      // What the service never takes as an entry it does not keep as a snapshot either.
      if (!(error instanceof ServiceError) || error.retryable) throw error;
    });
  }

  return { load, loadAll, loadNew, discardEntry };
}

/** The sum of the versions that this device knows in a collection, each plus one, as the service adds them up. */
function revisionOf(copy: AccountCopy, collection: string): number {
  const versions = namesIn(copy, collection).map((name) => copy.record(name)?.version ?? -1);
  return versions.reduce((sum, version) => sum + version + 1, 0);
}
