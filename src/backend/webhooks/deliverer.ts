import { requestText, UnusableAnswer } from '../../http/request-json.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { signingDefaults } from '../../protocol/gaps/signing.js';
import { webhookDefaults } from '../../protocol/gaps/webhooks.js';
import * as headers from '../../protocol/headers.js';
import { mediaTypes, signedHeaders } from '../../protocol/headers.js';
import { encodeSignature, hmac, nonceFrom, signedText } from '../../protocol/signing.js';
import type { WebhookEvent } from '../../protocol/webhooks.js';
import type { Game } from '../game.js';
import type { Service } from '../service.js';
import type { EventRecord } from '../stores/event-requests.js';
import type { Webhook } from './webhook.js';

const { webhookTries, webhookRetryMinMs, webhookRetryMaxMs, webhookLeaseMs, webhooksAtOnce, webhookTimeoutMs } =
  webhookDefaults;

/** A game that is told what happens. */
type ToldGame = Game & { webhook: Webhook };

/** The games that have a webhook, by their ids. */
export function toldGames({ games }: Service): string[] {
  return [...games.values()].filter(isTold).map(({ id }) => id);
}

function isTold(game: Game): game is ToldGame {
  return game.webhook !== null;
}

/** Delivers to all games, as `deliverToGame`; settles with the slowest of them. */
export async function deliverWebhooks(service: Service, signal?: AbortSignal): Promise<number> {
  const counts = await Promise.all(toldGames(service).map((gameId) => deliverToGame(service, gameId, signal)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Delivers all events of a game that are due, and answers how many were delivered. Events of one account go one after
 * the other; some go at once. Where `signal` aborts, nothing more is begun, and what has begun is ended.
 */
export async function deliverToGame(
  service: Service,
  gameId: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const { store, games } = service;
  const game = games.get(gameId);
  if (game === undefined || !isTold(game)) return 0;
  let delivered = 0;
  while (signal?.aborted !== true) {
    await service.webhookQueues.look(game.id);
    const now = service.now();
    const claim = { gameId: game.id, now, leaseUntil: now + webhookLeaseMs, max: webhooksAtOnce };
    const events = await store.claimEvents(claim);
    if (events.length === 0) break;
    const failures = (await Promise.all(events.map((event) => deliverEvent(service, game, event)))).filter(
      (failure) => failure !== null,
    );
    delivered += events.length - failures.length;
    if (failures.length === 0) continue;
    // Once for all, and of an error its name alone: there may be many, and a message may hold the address.
    service.report(`Webhooks of the game ${game.id} could not be delivered, and are tried again.`, failures[0]);
    // Nobody listens: the others wait for the next time.
    if (failures.length === events.length) break;
  }
  return delivered;
}

/**
 * Null where it was delivered. A process that dies before the last step delivers once more: the receiver knows the id.
 */
async function deliverEvent(service: Service, game: ToldGame, event: EventRecord): Promise<Error | null> {
  const { store, now } = service;
  try {
    await post(service, game, JSON.stringify(bodyOf(event)));
  } catch (error) {
    const attempts = event.attempts + 1;
    const isDead = attempts >= webhookTries;
    const status = error instanceof UnusableAnswer ? error.status : null;
    const failed = { status, dueAt: now() + pauseAfter(attempts), deadAt: isDead ? now() : null };
    await store.settleEvent({ event, failed });
    return error instanceof Error ? error : new Error('The receiver threw something else.');
  }
  await store.settleEvent({ event, failed: null });
  return null;
}

async function post(service: Service, { webhook, keys }: ToldGame, body: string): Promise<void> {
  const [key] = await keys.signing();
  if (key === undefined) throw new TypeError('The game has no key.');
  const timestamp = String(service.now());
  const nonce = nonceFrom(service.random(signingDefaults.nonceLength));
  const signature = encodeSignature(await hmac(key, signedText(timestamp, nonce, body)));
  await requestText(
    webhook.url,
    {
      method: 'POST',
      headers: {
        [headers.contentType]: mediaTypes.json,
        [signedHeaders.signature]: signature,
        [signedHeaders.timestamp]: timestamp,
        [signedHeaders.nonce]: nonce,
      },
      body,
    },
    { fetch: webhook.fetch, timeoutMs: webhookTimeoutMs },
  );
}

function bodyOf(event: EventRecord): WebhookEvent {
  const { eventId: id, kind, gameId, environment: env, accountId: userId, at, ordinal: sequence, details } = event;
  return { id, kind, gameId, env, userId, at, sequence, ...details, ...removalOf(event) };
}

/** When an account is removed for good that nothing restores before. */
function removalOf({ kind, at }: EventRecord): Pick<WebhookEvent, 'removedAt'> {
  if (kind === 'deleted') return { removedAt: at + accountDefaults.deletionGraceMs };
  return kind === 'orphaned' ? { removedAt: at + accountDefaults.orphanKeptMs } : {};
}

function pauseAfter(attempts: number): number {
  return Math.min(webhookRetryMaxMs, webhookRetryMinMs * 2 ** (attempts - 1));
}
