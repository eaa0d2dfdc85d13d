import { NoAnswerError, ServiceError } from '../errors.js';
import { versions } from '../protocol/gaps.js';
import type { JsonObject, ProfileEntry } from '../protocol/messages.js';
import { entrySegment } from '../protocol/routes.js';
import { encodeValue } from '../protocol/value-text.js';
import type { Refresher } from './refresher.js';
import type { CallOptions } from './results.js';
import type { Wire } from './wire.js';

/** A player's own entries of one collection. What waits rejects with an `SdkError`. */
export interface Collection {
  readonly name: string;
  /** Reads all entries from the service. */
  load(options?: CallOptions): Promise<ProfileEntry[]>;
  /** The value as it was last loaded or written, a copy; undefined where there is none, or nothing was loaded. */
  get(key: string): JsonObject | undefined;
  /** All entries as they were last loaded or written, ordered by key. */
  entries(): ProfileEntry[];
  /**
   * Replaces the value, if the entry still has the version that this client knows; loads the collection first where
   * none is known. Codes: `version_mismatch`, where another client has written meanwhile: nothing is changed, and `load`
   * or `update` goes on from there; `aborted`, where the account was switched and `initialized` is not yet raised.
   */
  set(key: string, value: JsonObject, options?: CallOptions): Promise<ProfileEntry>;
  /**
   * Reads, changes and writes; where another client has written meanwhile, `change` is called again with the fresh value.
   * It gets a copy, or undefined where there is no entry, and returns the new value.
   */
  update(
    key: string,
    change: (value: JsonObject | undefined) => JsonObject,
    options?: CallOptions,
  ): Promise<ProfileEntry>;
}

export interface Profile {
  /** Throws TypeError for a name that cannot be stored. */
  collection(name: string): Collection;
}

export interface ProfileRoom {
  readonly profile: Profile;
  /** Empties what was loaded of the account before, and loads it again for the one that is there now. */
  reload(): Promise<void>;
}

/** What is known of a collection, for one account. */
interface Known {
  readonly user: string | null;
  loaded: boolean;
  readonly entries: Map<string, ProfileEntry>;
}

/** Others can write as often as they like; that somebody else wins each time this often is a loop of theirs. */
const updateTries = 30;

export function createProfile(
  wire: Wire,
  authorized: Refresher['authorized'],
  player: { userId(): string | null; isSwitching(): boolean },
): ProfileRoom {
  const rooms = new Map<string, { collection: Collection; reload(): Promise<unknown> }>();

  function createCollection(name: string): { collection: Collection; reload(): Promise<unknown> } {
    let known: Known = { user: null, loaded: false, entries: new Map() };
    let wasLoaded = false;
    let lastWrite: Promise<unknown> = Promise.resolve();

    /** Another account knows nothing of what was loaded before, from the moment of the switch. */
    function here(): Known {
      const user = player.userId();
      if (known.user !== user) {
        wasLoaded ||= known.loaded;
        known = { user, loaded: false, entries: new Map() };
      }
      return known;
    }

    async function load(signal?: AbortSignal): Promise<Known> {
      const mine = here();
      const entries = await authorized((bearer) => wire.readCollection(name, { bearer, signal }), signal);
      if (mine !== here()) throw switched();
      mine.entries.clear();
      for (const entry of entries) mine.entries.set(entry.key, entry);
      mine.loaded = true;
      return mine;
    }

    /** One write at a time, each for the account that was there when it was asked for. */
    function inTurn<T>(task: (mine: Known) => Promise<T>, signal?: AbortSignal): Promise<T> {
      const asked = here();
      // Until it has heard of the switch, the game holds the other account's values: they must not land in this one.
      const tooEarly = player.isSwitching();
      const next = lastWrite.then(async () => {
        if (tooEarly || asked !== here()) throw switched();
        if (signal?.aborted === true) throw new NoAnswerError('aborted', 'The call was aborted.');
        return task(asked.loaded ? asked : await load(signal));
      });
      lastWrite = next.catch(() => {});
      return next;
    }

    async function write(mine: Known, key: string, valueText: string, signal?: AbortSignal): Promise<ProfileEntry> {
      // Spec gap: -1 creates what is absent; it alone would overwrite what another device has created meanwhile.
      const based = mine.entries.get(key)?.version ?? versions.force;
      const createOnly = based === versions.force;
      const { version } = await authorized((bearer, bearerUser) => {
        if (bearerUser !== mine.user) throw switched();
        return wire.writeEntry(name, { key, valueText, version: based, createOnly }, { bearer, signal });
      }, signal);
      const entry = { key, value: JSON.parse(valueText) as JsonObject, version };
      mine.entries.set(key, entry);
      return structuredClone(entry);
    }

    async function change(
      mine: Known,
      key: string,
      by: (value: JsonObject | undefined) => JsonObject,
      signal?: AbortSignal,
    ) {
      for (let left = updateTries; ; left -= 1) {
        try {
          return await write(mine, key, encodeValue(by(structuredClone(mine.entries.get(key)?.value))), signal);
        } catch (error) {
          if (!(error instanceof ServiceError) || error.code !== 'version_mismatch' || left <= 1) throw error;
          const { currentVersion = versions.force, currentValue } = error;
          if (currentVersion === versions.force) mine.entries.delete(key);
          else if (currentValue !== undefined)
            mine.entries.set(key, { key, value: currentValue, version: currentVersion });
          else await load(signal);
        }
      }
    }

    const entries = (): ProfileEntry[] =>
      [...here().entries.values()]
        .sort((left, right) => (left.key < right.key ? -1 : 1))
        .map((entry) => structuredClone(entry));

    const collection: Collection = {
      name,
      load: async ({ signal } = {}) => {
        await load(signal);
        return entries();
      },
      get: (key) => structuredClone(here().entries.get(key)?.value),
      entries,
      set: (key, value, { signal } = {}) => {
        entrySegment(key);
        const valueText = encodeValue(value);
        return inTurn((mine) => write(mine, key, valueText, signal), signal);
      },
      update: (key, by, { signal } = {}) => {
        entrySegment(key);
        if (typeof by !== 'function') throw new TypeError('change must be a function');
        return inTurn((mine) => change(mine, key, by, signal), signal);
      },
    };
    return {
      collection,
      reload: async () => {
        if (here().user === null || !wasLoaded) return;
        wasLoaded = false;
        // Where it fails it stays empty, and the next write or `load` loads it.
        await load().catch(() => {});
      },
    };
  }

  return {
    profile: {
      collection: (name) => {
        entrySegment(name);
        let room = rooms.get(name);
        if (room === undefined) {
          room = createCollection(name);
          rooms.set(name, room);
        }
        return room.collection;
      },
    },
    reload: async () => {
      await Promise.all([...rooms.values()].map((room) => room.reload()));
    },
  };
}

function switched(): NoAnswerError {
  return new NoAnswerError('aborted', 'The account was signed out or switched in the meantime.');
}
