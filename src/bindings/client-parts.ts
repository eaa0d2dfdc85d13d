import type { AccountSnapshot, Client, Conflict, SyncStatus, Watched } from '../index.js';
import { createDerived } from './derived.js';

/** What components watch of a client, beside its saves. The first that watches one of them starts the client. */
export interface ClientParts {
  readonly account: Watched<AccountSnapshot>;
  readonly sync: Watched<SyncStatus>;
  readonly conflict: Watched<Conflict | null>;
}

/** What a server renders: nobody is here yet, and nothing was asked. A page that takes it over begins with the same. */
export const beforeStart = {
  account: Object.freeze({
    userId: null,
    state: 'starting',
    methods: Object.freeze([]),
    country: null,
    isStarting: true,
    error: null,
  }),
  sync: 'synced',
  conflict: null,
} satisfies { [Name in keyof ClientParts]: ReturnType<ClientParts[Name]['getSnapshot']> };

const parts = new WeakMap<Client, ClientParts>();

/** The same objects at each call, for frameworks tell subscriptions apart by them. */
export function partsOf(client: Client): ClientParts {
  const known = parts.get(client);
  if (known !== undefined) return known;
  const made = createParts(client);
  parts.set(client, made);
  return made;
}

function createParts(client: Client): ClientParts {
  const starting = <Value>({ getSnapshot, subscribe }: Watched<Value>): Watched<Value> =>
    createDerived(getSnapshot, (changed) => {
      void client.init();
      return subscribe(changed);
    });

  return {
    account: starting(client.watchAccount()),
    sync: starting(client.profile.watchStatus()),
    conflict: starting({
      getSnapshot: () => client.conflict,
      subscribe: (changed) => {
        const tell = (): void => void changed(client.conflict);
        // One that has ended is told of by the state alone.
        const ends = [client.events.on('conflict', tell), client.events.on('stateChanged', tell)];
        return () => {
          for (const end of ends) end();
        };
      },
    }),
  };
}
