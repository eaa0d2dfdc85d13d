import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import { createEvents } from '../events.js';
import { createWatched, deepFreeze, type Watched } from '../watched.js';
import type { Writer } from './account-copy.js';
import type { CollectionOptions, EntryChanged } from './collection.js';
import { inTodaysForm, show } from './values.js';

/** A change of an entry, with its value as it is stored: each listener gets its own copy. */
type StoredChange = Omit<EntryChanged, 'value'> & { readonly stored: JsonObject };

/** Those who watch the entries of a collection. */
export interface EntryWatches {
  /** Calls the listener with each entry whose value is another. */
  onChange(listener: (change: EntryChanged<unknown>) => unknown): () => void;
  /** An entry's value, to be watched; each call for a key gives the same object. */
  watch(key: string): Watched<unknown>;
  /** What the game sees of an entry may have changed. */
  seen(key: string, by: Writer): void;
  /** The account is another: what this one has not got is gone. */
  switched(): void;
}

export function createEntryWatches(dependencies: {
  /** The value of an entry as it is stored. */
  stored(key: string): JsonObject | undefined;
  /** What the game is shown of it; undefined also where it cannot be shown. */
  shown(key: string): unknown;
  options(): CollectionOptions<unknown>;
  report(error: unknown): void;
}): EntryWatches {
  const { stored, shown, options, report } = dependencies;
  const changes = createEvents<{ changed: StoredChange }>(report);
  /** By key: what was seen last, in its stored form. */
  const told = new Map<string, JsonObject>();
  const watches = new Map<string, ReturnType<typeof createWatched<unknown>>>();

  function looksAlike(one: JsonObject, other: JsonObject): boolean {
    try {
      return sameJson(inTodaysForm(options(), one), inTodaysForm(options(), other));
    } catch {
      // The game's own function fails: the listener hears of it when it is shown.
      return false;
    }
  }

  function createWatch(key: string): ReturnType<typeof createWatched<unknown>> {
    let of: { value: JsonObject | undefined; options: unknown; snapshot: unknown } | null = null;
    return createWatched(() => {
      const value = stored(key);
      if (of === null || of.options !== options() || !sameJson(of.value, value)) {
        of = { value, options: options(), snapshot: deepFreeze(shown(key)) };
      }
      return of.snapshot;
    }, report);
  }

  return {
    onChange: (listener) => {
      if (typeof listener !== 'function') throw new TypeError('listener must be a function');
      return changes.events.on('changed', ({ key, stored: value, by }) =>
        listener({ key, value: show(options(), value), by }),
      );
    },
    watch: (key) => {
      const watch = watches.get(key) ?? createWatch(key);
      watches.set(key, watch);
      return watch.watched;
    },
    seen: (key, by) => {
      watches.get(key)?.changed();
      const value = stored(key);
      if (value === undefined) return;
      const last = told.get(key);
      told.set(key, value);
      if (!changes.hasListener('changed') || value === last || sameJson(value, last)) return;
      // Another form of the same value is no change for the game.
      if (last !== undefined && looksAlike(last, value)) return;
      changes.emit('changed', { key, stored: value, by });
    },
    switched: () => {
      for (const watch of watches.values()) watch.changed();
    },
  };
}
