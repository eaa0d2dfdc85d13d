import { getContext, onMount, setContext } from 'svelte';
import { type Readable, writable } from 'svelte/store';
import { beforeStart, type ClientParts, partsOf } from '../bindings/client-parts.js';
import { mainClient, noClient } from '../bindings/main-client.js';
import { type SaveChanges, type SaveStatus, unloaded, watchSave } from '../bindings/watch-save.js';
import type { AccountSnapshot, Client, Collection, Conflict, JsonObject, SyncStatus, Watched } from '../index.js';

export type { SaveChanges, SaveStatus } from '../bindings/watch-save.js';

/**
 * What `useSave` gives: a store of the value that Svelte can write to, so that `$save.coins += 1` saves. The value is a
 * copy of its own; undefined where there is none, or none yet.
 */
export interface Save<Output, Input = Output> extends Readable<Output | undefined>, SaveChanges<Output, Input> {
  /** How it stands. */
  readonly status: Readable<SaveStatus>;
  /** Settles when the save is not `loading` any more, for `{#await save.loaded()}`. Never rejects. */
  loaded(): Promise<void>;
}

const clientKey = 'savepoint.client';

/**
 * Gives the components below the one that calls it a client. Without it they have the one of `Main.Init`. The first
 * component that watches something calls `client.init()`; on a server nothing does.
 *
 * @example
 * ```ts
 * setClient(createClient({ gameId, environment: 0, baseUrl: 'https://saves.example.com' }));
 * ```
 */
export function setClient(client: Client): void {
  setContext(clientKey, client);
}

/**
 * The client of the components: for sign-in, undo, and all else. Throws an `SdkError`
 * `not_initialised` where there is none.
 */
export function useClient(): Client {
  return usePresentClient() ?? refuse();
}

/** Who the player is. Where there is no client, the mounted component fails with an `SdkError` `not_initialised`. */
export function useAccount(): Readable<AccountSnapshot> {
  return usePart('account');
}

/** How all saves of the player stand, taken together. Fails without a client as `useAccount` does. */
export function useSyncStatus(): Readable<SyncStatus> {
  return usePart('sync');
}

/**
 * The conflict in which the player has to choose, or null. While such a component is mounted, the call that meets a
 * conflict waits for `conflict.resolve`. Fails without a client as `useAccount` does.
 */
export function useConflict(): Readable<Conflict | null> {
  return usePart('conflict');
}

/**
 * A save of the player, as a store. The service is asked for its collection when the first component watches it.
 * With a collection the values have its types; with a name the type argument says what they are, and rules of a
 * collection must have been declared before. Fails without a client as `useAccount` does, and with TypeError for a
 * name or key that cannot be stored.
 *
 * @example
 * ```ts
 * const save = useSave<Save>('progress', 'main');
 * const { status } = save;
 * const collect = () => save.update((before) => ({ coins: (before?.coins ?? 0) + 1 }));
 * ```
 */
export function useSave<Output extends object = JsonObject, Input = Output>(
  collection: string | Collection<Input, Output>,
  key: string,
): Save<Output, Input> {
  const client = usePresentClient();
  const find = () => watchSave(client ?? refuse(), collection, key);
  let shown = client === null ? unloaded : find().getSnapshot();
  // A snapshot is frozen, and shared with others: what a component writes into is a copy.
  const value = writable<Output | undefined>(client === null ? undefined : find().read());
  const status = writable(shown.status);

  onMount(() =>
    find().subscribe((snapshot) => {
      if (snapshot.value !== shown.value) value.set(find().read());
      shown = snapshot;
      status.set(snapshot.status);
    }),
  );

  return {
    subscribe: value.subscribe,
    status: { subscribe: status.subscribe },
    set: (next) => {
      // What `$save.coins += 1` has written into the copy is taken back where it cannot be saved.
      const takeBack = (): void => value.set(find().read());
      try {
        const stored = find().set(next);
        stored.catch(takeBack);
        return stored;
      } catch (error) {
        takeBack();
        throw error;
      }
    },
    update: (change) => find().update(change),
    loaded: () => find().loaded(),
  };
}

function usePart<Name extends keyof ClientParts>(name: Name) {
  const client = usePresentClient();
  type Value = ReturnType<ClientParts[Name]['getSnapshot']>;
  const find = (): Watched<Value> => partsOf(client ?? refuse())[name] as Watched<unknown> as Watched<Value>;
  const { subscribe, set } = writable(client === null ? (beforeStart[name] as Value) : find().getSnapshot());
  // Svelte mounts nothing on a server.
  onMount(() => find().subscribe(set));
  return { subscribe };
}

function usePresentClient(): Client | null {
  return getContext<Client | undefined>(clientKey) ?? mainClient();
}

function refuse(): never {
  throw noClient('call setClient in a component above it');
}
