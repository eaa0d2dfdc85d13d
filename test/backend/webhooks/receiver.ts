import { verifyRequest } from 'savepoint/server';
import type { WebhookEvent } from '../../../src/protocol/webhooks.js';
import { testPrivateKey } from '../../support/service.js';

/** A game's back end, as its webhook reaches it. */
export interface Receiver {
  /** For the webhook: as `fetch`, without a network. */
  fetch(request: Request): Promise<Response>;
  /** All that was received and verified, in its order. */
  received: WebhookEvent[];
  /** The requests as they came. */
  requests: { url: string; method: string; body: string; headers: Headers; redirect: string }[];
}

/** `answer` says for the n-th request, from 0 up, what it is answered after it was received; with 'lost' it never arrives. */
export function createReceiver(
  now: () => number,
  answer: (n: number) => Response | 'lost' | Promise<Response> = () => new Response(null, { status: 204 }),
): Receiver {
  const received: WebhookEvent[] = [];
  const requests: Receiver['requests'] = [];
  return {
    received,
    requests,
    async fetch(request) {
      const { url, method, headers, redirect } = request;
      const body = await request.text();
      const n = requests.push({ url, method, body, headers, redirect }) - 1;
      const answered = answer(n);
      if (answered === 'lost') throw new TypeError('fetch failed');
      const verified = await verifyRequest({ privateKeys: [testPrivateKey], headers, body, now: now() });
      if (!verified.ok) return new Response(null, { status: 401 });
      received.push(JSON.parse(body) as WebhookEvent);
      return answered;
    },
  };
}
