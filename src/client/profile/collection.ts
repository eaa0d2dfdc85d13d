import type { ErrorCode } from '../../errors.js';
import type { FieldRules, MergePolicy } from '../../merge/rules.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { CallOptions } from '../results.js';
import type { Watched } from '../watched.js';
import type { FollowOptions } from './follow.js';
import type { StandardSchema } from './schema.js';

/**
 * How the player's entries stand.
 *
 * - `synced`: the service has them all.
 * - `saving`: some are being sent.
 * - `offline`: some are on this device alone, because the service could not be reached, or because the device's storage
 *   fails at present. They are sent by themselves. Or another tab is to send them, and this page has not heard that it has.
 * - `conflict`: some are held: the game has to say what becomes of them. `collection.held()` says which, and why.
 * - `unstored`: the device's storage does not take what was set. It is in this page alone until it does.
 */
export type SyncStatus = 'synced' | 'saving' | 'offline' | 'conflict' | 'unstored';

/** An entry that is not sent for a reason of its own. The other entries go on. */
export interface HeldEntry {
  /** The key of the entry. */
  readonly key: string;
  /**
   * Why: `too_large` (after a merge), `quota_exceeded` (the account is full: `account.usage()`), `entry_conflict` (another device has
   * written it, and no rule or function of the game could merge both), `invalid_value` (it does not fit the schema, and
   * only this device cannot show it), or what the service has refused it with.
   */
  readonly code: ErrorCode;
  /** The same in words, for a developer. */
  readonly message: string;
}

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
   * form too. Where it throws, or gives no plain object, the entry is
   * `invalid_value`: `get` throws that, and `held()` names it.
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
  /** The same to be watched; each call gives the same object. */
  watchStatus(): Watched<SyncStatus>;
  /**
   * The value as it is on this device, a copy. Throws an `SdkError` `invalid_value` where it does not fit the schema.
   */
  get(key: string): Output | undefined;
  /**
   * One entry to be watched; its snapshot is undefined where there is none, or where it does not fit the schema. Each
   * call with the same key gives the same object.
   */
  watch(key: string): Watched<Output | undefined>;
  /** All entries that this device has, ordered by key, but those that do not fit the schema: `held()` names them. */
  entries(): SavedEntry<Output>[];
  /**
   * Replaces the value. `get` has it at once; the promise settles when the device's storage has it, and from then on it
   * is sent, by this page or the next one. While the storage fails it waits (`client.storage`). What is shown already is
   * no change: nothing is sent, and what another device has written meanwhile counts. Throws TypeError for
   * what is no JSON object, or does not fit the schema. Rejects with `too_large` where the service would refuse the
   * value by its size, the collection or the account is full of entries or collections, or another tab was faster and
   * both together are too large; with `not_authenticated` where nobody is signed in, and with `aborted` while the
   * account is being switched, until `initialized` is raised.
   */
  set(key: string, value: Input): Promise<void>;
  /**
   * Changes the value that is there: `change` gets a copy, or undefined, and returns the new one; what it throws
   * changes nothing, and it must not set the same entry itself. A value equal to what is shown is no change. Where another device was faster and there are no merge
   * rules, it is called again with that one's value. Resolves to the new value; otherwise as `set`.
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
   * The entries that are not sent for a reason of their own. They are tried again when the page starts, and when set.
   */
  held(): HeldEntry[];
  /**
   * Tries an entry that is held again at once. Settles when the service has it; rejects with the
   * `SdkError` that prevents it.
   */
  retry(key: string, options?: CallOptions): Promise<void>;
  /**
   * Gives up what was set here and the service has not got: the service's value takes its place, and the other is kept
   * in `client.account.snapshots()` where the service takes it. Gives the value that counts now.
   */
  discard(key: string, options?: CallOptions): Promise<Output | undefined>;
  /**
   * Settles when the service has all of this collection. Rejects with the `SdkError` that prevents it, `network`,
   * `entry_conflict` or `storage_unavailable` for example; nothing is lost by that.
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

/** What a game kept its saves in: `localStorage`, or anything of its form. */
export type TextStorage = Pick<Storage, 'getItem' | 'key' | 'length'>;

/** Where a text goes. */
export interface ImportPlace {
  /** The name of the collection. */
  readonly collection: string;
  /** The key in it. */
  readonly key: string;
  /** Makes the value of the text; what it throws refuses the text. Default: `JSON.parse`. */
  readonly read?: ((text: string) => object) | undefined;
}

/** What became of the texts, each by its key in the former storage. Those for which `map` gives nothing are in none. */
export interface ImportReport {
  /** They are entries now. */
  readonly taken: readonly string[];
  /** There is such an entry already. */
  readonly skipped: readonly string[];
  /** They are no entries, and why. */
  readonly refused: readonly {
    /** The key in the former storage. */
    readonly from: string;
    /** What `map`, `read` or `set` has thrown, or an `SdkError` such as `network`. */
    readonly error: unknown;
  }[];
}

/** The player's saves. */
export interface Profile {
  /** How the entries of all collections stand, taken together. */
  readonly status: SyncStatus;
  /** The same to be watched. */
  watchStatus(): Watched<SyncStatus>;
  /**
   * A collection by its name; what is declared for it counts from then on. Declare it at every start: what was left
   * unsent may have to be merged by it. Throws TypeError for a name that cannot be stored, and for what is no option,
   * such as a misspelt rule. The schema says what its values are.
   */
  collection<Input, Output>(
    name: string,
    options: CollectionOptions<Input, Output> & {
      /**
       * Any Standard Schema (zod, valibot, …) that checks at once. Here it is required: it says what the values are.
       */
      schema: StandardSchema<Input, Output>;
    },
  ): Collection<Input, Output>;
  /**
   * A collection by its name; what is declared for it counts from then on. Declare it at every start: what was left
   * unsent may have to be merged by it. Throws TypeError for a name that cannot be stored, and for what is no option,
   * such as a misspelt rule. The type argument says what its values are, and nothing checks that.
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
   * unsent may have to be merged by it. Throws TypeError for a name that cannot be stored, and for what is no option,
   * such as a misspelt rule. Its values are any JSON objects.
   */
  collection(name: string, options?: CollectionOptions): Collection;
  /**
   * Takes over what a game has kept under its own keys, as in `localStorage`, before it had savepoint. Each text
   * becomes an entry where there is none, neither here nor at the service; none is removed, and none is overwritten. So
   * it may run at each start: after the sign-in, and after the collections were declared. Throws TypeError for a wrong
   * argument, and never rejects: what is refused, such as with no network, or for what `set` refuses, comes with its
   * reason, and is tried the next time.
   *
   * @example
   * ```ts
   * const { taken, refused } = await client.profile.importFrom(localStorage, (key) =>
   *   key.startsWith('mygame.slot.') ? { collection: 'progress', key: key.slice('mygame.slot.'.length) } : null,
   * );
   * ```
   */
  importFrom(storage: TextStorage, map: (key: string) => ImportPlace | null | undefined): Promise<ImportReport>;
  /**
   * Settles when the service has everything that was set in any collection. Rejects with the `SdkError` that prevents
   * it, `network`, `entry_conflict` or `storage_unavailable` for example; nothing is lost by that.
   */
  flush(options?: CallOptions): Promise<void>;
  /**
   * Keeps the open collections as new as the service has them, whoever writes there: another device, the game's back
   * end, support. While the page can be seen, the service is asked every 4 seconds, or every `everyMs`, in one small
   * request whether anything is new, and what is new is read; a page that is seen again asks at once. Entries tell of
   * it by `onChange` and `watch` as they always do. Throws TypeError for less than 1,000 ms.
   *
   * @returns A function that ends it. It ends with the client, too.
   *
   * @example
   * ```ts
   * const stop = client.profile.follow();
   * ```
   */
  follow(options?: FollowOptions): () => void;
}
