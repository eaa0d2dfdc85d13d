import { mergeValues, noteChange } from '../../merge/merge-values.js';
import { openNotes } from '../../merge/notes.js';
import type { MergeRules } from '../../merge/rules.js';
import { entrySegment } from '../../protocol/entry-name.js';
import { versions } from '../../protocol/gaps/versions.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import { createEvents, type EventSource } from '../events.js';
import type { Platform } from '../platform/platform.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { CallOptions } from '../results.js';
import type { Authorized } from '../session/authorized-requests.js';
import type { CurrentSession } from '../session/current-session.js';
import { notAuthenticated, superseded } from '../session/session-errors.js';
import type { Ladder } from '../storage/ladder.js';
import type { Collection, CollectionOptions, EntryChanged, Profile, SavedEntry, SyncStatus } from './collection.js';
import { type Change, type LocalCopy, nameOf, openLocalCopy, type Slot, splitName } from './local-copy.js';
import { createOutbox } from './outbox.js';
import { createReplays } from './replays.js';
import { settleClash } from './settle-clash.js';
import { check, show, storedIn } from './values.js';

export interface ProfileRoom {
  readonly profile: Profile;
  /**
   * Takes up the copy of the account that is there now, and reads the open collections from the service where it was
   * another before.
   */
  reload(): Promise<void>;
  /** Takes over what another tab has written, and sends what is unsent. */
  wake(): Promise<void>;
  /** Sends what is unsent at once, for the page may be gone the next moment. */
  sendOnHide(): void;
  /** Sends what the present account has not sent yet. Rejects with an `SdkError` where that cannot be done now. */
  flush(options?: CallOptions): Promise<void>;
  /** How many entries of the present account wait to be sent. */
  unsent(): number;
  /** What the game has declared for a collection; none is an empty object. */
  rulesOf(collection: string): MergeRules;
  /** Reads the open collections from the service again. */
  refresh(): Promise<void>;
  /** Takes no writes while the account is being left: nobody could send them afterwards. */
  leave<T>(task: () => Promise<T>): Promise<T>;
  /** Drops the local copy of an account, sent or not. */
  forget(userId: string): Promise<void>;
  dispose(): void;
}

/** A change of an entry, with its value as it is stored: each listener gets its own copy. */
type StoredChange = Omit<EntryChanged, 'value'> & { readonly stored: JsonObject };

interface Room {
  readonly collection: Collection<unknown>;
  options: CollectionOptions<unknown>;
  readonly changes: EventSource<{ changed: StoredChange }>;
}

export function createProfile(dependencies: {
  ladder: Ladder;
  /** Where an account's copy is kept; null for what is there before an account. */
  keyOf(userId: string | null): string;
  requests: Requests;
  authorized: Authorized;
  platform: Platform;
  /** Who is signed in. In the state `starting` nobody has been yet: what is set then belongs to whoever comes first. */
  session: Pick<CurrentSession, 'userId' | 'state' | 'isSwitching' | 'serverTime'>;
  newDevice(): string;
  /** The storage has something new for the other tabs. */
  notifyTabs(): void;
  /** Makes an account, where that is wanted and there is none yet. */
  signInAsGuest(): Promise<unknown>;
  statusChanged(status: SyncStatus, previous: SyncStatus): void;
}): ProfileRoom {
  const { ladder, requests, authorized, platform, session } = dependencies;
  const rooms = new Map<string, Room>();
  const replays = createReplays();
  let copy: LocalCopy | null = null;
  let status: SyncStatus = 'synced';
  let hadAccount = false;
  /** What was set before there was an account. */
  let unowned: LocalCopy | null = null;
  let isNoticed = false;
  let isLeaving = false;

  /** Sends a request with the token of the copy's own account: no other account may get its entries. */
  const asOwner = <T>({ userId }: LocalCopy, ask: (player: PlayerOptions) => Promise<T>): Promise<T> =>
    authorized((player, user) => {
      if (user !== userId) throw superseded();
      return ask(player);
    });

  const outbox = createOutbox({
    ...dependencies,
    asOwner,
    copy: () => copy,
    lockName: `${dependencies.keyOf('')}send`,
    replays,
    settle: (mine, name, clash) => {
      const { options } = rooms.get(splitName(name)[0]) ?? {};
      const replay = options && replays.of(mine, name, options);
      return settleClash(mine, name, clash, {
        ...dependencies,
        asOwner,
        options,
        replay,
        commit: commit.bind(null, mine, 'cloud'),
      });
    },
    changed,
  });

  /** Looks at the status once for all that a game does in one task. */
  function changed(): void {
    if (isNoticed) return;
    isNoticed = true;
    queueMicrotask(() => {
      isNoticed = false;
      const previous = status;
      status = outbox.status('');
      if (status !== previous) dependencies.statusChanged(status, previous);
      if (unowned !== null) void unowned.sync().then(() => adopt(true));
      outbox.wake();
    });
  }

  async function open(userId: string | null): Promise<LocalCopy> {
    let mine: LocalCopy | undefined;
    mine = await openLocalCopy(userId, dependencies.keyOf(userId), {
      ladder,
      newDevice: dependencies.newDevice,
      notifyTabs: dependencies.notifyTabs,
      // At once: a moment later the game may have been told of it with what came next.
      taken: (before) => {
        if (mine === copy) announce(before, 'tab');
      },
    });
    return mine;
  }

  /** The copy of the account that is there; null while that changes. */
  function here(): LocalCopy | null {
    return copy?.userId === null || copy?.userId === session.userId ? copy : null;
  }

  function need(): LocalCopy {
    const mine = here();
    // Until it has heard of the switch, the game holds the other account's values: they must not land in this one.
    if (mine !== null && !isLeaving && !session.isSwitching) return mine;
    throw session.userId === null ? notAuthenticated() : superseded();
  }

  function commit(mine: LocalCopy, by: EntryChanged['by'], change: Parameters<LocalCopy['commit']>[0]): Promise<void> {
    const before = hasListener() ? new Map(mine.slots) : mine.slots;
    const kept = mine.commit(change);
    if (mine === copy) announce(before, by);
    return kept;
  }

  const hasListener = (): boolean => [...rooms.values()].some(({ changes }) => changes.hasListener('changed'));

  function announce(before: ReadonlyMap<string, Slot>, by: EntryChanged['by']): void {
    for (const [name, slot] of hasListener() ? (copy?.slots ?? []) : []) {
      const [collection, key] = splitName(name);
      const room = rooms.get(collection);
      if (room === undefined || !room.changes.hasListener('changed')) continue;
      const [was, is] = [storedIn(before.get(name)), storedIn(slot)];
      if (was === is || is === undefined || sameJson(was, is)) continue;
      room.changes.emit('changed', { key, stored: is, by });
    }
    changed();
  }

  function createRoom(name: string): Room {
    const prefix = nameOf(name, '');
    const at = (key: string): string => nameOf(name, key);
    const shown = (key: string): unknown => {
      const stored = storedIn(here()?.slots.get(at(key)));
      return stored === undefined ? undefined : show(room.options, stored);
    };

    async function load(signal?: AbortSignal): Promise<void> {
      const mine = here();
      const entries = await authorized((player) => requests.readCollection(name, player), signal);
      if (mine === null || mine !== here()) throw superseded();
      await commit(mine, 'cloud', (slots) => {
        for (const { key, value, version } of entries) {
          const slot = slots.get(at(key));
          // What is unsent meets the other's value when it is sent; an answer may also have been overtaken.
          if (slot === undefined || (slot.local === undefined && slot.version < version)) {
            slots.set(at(key), { version, base: value });
          }
        }
      });
    }

    /** `change` is how the value was made, where it can be made again. */
    async function put(key: string, next: JsonObject, change?: (value: unknown) => unknown): Promise<void> {
      const { options } = room;
      const mine = need();
      const before = storedIn(mine.slots.get(at(key)));
      const note = (from: JsonObject | undefined, after: JsonObject, device = mine.device): JsonObject =>
        options.merge === undefined
          ? after
          : noteChange({ before: from ?? null, after, rules: options.merge, device, now: session.serverTime() });
      const after = note(before, next);
      // It may not be stored yet.
      if (before !== undefined && sameJson(before, after)) return mine.commit(() => {});
      replays.remember(mine, at(key), after, change);
      outbox.set(at(key), after);

      // Another tab may have written meanwhile, and this device must lose neither.
      const again = (latest: JsonObject): JsonObject => {
        if (change !== undefined) return note(latest, check(options, change(show(options, latest))));
        if (options.merge === undefined) return after;
        // Only what this write adds: the rest is there, or was read from the service and comes from there again.
        const local = note(before && openNotes(before).value, next, 'tab');
        const merged = mergeValues({ base: before ?? null, local, cloud: latest, rules: options.merge });
        return note(latest, openNotes(merged.stored).value);
      };
      await commit(mine, 'game', (slots) => {
        const slot = slots.get(at(key)) ?? { version: versions.force };
        const latest = storedIn(slot);
        const isAsBefore = latest === undefined || sameJson(latest, before);
        let local = after;
        try {
          if (!isAsBefore) local = again(latest);
        } catch (error) {
          platform.report(error);
        }
        // The longest unsent stays first in line.
        if (slot.local === undefined) slots.delete(at(key));
        slots.set(at(key), { ...slot, local });
      });
    }

    async function remake(key: string, change: (value: unknown) => unknown): Promise<unknown> {
      need();
      const next = check(room.options, change(shown(key)));
      await put(key, next, change);
      return show(room.options, next);
    }

    const entries = (): SavedEntry<unknown>[] =>
      [...(here()?.slots ?? [])]
        .filter(([entry]) => entry.startsWith(prefix))
        .map(([entry, slot]) => ({
          key: splitName(entry)[1],
          value: show(room.options, storedIn(slot) as JsonObject),
          version: slot.version,
        }))
        .sort((left, right) => (left.key < right.key ? -1 : 1));

    const room: Room = {
      options: {},
      changes: createEvents(platform.report),
      collection: {
        name,
        get status() {
          return outbox.status(prefix);
        },
        get: shown,
        entries,
        set: (key, value) => {
          entrySegment(key);
          return put(key, check(room.options, value));
        },
        update: (key, change) => {
          entrySegment(key);
          if (typeof change !== 'function') throw new TypeError('change must be a function');
          return remake(key, change);
        },
        load: async ({ signal } = {}) => {
          await load(signal);
          return entries();
        },
        flush: (options) => outbox.flush(prefix, options),
        onChange: (listener) => {
          if (typeof listener !== 'function') throw new TypeError('listener must be a function');
          return room.changes.events.on('changed', ({ key, stored, by }) =>
            listener({ key, value: show(room.options, stored), by }),
          );
        },
      },
    };
    return room;
  }

  const refresh = async (): Promise<void> => {
    // Where a read fails, the game goes on with the copy of this device.
    await Promise.allSettled([...rooms.values()].map((room) => room.collection.load()));
  };

  /**
   * What was set before there was an account belongs to the first that comes. What that one has as well is decided as
   * between two devices, by what the game has declared; where it is unsent itself, it goes first. In memory it is
   * done at once.
   */
  async function adopt(tells = false): Promise<void> {
    const [from, to] = [unowned, copy];
    if (from === null || to === null || to.userId === null) return;
    const moved = [...from.slots].filter(
      ([name, { local }]) => local !== undefined && to.slots.get(name)?.local === undefined,
    );
    unowned = null;
    if (moved.length > 0) {
      const device = dependencies.newDevice();
      const move: Change = (slots, account) => {
        // What it knew of its own part goes with the value that is replaced: it must not count on from nothing.
        account.device = device;
        for (const [name, { local }] of moved) {
          if (slots.get(name)?.local === undefined) slots.set(name, { version: versions.force, local });
        }
      };
      await (tells ? commit(to, 'game', move) : to.commit(move));
      await from.commit((slots) => {
        for (const [name, slot] of moved) if (sameJson(slots.get(name)?.local, slot.local)) slots.delete(name);
      });
    }
    if (from.slots.size > 0 && copy === to) unowned = from;
  }

  const flush = (options?: CallOptions): Promise<void> => outbox.flush('', options);

  return {
    profile: {
      get status() {
        return outbox.status('');
      },
      collection: ((name: string, options?: CollectionOptions<unknown>) => {
        entrySegment(name);
        const known = rooms.get(name);
        const room = known ?? createRoom(name);
        rooms.set(name, room);
        if (options !== undefined) room.options = options;
        if (known === undefined || options !== undefined) {
          // What waited for it can be decided now.
          outbox.release(nameOf(name, ''), 'entry_conflict');
          outbox.wake();
        }
        return room.collection;
      }) as Profile['collection'],
      flush,
    },
    reload: async () => {
      const userId = session.userId;
      let next: LocalCopy | null = null;
      if (userId !== null || session.state.name === 'starting') {
        next = await open(userId);
        // A page may have been closed before it had given what it held to its new account.
        if (hadAccount) unowned = null;
        else if (userId !== null) unowned = copy?.userId === null ? copy : await open(null);
        await unowned?.sync();
        // While it was opened, the account can have become another.
        if (session.userId !== userId) return;
      }
      const before = new Map(copy?.slots);
      copy = next;
      const adopted = adopt();
      replays.clear();
      outbox.release('');
      announce(before, 'cloud');
      await adopted;
      outbox.retry();
      // A start shows what this device has, and waits for nobody.
      if (userId !== null && hadAccount) await refresh();
      hadAccount ||= userId !== null;
    },
    wake: async () => {
      await copy?.sync();
      outbox.retry();
    },
    sendOnHide: outbox.sendOnHide,
    flush,
    unsent: () => outbox.unsent('').length,
    rulesOf: (collection) => rooms.get(collection)?.options.merge ?? {},
    refresh,
    leave: async (task) => {
      isLeaving = true;
      try {
        return await task();
      } finally {
        isLeaving = false;
      }
    },
    forget: async (userId) => {
      if (copy?.userId === userId) copy = null;
      await ladder.setItem(dependencies.keyOf(userId), '');
    },
    dispose: outbox.stop,
  };
}
