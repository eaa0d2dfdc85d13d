'use client';
// The line above lets a page that is rendered on a server import the hooks where components run in the browser as well.
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useSyncExternalStore,
} from 'react';
import { beforeStart, type ClientParts, partsOf } from '../bindings/client-parts.js';
import { mainClient, noClient } from '../bindings/main-client.js';
import { type SaveChanges, type SaveSnapshot, unloaded, type WatchedSave, watchSave } from '../bindings/watch-save.js';
import type { AccountSnapshot, Client, Collection, Conflict, JsonObject, SyncStatus, Watched } from '../index.js';

export type { SaveChanges, SaveSnapshot, SaveStatus } from '../bindings/watch-save.js';
export type { ElementInJsx } from './elements-in-jsx.js';

/** What `useSave` gives: the save as it is, and the functions that change it. */
export type Save<Output, Input = Output> = SaveSnapshot<Output> & SaveChanges<Output, Input>;

/** Options of `useSave`. */
export interface UseSaveOptions {
  /**
   * Whether the component suspends while the save is `loading`: the nearest `<Suspense>` shows its fallback until then,
   * and on a server. Default: false.
   */
  suspense?: boolean | undefined;
}

/** What a `SavepointProvider` is given. */
export interface SavepointProviderProps {
  /** The client of the components below. */
  client: Client;
  /** The components. */
  children?: ReactNode;
}

const ClientContext = createContext<Client | null>(null);

/**
 * Gives the components below it a client. Without it they have the one of `Main.Init`. The first component that watches
 * something calls `client.init()`; on a server nothing does.
 *
 * @example
 * ```tsx
 * createRoot(element).render(<SavepointProvider client={client}><Game /></SavepointProvider>);
 * ```
 */
export function SavepointProvider({ client, children }: SavepointProviderProps): ReactElement {
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * The client of the components: for sign-in, undo, and all else. Throws an `SdkError`
 * `not_initialised` where there is none.
 */
export function useClient(): Client {
  const client = usePresentClient();
  if (client === null) throw missingClient();
  return client;
}

/** Who the player is. Throws an `SdkError` `not_initialised` where no client is above. */
export function useAccount(): AccountSnapshot {
  return usePart('account');
}

/**
 * How all saves of the player stand, taken together. Throws an `SdkError` `not_initialised` where no client is above.
 */
export function useSyncStatus(): SyncStatus {
  return usePart('sync');
}

/**
 * The conflict in which the player has to choose, or null. While such a component is mounted, the call that meets a
 * conflict waits for `conflict.resolve`. Throws an `SdkError` `not_initialised` where no client is above.
 *
 * @example
 * ```tsx
 * const conflict = useConflict();
 * return conflict && <button onClick={() => conflict.resolve('cloud')}>Take the account's saves</button>;
 * ```
 */
export function useConflict(): Conflict | null {
  return usePart('conflict');
}

/**
 * A save of the player, and how it stands. The service is asked for its collection when the first component watches it.
 * With a collection the values have its types; with a name the type argument says what they are, and rules of a
 * collection must have been declared before. Throws an `SdkError` `not_initialised` where no client is above, and
 * TypeError for a name or key that cannot be stored.
 *
 * @example
 * ```tsx
 * const { value, status, update } = useSave<Save>('progress', 'main');
 * if (status === 'loading') return <p>Loading …</p>;
 * return <button onClick={() => update((save) => ({ coins: (save?.coins ?? 0) + 1 }))}>{value?.coins ?? 0} coins</button>;
 * ```
 */
export function useSave<Output extends object = JsonObject, Input = Output>(
  collection: string | Collection<Input, Output>,
  key: string,
  { suspense = false }: UseSaveOptions = {},
): Save<Output, Input> {
  const client = usePresentClient();
  const save = client === null ? missingSave : watchSave(client, collection, key);
  const { value, status } = useWatched(save, suspense ? undefined : unloaded);
  const { set, update } = save;
  // React takes a thrown promise for what a component waits for.
  if (suspense && status === 'loading') throw save.loaded();
  return { value, status, set, update } as Save<Output, Input>;
}

function usePart<Name extends keyof ClientParts>(name: Name): ReturnType<ClientParts[Name]['getSnapshot']> {
  const client = usePresentClient();
  const part = client === null ? missingSave : partsOf(client)[name];
  return useWatched(part as Watched<ReturnType<ClientParts[Name]['getSnapshot']>>, beforeStart[name] as never);
}

function usePresentClient(): Client | null {
  return useContext(ClientContext) ?? mainClient();
}

/**
 * `onServer` is what a server renders, and the page that takes its text over; without it React
 * renders the fallback there.
 */
function useWatched<Value>({ subscribe, getSnapshot }: Watched<Value>, onServer: Value | undefined): Value {
  return useSyncExternalStore(subscribe, getSnapshot, onServer === undefined ? undefined : () => onServer);
}

const missingClient = (): Error => noClient('put a SavepointProvider above it');
const refuse = (): never => {
  throw missingClient();
};

/** What stands for a save without a client: a server renders it as it does any other, and in a page it throws. */
const missingSave: WatchedSave<never> = {
  getSnapshot: refuse,
  subscribe: refuse,
  loaded: refuse,
  read: refuse,
  set: refuse,
  update: refuse,
};
