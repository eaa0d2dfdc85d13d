import { webhookDefaults } from '../../protocol/gaps/webhooks.js';
import type { EventQueue, EventQueueRequest } from '../stores/event-requests.js';
import { dayOf } from '../stores/rules/counts.js';
import type { Store } from '../stores/store.js';

/** What a store is asked for a game's events. */
export function queueOf(gameId: string, now: number): EventQueueRequest {
  const { webhooksCounted: max, webhooksLostDays } = webhookDefaults;
  return { gameId, max, lostFrom: dayOf(now) - webhooksLostDays + 1 };
}

/**
 * How many events of each game wait, as it was when somebody last counted: whoever asks often
 * has the store count seldom.
 */
export interface WebhookQueues {
  /** Has the store count a game's events, if that was not done lately. */
  look(gameId: string): Promise<void>;
  /** What was counted last, by game. */
  seen(): ReadonlyMap<string, EventQueue>;
}

export function createWebhookQueues(store: Store, now: () => number): WebhookQueues {
  const queues = new Map<string, EventQueue & { countedAt: number }>();
  return {
    async look(gameId) {
      const last = queues.get(gameId);
      const countedAt = now();
      // A clock that was set back must not keep it from counting.
      if (last !== undefined && Math.abs(countedAt - last.countedAt) < webhookDefaults.webhookCountMs) return;
      queues.set(gameId, {
        ...(await store.readEventQueue(queueOf(gameId, countedAt))),
        countedAt,
      });
    },
    seen: () => queues,
  };
}
