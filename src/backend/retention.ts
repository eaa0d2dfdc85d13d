import { accountDefaults } from '../protocol/gaps/accounts.js';
import type { Service } from './service.js';
import type { ExpiryRequest } from './stores/requests.js';

/** Removes what has expired. */
export interface Retention {
  /**
   * Removes one small batch where it is time for it, and another one at the next call while there is
   * more. Never two at once.
   */
  sometimes(): Promise<void>;
  /** Whether `sometimes` would remove something now. */
  isDue(): boolean;
  /** Removes all, and answers how many records. */
  all(): Promise<number>;
  /** For how long there has been more to remove than was removed, in ms; 0 where nothing is left. */
  backlogMs(): number;
}

const everyMs = 60_000;
const batch = 200;

/**
 * Since when an account must be an orphan, or be deleted, to be removed now. Spec gap: both are kept for 30 days.
 */
export function keptSince(now: number): Pick<ExpiryRequest, 'orphanedBefore' | 'deletedBefore'> {
  return { orphanedBefore: now - accountDefaults.orphanKeptMs, deletedBefore: now - accountDefaults.deletionGraceMs };
}

export function createRetention(service: Service): Retention {
  const { now } = service;
  let sweptAt = now();
  let isSweeping = false;
  let behindSince: number | null = null;

  async function removeBatch(): Promise<{ removed: number; isDone: boolean }> {
    const at = now();
    try {
      const removed = await service.store.removeExpired({ now: at, ...keptSince(at), batch });
      const isDone = removed < batch;
      behindSince = isDone ? null : (behindSince ?? at);
      service.happened({ kind: 'removal', removed });
      return { removed, isDone };
    } catch (error) {
      behindSince ??= at;
      throw error;
    }
  }

  const isDue = (): boolean => !isSweeping && now() - sweptAt >= everyMs;

  return {
    isDue,

    async sometimes() {
      if (!isDue()) return;
      const at = now();
      isSweeping = true;
      try {
        if ((await removeBatch()).isDone) sweptAt = at;
      } catch (error) {
        // The request that the sweep came with must not fail; a request in a minute tries again.
        sweptAt = at;
        service.report('Expired records could not be removed.', error);
      }
      isSweeping = false;
    },

    async all() {
      let total = 0;
      for (;;) {
        const { removed, isDone } = await removeBatch();
        total += removed;
        if (isDone) return total;
      }
    },

    backlogMs: () => (behindSince === null ? 0 : Math.max(0, now() - behindSince)),
  };
}
