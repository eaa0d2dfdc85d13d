import type { Client, Collection, SyncStatus, Watched } from '../index.js';
import { createDerived } from './derived.js';
import { createLoads, type Load } from './loads.js';

/**
 * How a save stands: as `SyncStatus` says of its collection, or `loading` as long as this device has no value and the
 * service has not said yet whether it has one. Without a value, `offline` says that the service could not be asked: it may
 * have one, and is asked again. A new player has no value and any other status.
 */
export type SaveStatus = SyncStatus | 'loading';

/** A save at a moment. */
export interface SaveSnapshot<Value> {
  /** The value, frozen: the same object until it changes. Undefined where there is none, or none yet. */
  readonly value: Value | undefined;
  /** How it stands. */
  readonly status: SaveStatus;
}

/** How a component changes a save. Both functions stay the same ones, and can be handed on by themselves. */
export interface SaveChanges<Output, Input = Output> {
  /** Replaces the value, as `collection.set` does: it is here at once, and sent in the background. */
  readonly set: (value: Input) => Promise<void>;
  /**
   * Changes the value that is there, as `collection.update` does: `change` gets a copy, or undefined. Use it where the
   * new value is made from the old one, so that neither a tab nor another component is overwritten.
   */
  readonly update: (change: (value: Output | undefined) => Input) => Promise<Output>;
}

/** A save that components watch and change. */
export interface WatchedSave<Output, Input = Output> extends Watched<SaveSnapshot<Output>>, SaveChanges<Output, Input> {
  /** The value as a copy that the caller may change. */
  read(): Output | undefined;
  /** Settles when it is not `loading` any more. Never rejects; the same promise for all who wait at once. */
  loaded(): Promise<void>;
}

/** What a server renders of any save. */
export const unloaded: SaveSnapshot<never> = Object.freeze({ value: undefined, status: 'loading' });

interface Opened {
  readonly load: Watched<Load>;
  readonly saves: Map<string, WatchedSave<unknown>>;
}

const opened = new WeakMap<object, Opened>();

/**
 * One save of a player; each call with the same collection and key gives the same object. A name opens the collection
 * as it was declared, or with no rules where it was not. Throws TypeError for a name or key that cannot be stored, and
 * for a collection of another client, which would never be loaded.
 */
export function watchSave<Output, Input>(
  client: Client,
  given: string | Collection<Input, Output>,
  key: string,
): WatchedSave<Output, Input> {
  const name = typeof given === 'string' ? given : given?.name;
  if (typeof name !== 'string') throw new TypeError('collection must be a name, or what profile.collection has given');
  const collection: Collection<unknown> = client.profile.collection(name);
  if (typeof given !== 'string' && (given as unknown) !== collection) {
    throw new TypeError('collection must be one of the client that the component has');
  }
  const found = opened.get(collection) ?? { load: createLoads(client, collection), saves: new Map() };
  opened.set(collection, found);
  const save = found.saves.get(key) ?? createSave(collection, key, found.load);
  found.saves.set(key, save);
  return save as WatchedSave<unknown, never> as WatchedSave<Output, Input>;
}

function createSave(collection: Collection<unknown>, key: string, load: Watched<Load>): WatchedSave<unknown> {
  const entry = collection.watch(key);
  let latest: SaveSnapshot<unknown> = unloaded;
  let waiting: Promise<void> | null = null;

  function statusWithoutValue(): SaveStatus {
    const asked = load.getSnapshot();
    if (asked === 'loading') return 'loading';
    return asked === 'failed' && collection.status === 'synced' ? 'offline' : collection.status;
  }

  function getSnapshot(): SaveSnapshot<unknown> {
    const value = entry.getSnapshot();
    const status = value === undefined ? statusWithoutValue() : collection.status;
    if (value !== latest.value || status !== latest.status) latest = Object.freeze({ value, status });
    return latest;
  }

  const watched = createDerived(getSnapshot, (changed) => {
    const ends = [entry.subscribe(changed), collection.watchStatus().subscribe(changed), load.subscribe(changed)];
    return () => {
      for (const end of ends) end();
    };
  });

  function untilLoaded(): Promise<void> {
    return new Promise((resolve) => {
      const end = watched.subscribe(({ status }) => {
        if (status === 'loading') return;
        // The first call of a listener comes before there is a function that ends it.
        queueMicrotask(() => end());
        resolve();
      });
    });
  }

  return {
    ...watched,
    read: () => (entry.getSnapshot() === undefined ? undefined : collection.get(key)),
    set: (value) => collection.set(key, value),
    update: (change) => collection.update(key, change),
    loaded: () => {
      waiting ??= untilLoaded().then(() => {
        waiting = null;
      });
      return waiting;
    },
  };
}
