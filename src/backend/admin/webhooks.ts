import type { DeadEvent, RetriedWebhooks, WebhookQueue } from '../../protocol/admin-webhooks.js';
import { webhookDefaults } from '../../protocol/gaps/webhooks.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { EventRecord } from '../stores/event-requests.js';
import type { ListPlace } from '../stores/records.js';
import { queueOf } from '../webhooks/queues.js';
import type { Asked } from './changes.js';
import { changeAs } from './operators.js';
import { type Page, pageOf } from './pages.js';

/** What a game's back end has not been told yet, with a page of what waits for an operator. */
export async function readWebhooks(
  { store, now }: Service,
  gameId: string,
  page: Page<ListPlace>,
): Promise<WebhookQueue & { cursor?: string }> {
  const { waiting, oldestAt, dead, lost } = await store.readEventQueue(queueOf(gameId, now()));
  const found = await store.listDeadEvents({ gameId, after: page.after, max: page.max + 1 });
  const { items, ...next } = pageOf(page, found, ({ deadAt, eventId: id }) => ({ at: deadAt ?? 0, id }));
  const since = oldestAt === null ? {} : { oldestAt };
  return { waiting, ...since, dead, ...(lost === 0 ? {} : { lost }), events: items.map(showEvent), ...next };
}

/** Without what it tells: the reason of a ban, say, is for the receiver. */
function showEvent(event: EventRecord): DeadEvent {
  const { eventId: id, kind, environment: env, accountId: userId, at, attempts, lastStatus, deadAt, expiresAt } = event;
  return {
    id,
    kind,
    env,
    userId,
    at,
    attempts,
    ...(lastStatus === null ? {} : { lastStatus }),
    deadAt: deadAt ?? at,
    removedAt: expiresAt,
  };
}

/** Has one event sent again that waits for an operator, or those that have waited for longest. */
export async function retryWebhooks(
  service: Service,
  gameId: string,
  { id, operator, action }: Asked & { id: string | undefined },
): Promise<RetriedWebhooks> {
  const { webhooksRetriedAtOnce: max } = webhookDefaults;
  const request = { gameId, eventId: id?.toLowerCase() ?? null, now: service.now(), max };
  const retried = await changeAs(service, operator, { action, change: 'retryEvents', request });
  if (id !== undefined && retried.length === 0) {
    throw new Refusal('not_found', { detail: 'No such event was set aside.' });
  }
  return { retried: retried.length, hasMore: retried.length === max };
}
