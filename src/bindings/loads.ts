import type { Client, Collection } from '../index.js';

/** Whether the service was asked what it has of a collection, for the player who is here. */
export interface Loads {
  /** Whether it has answered, or could not be asked: what this device has is all there is to show. */
  readonly isLoaded: boolean;
  /** Starts the client, and asks once for each account. Gives what ends that. */
  start(changed: () => void): () => void;
}

export function createLoads(client: Client, collection: Pick<Collection<unknown>, 'load'>): Loads {
  const listeners = new Set<() => void>();
  let hasStarted = false;
  /** Whose collection is being read, or was read last. */
  let asked: string | null = null;
  /** Whose collection was read last, whether that came to anything or not. */
  let answered: string | null = null;

  function tell(): void {
    for (const listener of [...listeners]) listener();
  }

  async function load(): Promise<void> {
    const { userId } = client.auth;
    if (userId === null || userId === asked) return;
    asked = userId;
    const isRead = await collection.load().then(
      () => true,
      () => false,
    );
    // Meanwhile the account can have become another, whose collection is read by another call.
    if (asked !== userId) return;
    // What could not be read is read when a component watches it the next time.
    if (!isRead) asked = null;
    answered = userId;
    tell();
  }

  return {
    get isLoaded() {
      const { userId } = client.auth;
      return userId === null ? hasStarted : userId === answered;
    },
    start: (changed) => {
      // The account is here at its first change; its entries are when `initialized` says so.
      const ends = [client.watchAccount().subscribe(changed), client.events.on('initialized', () => void load())];
      listeners.add(changed);
      void client.init().then(() => {
        hasStarted = true;
        tell();
        return load();
      });
      return () => {
        listeners.delete(changed);
        for (const end of ends) end();
      };
    },
  };
}
