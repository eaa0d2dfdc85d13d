import { type Client, type ClientConfig, createClient, type Watched } from 'savepoint';
import { afterEach, beforeEach } from 'vitest';
import { createTestService, type TestService } from '../../support/service.js';

export interface Progress {
  coins: number;
}

/** A service, the devices of a player, and where a game is shown: all of them end with the test. */
export interface GameWorld {
  readonly service: TestService;
  /** Where the game is mounted. */
  readonly place: HTMLElement;
  /** A client on a device of its own, not started. */
  client(options?: Partial<ClientConfig>): Client;
  /** One that has an account, and in it these coins. */
  player(coins?: number): Promise<Client>;
  /** What was asked of the service, as `GET /v2/…` without ids. */
  asked(): string[];
  /** Makes the service unreachable. */
  goOffline(): void;
  comeBack(): void;
}

export function openGameWorld(): GameWorld {
  let service: TestService;
  let place: HTMLElement;
  let clients: Client[] = [];

  beforeEach(() => {
    service = createTestService({ clock: () => Date.now() });
    place = document.createElement('main');
    document.body.append(place);
  });
  afterEach(() => {
    for (const client of clients) client.dispose();
    clients = [];
    place.remove();
  });

  function client(options: Partial<ClientConfig> = {}): Client {
    const { gameId, baseUrl, fetch } = service;
    const values = new Map<string, string>();
    const storage = {
      getItem: (key: string) => values.get(key) ?? null,
      setItem: (key: string, value: string) => void values.set(key, value),
      removeItem: (key: string) => void values.delete(key),
    };
    const made = createClient({ gameId, environment: 0, baseUrl, fetch, storage, ...options });
    clients.push(made);
    return made;
  }

  return {
    get service() {
      return service;
    },
    get place() {
      return place;
    },
    client,
    player: async (coins) => {
      const made = client();
      await made.init();
      if (coins === undefined) return made;
      await made.profile.collection('progress').set('main', { coins });
      await made.profile.flush();
      return made;
    },
    asked: () =>
      service.backend.control.requests.map(
        ({ method, path }) => `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f-]{36}/g, '…')}`,
      ),
    goOffline: () => service.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY }),
    comeBack: () => service.backend.control.restore(),
  };
}

/** Gives a second device the name of a first one's account, which has these coins. */
export async function linkAda(world: GameWorld, coins: number): Promise<Client> {
  const owner = await world.player(coins);
  const linked = await owner.auth.withName('ada', 'correct horse');
  if (!linked.success) throw linked.error;
  return owner;
}

/** Counts who listens to a client: what is watched by whom, beyond the client's own parts. */
export function countListeners(client: Client, collection = 'progress', key = 'main'): () => number {
  let listeners = 0;
  const count = <T>(watched: Watched<T>): void => {
    const { subscribe } = watched;
    watched.subscribe = (listener) => {
      listeners += 1;
      const end = subscribe(listener);
      let isOver = false;
      return () => {
        if (!isOver) listeners -= 1;
        isOver = true;
        end();
      };
    };
  };
  const { profile, events } = client;
  count(client.watchAccount());
  count(profile.watchStatus());
  count(profile.collection(collection).watch(key));
  count(profile.collection(collection).watchStatus());
  const { on } = events;
  events.on = (name, listener) => {
    listeners += 1;
    const end = on(name, listener);
    let isOver = false;
    return () => {
      if (!isOver) listeners -= 1;
      isOver = true;
      end();
    };
  };
  return () => listeners;
}
