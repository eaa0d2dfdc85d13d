import type { Client, Collection, Watched } from '../index.js';
import { createDerived } from './derived.js';

/** `read`: what this device has is all there is; `failed`: the service could not be asked. */
export type Load = 'loading' | 'read' | 'failed';

/** How long after a read that has failed it is tried again, in ms: twice as long each time. */
const retryMs = { first: 5_000, max: 60_000 };

/**
 * Whether the service has said what it has of a collection for the player who is here. Who watches it starts the client, and
 * the collection is read once for each account, however many watch it; what fails is tried again as long as somebody does.
 */
export function createLoads(client: Client, collection: Pick<Collection<unknown>, 'load'>): Watched<Load> {
  let hasStarted = false;
  /** Whose collection is being read, or was read last. */
  let latest: { readonly userId: string } | null = null;
  /** For whom that has come to an end, and how often it has failed since it last did not. */
  let ended: { readonly userId: string; readonly failures: number } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isWatched = false;

  function loadOf(userId: string | null): Load {
    if (userId === null) return hasStarted ? 'read' : 'loading';
    if (ended?.userId !== userId) return 'loading';
    return ended.failures === 0 ? 'read' : 'failed';
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
    const failures = isRead ? 0 : (ended?.failures ?? 0) + 1;
    ended = { userId, failures };
    // What could not be read is read when somebody watches it the next time, or in a while.
    if (!isRead) {
      latest = null;
      clearTimeout(timer);
      if (isWatched)
        timer = setTimeout(() => void load(changed), Math.min(retryMs.first * 2 ** (failures - 1), retryMs.max));
    }
    changed();
  }

  return createDerived(
    () => loadOf(client.auth.userId),
    (changed) => {
      isWatched = true;
      const ends = [
        client.watchAccount().subscribe(({ userId }) => {
          // What was read in a former stay says nothing about the next one, be it in the same account.
          if (latest !== null && latest.userId !== userId) latest = null;
          if (ended?.userId !== userId) ended = null;
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
        isWatched = false;
        clearTimeout(timer);
        for (const end of ends) end();
      };
    },
  );
}
