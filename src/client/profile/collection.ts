import type { FieldRules, MergePolicy } from '../../merge/rules.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { CallOptions } from '../results.js';
import type { StandardSchema } from './schema.js';

/** How the entries stand: `conflict` where some wait for the game, `offline` where the service could not be reached. */
export type SyncStatus = 'synced' | 'saving' | 'offline' | 'conflict';

/** An entry that was written here and elsewhere, and that no rule decides. */
export interface EntryConflict<Value = JsonObject> {
  readonly key: string;
  /** What both sides were made from; undefined where they have no common past. */
  readonly base: Value | undefined;
  readonly local: Value;
  readonly cloud: Value;
}

/** What a game declares for a collection. All of it is the game's own code: it must be the same in all its tabs. */
export interface CollectionOptions<Input = JsonObject, Output = Input> {
  /** Any Standard Schema (zod, valibot, …) that checks at once: values are held against it on the way in and out. */
  schema?: StandardSchema<Input, Output> | undefined;
  /** How an entry is merged that another device has written meanwhile: rules by field, or a policy for the whole. */
  merge?: FieldRules | MergePolicy | undefined;
  /** Makes a stored value of an older form into one of today's; called at each read, so it must know today's form too. */
  migrate?: ((stored: JsonObject) => JsonObject) | undefined;
  /**
   * Asked where `merge` does not decide; gives the value that both become. Without it the service's value wins, and what
   * was written here is kept in `client.account.snapshots()`.
   */
  onConflict?: ((conflict: EntryConflict<Output>) => Input | Promise<Input>) | undefined;
}

export interface SavedEntry<Value = JsonObject> {
  key: string;
  value: Value;
  /** The version at the service; -1 where it has none yet. What is unsent stands on it. */
  version: number;
}

export interface EntryChanged<Value = JsonObject> {
  readonly key: string;
  readonly value: Value;
  /** Who wrote it: this client, another tab, or another device. */
  readonly by: 'game' | 'tab' | 'cloud';
}

/**
 * A player's own entries of one collection: a copy on this device that answers at once, and that is sent in the background.
 * There is no way to delete an entry: the interface has none.
 */
export interface Collection<Input = JsonObject, Output = Input> {
  readonly name: string;
  readonly status: SyncStatus;
  /** The value as it is on this device, a copy. Throws an `SdkError` `invalid_value` where it does not fit the schema. */
  get(key: string): Output | undefined;
  /** All entries that this device has, ordered by key. */
  entries(): SavedEntry<Output>[];
  /**
   * Replaces the value. `get` has it at once; the promise settles when the device's storage has it, and from then on it is sent,
   * by this page or the next one. Throws TypeError for what cannot be stored; rejects with `not_authenticated` where
   * nobody is signed in, `aborted` while the account is being switched, until `initialized` is raised.
   */
  set(key: string, value: Input): Promise<void>;
  /**
   * Changes the value that is there: `change` gets a copy, or undefined, and returns the new one; what it throws changes
   * nothing. Where another device was faster and there are no merge rules, it is called again with that one's value.
   * Resolves to the new value; otherwise as `set`.
   */
  update(key: string, change: (value: Output | undefined) => Input): Promise<Output>;
  /** Reads all entries from the service; what is unsent stays. Rejects with an `SdkError`. */
  load(options?: CallOptions): Promise<SavedEntry<Output>[]>;
  /** Settles when the service has all of this collection. Rejects with what prevents it; nothing is lost by that. */
  flush(options?: CallOptions): Promise<void>;
  /**
   * Calls the listener for each entry whose value has changed. A listener that is added twice is called twice; what it throws
   * is reported.
   *
   * @returns A function that ends this registration, and no other one of the same listener.
   */
  onChange(listener: (change: EntryChanged<Output>) => unknown): () => void;
}

export interface Profile {
  readonly status: SyncStatus;
  /**
   * A collection by its name; what is declared for it counts from then on. Throws TypeError for a name that cannot be
   * stored. Declare at every start: what was left unsent may have to be merged by it.
   */
  collection<Input, Output>(
    name: string,
    options: CollectionOptions<Input, Output> & { schema: StandardSchema<Input, Output> },
  ): Collection<Input, Output>;
  collection(name: string, options?: CollectionOptions): Collection;
  /** As `collection.flush`, for all collections. */
  flush(options?: CallOptions): Promise<void>;
}
