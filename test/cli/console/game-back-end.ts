import { createBackend, type Store } from 'savepoint/backend';
import { serve } from 'savepoint/backend/node';
import { verifyRequest } from 'savepoint/server';
import { createSender } from '../../../src/http/sender.js';
import { pathOf } from '../../../src/protocol/addresses.js';
import type { Environment } from '../../../src/protocol/environments.js';
import { webhookDefaults } from '../../../src/protocol/gaps/webhooks.js';
import { operations } from '../../../src/protocol/operations.js';
import type { WebhookEvent } from '../../../src/protocol/webhooks.js';
import { assembleAdminClient } from '../../../src/server/create-admin-client.js';
import { testOperatorKey } from '../../support/operators.js';

interface Game {
  gameId: string;
  privateKey: string;
  /** The service's clock. */
  now(): number;
}

/** The back end of a game, on a port of its own. */
export interface GameBackEnd {
  webhook: { url: string };
  /** The events that it was told and whose signature held. */
  heard: readonly WebhookEvent[];
  close(): Promise<void>;
}

export async function startGameBackEnd({ privateKey, now }: Pick<Game, 'privateKey' | 'now'>): Promise<GameBackEnd> {
  const heard: WebhookEvent[] = [];
  const receive = async (request: Request): Promise<Response> => {
    const body = await request.text();
    const { ok } = await verifyRequest({ privateKeys: [privateKey], headers: request.headers, body, now: now() });
    if (ok) heard.push(JSON.parse(body) as WebhookEvent);
    return new Response(null, { status: ok ? 204 : 401 });
  };
  const { url, close } = await serve({ fetch: receive }, { port: 0, host: '127.0.0.1' });
  return { webhook: { url: `${url}/hooks` }, heard, close };
}

/**
 * Lets a service on this store be without the game's back end for days, so that the ban of a player is set aside; gives the
 * player's id. By now nobody tries to tell it any more.
 */
export async function leaveDeadEvent({
  store,
  environment,
  gameId,
  privateKey,
  now,
}: Game & { store: Store; environment: Environment }): Promise<string> {
  const { webhookTries, webhookRetryMaxMs } = webhookDefaults;
  let time = now() - 2 * webhookTries * webhookRetryMaxMs;
  const webhook = { url: 'https://game.test/hooks', fetch: async () => new Response(null, { status: 503 }) };
  const games = [{ id: gameId, privateKeys: [privateKey], webhook }];
  const backend = createBackend({ store, games, operatorKey: testOperatorKey, clock: () => time });
  const send = createSender({ fetch: (request) => backend.fetch(request) });
  const admin = assembleAdminClient({ key: testOperatorKey, baseUrl: 'http://service.test' }, send);
  const signedIn = await backend.fetch(
    new Request(`http://service.test${pathOf(operations.signInAsGuest, {})}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ game_id: gameId, env: environment, device_id: crypto.randomUUID() }),
    }),
  );
  const { userId } = (await signedIn.json()) as { userId: string };
  await admin.players({ gameId, environment }).ban(userId, { reason: 'while nobody heard of it' });
  for (let tries = 0; tries < webhookTries; tries += 1) {
    await backend.deliverWebhooks();
    time += webhookRetryMaxMs;
  }
  return userId;
}
