import type { Client, Collection, Watched } from '../index.js';
import { createDerived } from './derived.js';

/**
 * Whether the service was asked what it has of a collection for the player who is here, and has answered or could not
 * be asked: then what this device has is all there is to show. Who watches it starts the client, and the collection is
 * read once for each account, however many watch it.
 */
export function createLoads(client: Client, collection: Pick<Collection<unknown>, 'load'>): Watched<boolean> {
  let hasStarted = false;
  /** Whose collection is being read, or was read last. */
  let latest: { readonly userId: string } | null = null;
  /** For whom that has come to an end, whether it came to anything or not. */
  let answered: string | null = null;

  function isLoaded(): boolean {
    const { userId } = client.auth;
    return userId === null ? hasStarted : userId === answered;
  }

  async function load(changed: () => void): Promise<void> {
    const { userId } = client.auth;
    if (userId === null) return;
    const mine = { userId };
    latest = mine;
    const isRead = await collection.load().then(
      () => true,
      () => false,
    );
    // Meanwhile the account can have become another, or have come back: then another call reads it.
    if (latest !== mine) return;
    // What could not be read is read when somebody watches it the next time.
    if (!isRead) latest = null;
    answered = userId;
    changed();
  }

  return createDerived(isLoaded, (changed) => {
    const ends = [
      client.watchAccount().subscribe(({ userId }) => {
        // What was read in a former stay says nothing about the next one, be it in the same account.
        if (latest !== null && latest.userId !== userId) latest = null;
        if (answered !== userId) answered = null;
        changed();
      }),
      // Not sooner: until then this device may still have the entries of the account before.
      client.events.on('initialized', () => void load(changed)),
    ];
    void client.init().then(() => {
      hasStarted = true;
      changed();
      if (latest?.userId !== client.auth.userId) void load(changed);
    });
    return () => {
      for (const end of ends) end();
    };
  });
}
