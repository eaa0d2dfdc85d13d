import { accountDefaults } from '../protocol/gaps/accounts.js';
import type { Log } from './log.js';
import type { Service } from './service.js';
import type { ExpiryRequest } from './stores/requests.js';
import { toldGames } from './webhooks/deliverer.js';

/** Removes what has expired. */
export interface Retention {
  /** Works for the service with its new options from now on. */
  follow(next: Followed): void;
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

/** Whose records are removed, and who hears of what is lost by it. */
interface Followed {
  service: Service;
  log: Log;
}

export function createRetention(first: Followed): Retention {
  const { now } = first.service;
  let { service, log } = first;
  /** The games whose last look found too many events. */
  const losing = new Set<string>();
  let sweptAt = now();
  let isSweeping = false;
  let behindSince: number | null = null;

  async function removeBatch(): Promise<{ removed: number; isDone: boolean }> {
    const at = now();
    try {
      const expired = await service.store.removeExpired({ now: at, ...keptSince(at), batch });
      const removed = expired < batch ? expired + (await trimEvents(at, batch - expired)) : expired;
      const isDone = removed < batch;
      behindSince = isDone ? null : (behindSince ?? at);
      service.happened({ kind: 'removal', removed });
      return { removed, isDone };
    } catch (error) {
      behindSince ??= at;
      throw error;
    }
  }

  /** A receiver that is down for long must not fill the store with what it was not told. */
  async function trimEvents(at: number, most: number): Promise<number> {
    let total = 0;
    for (const gameId of toldGames(service)) {
      if (total === most) break;
      const max = service.sizes.webhookEventsPerGame;
      const lost = await service.store.trimEvents({ gameId, max, batch: most - total, now: at });
      total += lost;
      if (lost > 0 && !losing.has(gameId)) {
        const message = `The back end of the game ${gameId} takes no events of its webhook: the oldest of more than ${max} are removed.`;
        log({ kind: 'warning', time: at, code: 'webhook_events_lost', message, gameId, lost });
      }
      if (lost > 0) losing.add(gameId);
      else losing.delete(gameId);
    }
    return total;
  }

  const isDue = (): boolean => !isSweeping && now() - sweptAt >= everyMs;

  return {
    follow(next) {
      ({ service, log } = next);
      // What was warned of is forgotten with the former configuration.
      losing.clear();
    },

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
