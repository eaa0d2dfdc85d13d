import {
  type App,
  type ComputedRef,
  computed,
  getCurrentInstance,
  type InjectionKey,
  inject,
  type MaybeRefOrGetter,
  onMounted,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from 'vue';
import { beforeStart, type ClientParts, partsOf } from '../bindings/client-parts.js';
import { mainClient, noClient } from '../bindings/main-client.js';
import { type SaveChanges, type SaveStatus, unloaded, type WatchedSave, watchSave } from '../bindings/watch-save.js';
import type { AccountSnapshot, Client, Collection, Conflict, JsonObject, SyncStatus, Watched } from '../index.js';

export type { SaveChanges, SaveStatus } from '../bindings/watch-save.js';

/** What `useSave` gives: the save as it is, and the functions that change it. */
export interface Save<Output, Input = Output> extends SaveChanges<Output, Input> {
  /** The value, frozen: another object at each change. Undefined where there is none, or none yet. */
  readonly value: ComputedRef<Output | undefined>;
  /** How it stands. */
  readonly status: ComputedRef<SaveStatus>;
  /**
   * Settles when the save is not `loading` any more, for `await` in the `setup` of a component below `<Suspense>`.
   * Never rejects; on a server, which loads nothing, it settles at once.
   */
  loaded(): Promise<void>;
}

/** A value that changes by itself, and that a component only reads. */
export type ReadonlyShallowRef<Value> = Readonly<ShallowRef<Value>>;

/** What `app.use(savepoint, …)` takes. */
export interface SavepointOptions {
  /** The client of the app's components. */
  client: Client;
}

// Hot reload may load this module a second time, and an app that is there already has provided the client by this name.
const clientKey: InjectionKey<Client> = Symbol.for('savepoint.client');

/**
 * The plugin that gives the components of an app a client. Without it they have the one of `Main.Init`. The first
 * component that watches something calls `client.init()`; on a server nothing does.
 *
 * @example
 * ```ts
 * createApp(Game).use(savepoint, { client }).mount('#game');
 * ```
 */
export const savepoint = {
  /** Called by `app.use`. */
  install(app: App, { client }: SavepointOptions): void {
    app.provide(clientKey, client);
  },
};

/**
 * The client of the components: for sign-in, undo, and all else. Throws an `SdkError`
 * `not_initialised` where there is none.
 */
export function useClient(): Client {
  return usePresentClient() ?? refuse();
}

/** Who the player is. Where there is no client, the mounted component fails with an `SdkError` `not_initialised`. */
export function useAccount(): ReadonlyShallowRef<AccountSnapshot> {
  return usePart('account');
}

/** How all saves of the player stand, taken together. Fails without a client as `useAccount` does. */
export function useSyncStatus(): ReadonlyShallowRef<SyncStatus> {
  return usePart('sync');
}

/**
 * The conflict in which the player has to choose, or null. While such a component is mounted, the call that meets a
 * conflict waits for `conflict.resolve`. Fails without a client as `useAccount` does.
 */
export function useConflict(): ReadonlyShallowRef<Conflict | null> {
  return usePart('conflict');
}

/**
 * A save of the player, and how it stands. The service is asked for its collection when the first component watches it.
 * With a collection the values have its types; with a name the type argument says what they are, and rules of a
 * collection must have been declared before. Collection and key may be refs or getters: the save changes with them.
 * Fails without a client as `useAccount` does, and with TypeError for a name or key that cannot be stored.
 *
 * @example
 * ```ts
 * const { value: save, status, update } = useSave<Save>('progress', () => props.slot);
 * const collect = () => update((save) => ({ coins: (save?.coins ?? 0) + 1 }));
 * ```
 */
export function useSave<Output extends object = JsonObject, Input = Output>(
  collection: MaybeRefOrGetter<string | Collection<Input, Output>>,
  key: MaybeRefOrGetter<string>,
): Save<Output, Input> {
  const client = usePresentClient();
  const present = (): WatchedSave<Output, Input> =>
    watchSave(client ?? refuse(), toValue(collection) as Collection<Input, Output>, toValue(key));
  const { state, look } = useWatched(client, present, unloaded);
  return {
    value: computed(() => state.value.value),
    status: computed(() => state.value.status),
    set: (value) => present().set(value),
    update: (change) => present().update(change),
    loaded: async () => {
      if (typeof document === 'undefined') return;
      await present().loaded();
      // A component that waited is rendered before it is mounted.
      look();
    },
  };
}

function usePart<Name extends keyof ClientParts>(name: Name) {
  const client = usePresentClient();
  type Value = ReturnType<ClientParts[Name]['getSnapshot']>;
  const part = (): Watched<Value> => partsOf(client ?? refuse())[name] as Watched<unknown> as Watched<Value>;
  return useWatched(client, part, beforeStart[name] as Value).state;
}

function usePresentClient(): Client | null {
  return inject(clientKey, null) ?? mainClient();
}

/**
 * Watches from the mounting to the end of a component, what `find` gives at each time. `onServer`
 * is what a server renders.
 */
function useWatched<Value>(client: Client | null, find: () => Watched<Value>, onServer: Value) {
  const instance = getCurrentInstance();
  // What takes a server's text over begins with what that was made of.
  const isTakingOver = instance !== null && instance.vnode.el !== null;
  const state = shallowRef(client === null || isTakingOver ? onServer : find().getSnapshot());
  const look = (): void => {
    state.value = find().getSnapshot();
  };
  const start = (): void => {
    watch(find, (watched, _, ended) => ended(watched.subscribe(look)), { immediate: true, flush: 'sync' });
  };
  if (instance === null) start();
  else onMounted(client === null ? refuse : start);
  return { state, look };
}

function refuse(): never {
  throw noClient('app.use(savepoint, { client })');
}
