import { webhookDefaults } from '../../protocol/gaps/webhooks.js';
import type { EventQueue } from '../stores/event-requests.js';
import type { Store } from '../stores/store.js';

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
        ...(await store.readEventQueue({ gameId, max: webhookDefaults.webhooksCounted })),
        countedAt,
      });
    },
    seen: () => queues,
  };
}
