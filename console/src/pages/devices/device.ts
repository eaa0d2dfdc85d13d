import type { Client } from '../../../../src/client/create-client.js';
import { createClient } from '../../../../src/client/create-client.js';
import type { Collection } from '../../../../src/index.js';
import type { Environment } from '../../../../src/protocol/environments.js';

/** What the playground's game saves. */
export interface Wallet {
  coins: number;
}

const place = { collection: 'playground', key: 'wallet' } as const;

/** One device of the playground: a live client with a storage of its own, as if on another machine. */
export interface Device {
  readonly client: Client;
  coins(): number;
  add(coins: number): Promise<unknown>;
  /** Loads what the other device has saved. */
  look(): Promise<unknown>;
  /** Calls the listener whenever something about the device may have changed. Gives what ends that. */
  subscribe(listener: () => void): () => void;
}

export function createDevice({ gameId, environment }: { gameId: string; environment: Environment }): Device {
  const kept = new Map<string, string>();
  const client = createClient({
    gameId,
    environment,
    // The service answers at the address that the console came from.
    baseUrl: location.origin,
    conflictFields: [{ ...place, field: 'coins' }],
    storage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
  });
  const wallet: Collection<Wallet> = client.profile.collection(place.collection, { merge: { coins: 'sum' } });
  return {
    client,
    coins: () => wallet.get(place.key)?.coins ?? 0,
    add: (coins) => wallet.update(place.key, (before) => ({ coins: (before?.coins ?? 0) + coins })),
    look: () => wallet.load(),
    subscribe(listener) {
      const { events } = client;
      const ends = [client.watchAccount().subscribe(listener), wallet.onChange(listener)];
      const names = ['conflict', 'stateChanged', 'syncChanged', 'initialized'] as const;
      for (const name of names) events.on(name, listener);
      return () => {
        for (const end of ends) end();
        for (const name of names) events.off(name, listener);
      };
    },
  };
}
