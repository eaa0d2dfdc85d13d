import { isSdkError, type SdkError } from '../../errors.js';
import { entrySegment } from '../../protocol/entry-name.js';
import type { SaveLimits } from '../../protocol/gaps/save-limits.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import type { CallOptions } from '../results.js';
import { createWatched } from '../watched.js';
import type { Writer } from './account-copy.js';
import type { Collection, CollectionOptions, HeldEntry, SavedEntry } from './collection.js';
import { createEdit } from './edit.js';
import { nameOf, namesIn, splitName } from './entry-name.js';
import { createEntryWatches } from './entry-watches.js';
import type { Outbox } from './outbox.js';
import type { Change, PageWrites } from './page-writes.js';
import type { Copies } from './present-copies.js';
import { check, show, storable, textOf, tooLarge } from './values.js';

/** A collection that the game has opened. */
export interface Room {
  readonly collection: Collection<unknown>;
  /** What the game has declared for it. */
  options: CollectionOptions<unknown>;
  /** What the game sees of an entry may have changed. */
  seen(key: string, by: Writer): void;
  /** The account is another: every entry may be seen otherwise. */
  switched(): void;
  /** How its entries stand may have changed. */
  statusChanged(): void;
}

interface Dependencies {
  copies: Copies;
  outbox: Outbox;
  page: PageWrites;
  serverTime(): number;
  /** Beyond what the service refuses a save, as far as is known. */
  limits(): SaveLimits;
  report(error: unknown): void;
  load(options?: CallOptions): Promise<void>;
  discard(key: string, options?: CallOptions): Promise<void>;
}

export function createRoom(name: string, dependencies: Dependencies): Room {
  const { copies, outbox } = dependencies;
  const at = (key: string): string => nameOf(name, key);
  const put = createPut(name, dependencies, () => room.options);
  const watches = createEntryWatches({
    stored: (key) => copies.value(at(key)),
    shown: (key) => look(key).value,
    options: () => room.options,
    report: dependencies.report,
  });
  const status = createWatched(() => outbox.status(name), dependencies.report);

  function shown(key: string): unknown {
    const stored = copies.value(at(key));
    return stored === undefined ? undefined : show(room.options, stored);
  }

  /** What the game sees, or why it cannot be shown. */
  function look(key: string): { value?: unknown; error?: SdkError } {
    try {
      return { value: shown(key) };
    } catch (error) {
      if (isSdkError(error)) return { error };
      throw error;
    }
  }

  const keys = (): string[] =>
    namesIn(copies, name)
      .map((entry) => splitName(entry)[1])
      .sort();

  const entries = (): SavedEntry<unknown>[] =>
    keys().flatMap((key) => {
      const { value, error } = look(key);
      return error === undefined ? [{ key, value, version: copies.version(at(key)) }] : [];
    });

  const held = (): HeldEntry[] =>
    keys().flatMap((key) => {
      const error = outbox.troubleOf(at(key)) ?? look(key).error;
      return error === undefined ? [] : [{ key, code: error.code, message: error.message }];
    });

  const room: Room = {
    options: {},
    seen: watches.seen,
    switched: () => {
      for (const key of keys()) watches.seen(key, 'cloud');
      watches.switched();
    },
    statusChanged: status.changed,
    collection: {
      name,
      get status() {
        return outbox.status(name);
      },
      watchStatus: () => status.watched,
      get: shown,
      watch: (key) => {
        entrySegment(key);
        return watches.watch(key);
      },
      entries,
      set: (key, value) => {
        entrySegment(key);
        const text = textOf(room.options, value);
        return asPromise(() => put(key, storable(text, dependencies.limits().valueBytes)));
      },
      update: (key, change) => {
        entrySegment(key);
        if (typeof change !== 'function') throw new TypeError('change must be a function');
        return asPromise(() => {
          copies.writable(at(key));
          const made = alone(copies, at(key), () => change(shown(key)));
          const next = check(room.options, made, dependencies.limits().valueBytes);
          return put(key, next, change as Change).then(() => show(room.options, next));
        });
      },
      load: async (options) => {
        await dependencies.load(options);
        return entries();
      },
      held,
      retry: (key, options) => {
        entrySegment(key);
        outbox.release(at(key));
        return outbox.flush(name, { ...options, key });
      },
      discard: async (key, options) => {
        entrySegment(key);
        await dependencies.discard(key, options);
        return shown(key);
      },
      flush: (options) => outbox.flush(name, options),
      onChange: watches.onChange,
    },
  };
  return room;
}

/** Sets an entry. Throws where it cannot be set; settles when it is stored. */
function createPut(
  name: string,
  { copies, outbox, page, serverTime, limits }: Dependencies,
  options: () => CollectionOptions<unknown>,
): (key: string, value: JsonObject, change?: Change) => Promise<void> {
  return (key, value, change) => {
    const entry = nameOf(name, key);
    const copy = copies.writable(entry);
    outbox.release(entry);
    const before = copies.value(entry);
    // Nothing changes, but it may not be stored yet.
    if (before !== undefined && sameJson(before, value)) return copy.storedLast(entry);
    const { entries, collections, valueBytes: maxBytes } = limits();
    if (before === undefined) {
      // Nobody can delete an entry: the service has those that this device knows, and it may have more.
      const present = namesIn(copies, name).length;
      if (present >= entries) throw tooLarge(`${entries} entries`);
      if (present === 0 && countCollections(copies) >= collections) throw tooLarge(`${collections} collections`);
    }
    const id = page.newWrite();
    return copy.edit(entry, createEdit({ id, options: options(), before, value, change, now: serverTime(), maxBytes }));
  };
}

const countCollections = (copies: Copies): number => new Set(copies.names().map((entry) => splitName(entry)[0])).size;

/** Calls a change. Throws where it has set the entry itself: that would be overwritten by what was made without it. */
function alone<T>(copies: Dependencies['copies'], entry: string, change: () => T): T {
  const before = copies.value(entry);
  const made = change();
  if (copies.value(entry) !== before) throw new TypeError('change must not set the entry that it changes');
  return made;
}

/**
 * Calls at once, and rejects instead of throwing. A page that goes away has no use for being told that a call has
 * failed which nobody waits for.
 */
function asPromise<T>(call: () => Promise<T>): Promise<T> {
  const promise = new Promise<T>((resolve) => resolve(call()));
  promise.catch(() => {});
  return promise;
}
