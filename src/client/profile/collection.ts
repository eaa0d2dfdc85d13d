import type { FieldRules, MergePolicy } from '../../merge/rules.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { CallOptions } from '../results.js';
import type { StandardSchema } from './schema.js';

/**
 * How the player's entries stand. `synced`: the service has them all. `saving`: some are being sent. `offline`: some
 * are unsent, and the service could not be reached. `conflict`: some wait for the game, which has to say what becomes
 * of them.
 */
export type SyncStatus = 'synced' | 'saving' | 'offline' | 'conflict';

/** An entry that was written here and elsewhere, and that no rule decides. */
export interface EntryConflict<Value = JsonObject> {
  /** The key of the entry. */
  readonly key: string;
  /** What both sides were made from; undefined where they have no common past. */
  readonly base: Value | undefined;
  /** The value as this device has set it. */
  readonly local: Value;
  /** The value that the service has. */
  readonly cloud: Value;
}

/**
 * What a game declares for a collection. It is the game's own code, and has to be the same in all tabs of the game.
 *
 * @example
 * ```ts
 * const progress = client.profile.collection('progress', {
 *   schema: z.object({ level: z.number(), coins: z.number() }),
 *   merge: { level: 'max', coins: 'sum' },
 * });
 * ```
 */
export interface CollectionOptions<Input = JsonObject, Output = Input> {
  /**
   * Any Standard Schema (zod, valibot, …) that checks at once: values are checked by it on the way in and out.
   * Default: none.
   */
  schema?: StandardSchema<Input, Output> | undefined;
  /**
   * How an entry is merged that another device has written meanwhile: rules by field, or a policy for the whole.
   * Default: `onConflict` decides.
   */
  merge?: FieldRules | MergePolicy | undefined;
  /**
   * Makes a stored value of an older form into one of today's. It is called at each read, so it must know today's
   * form too.
   */
  migrate?: ((stored: JsonObject) => JsonObject) | undefined;
  /**
   * Asked where `merge` does not decide; gives the value that this device and the service get. Without it the
   * service's value counts, and what was written here is kept in `client.account.snapshots()`.
   */
  onConflict?: ((conflict: EntryConflict<Output>) => Input | Promise<Input>) | undefined;
}

/** An entry as this device has it. docs/interface.md#profile-entry */
export interface SavedEntry<Value = JsonObject> {
  /** The key of the entry. */
  key: string;
  /** The value, a copy. */
  value: Value;
  /** Its version at the service; -1 where the service has none yet. An unsent value is based on it. */
  version: number;
}

/** A change of an entry, as `collection.onChange` tells it. */
export interface EntryChanged<Value = JsonObject> {
  /** The key of the entry. */
  readonly key: string;
  /** The value that it has now, a copy. */
  readonly value: Value;
  /** Who wrote it: this client, another tab, or another device. */
  readonly by: 'game' | 'tab' | 'cloud';
}

/**
 * A player's own entries of one collection: a copy on this device that answers at once, and that is sent in the
 * background. There is no way to delete an entry, for the interface has none.
 */
export interface Collection<Input = JsonObject, Output = Input> {
  /** The name of the collection. */
  readonly name: string;
  /** How its entries stand. */
  readonly status: SyncStatus;
  /**
   * The value as it is on this device, a copy. Throws an `SdkError` `invalid_value` where it does not fit the schema.
   */
  get(key: string): Output | undefined;
  /** All entries that this device has, ordered by key. */
  entries(): SavedEntry<Output>[];
  /**
   * Replaces the value. `get` has it at once; the promise settles when the device's storage has it, and from then on
   * it is sent, by this page or the next one. Throws TypeError for what cannot be stored. Rejects with
   * `not_authenticated` where nobody is signed in, and with `aborted` while the account is being switched, until
   * `initialized` is raised.
   */
  set(key: string, value: Input): Promise<void>;
  /**
   * Changes the value that is there: `change` gets a copy, or undefined, and returns the new one; what it throws
   * changes nothing. Where another device was faster and there are no merge rules, it is called again with that one's
   * value. Resolves to the new value; otherwise as `set`.
   *
   * @example
   * ```ts
   * await progress.update('main', (save) => ({ level: (save?.level ?? 0) + 1, coins: save?.coins ?? 0 }));
   * ```
   */
  update(key: string, change: (value: Output | undefined) => Input): Promise<Output>;
  /** Reads all entries from the service; what is unsent stays. Rejects with an `SdkError`, such as `network`. */
  load(options?: CallOptions): Promise<SavedEntry<Output>[]>;
  /**
   * Settles when the service has all of this collection. Rejects with the `SdkError` that prevents it, `network` or
   * `entry_conflict` for example; nothing is lost by that.
   */
  flush(options?: CallOptions): Promise<void>;
  /**
   * Calls the listener for each entry whose value has changed. A listener that is added twice is called twice; what
   * it throws is reported.
   *
   * @returns A function that ends this registration, and no other one of the same listener.
   */
  onChange(listener: (change: EntryChanged<Output>) => unknown): () => void;
}

/** The player's saves. */
export interface Profile {
  /** How the entries of all collections stand, taken together. */
  readonly status: SyncStatus;
  /**
   * A collection by its name; what is declared for it counts from then on. Declare it at every start: what was left
   * unsent may have to be merged by it. Throws TypeError for a name that cannot be stored. The schema says what its
   * values are.
   */
  collection<Input, Output>(
    name: string,
    options: CollectionOptions<Input, Output> & {
      /** Any Standard Schema (zod, valibot, …) that checks at once. Here it is required: it says what the values are. */
      schema: StandardSchema<Input, Output>;
    },
  ): Collection<Input, Output>;
  /**
   * A collection by its name; what is declared for it counts from then on. Declare it at every start: what was left
   * unsent may have to be merged by it. Throws TypeError for a name that cannot be stored. The type argument says
   * what its values are, and nothing checks that.
   *
   * @example
   * ```ts
   * interface Save { level: number; coins: number }
   * const progress = client.profile.collection<Save>('progress', { merge: { level: 'max', coins: 'sum' } });
   * ```
   */
  collection<Value extends object = JsonObject>(
    name: string,
    options?: CollectionOptions<NoInfer<Value>>,
  ): Collection<Value>;
  /**
   * A collection by its name; what is declared for it counts from then on. Declare it at every start: what was left
   * unsent may have to be merged by it. Throws TypeError for a name that cannot be stored. Its values are any JSON
   * objects.
   */
  collection(name: string, options?: CollectionOptions): Collection;
  /** As `collection.flush`, for all collections. */
  flush(options?: CallOptions): Promise<void>;
}
