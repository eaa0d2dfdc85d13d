import type { FetchLike } from '../../http/read-whole.js';
import { type WebhookKind, webhookKinds } from '../../protocol/webhooks.js';

/** Where a game's back end is told what happens to its players' accounts. */
export interface WebhookOptions {
  /**
   * The address that events are posted to: http or https, without a user name or password. The requests are signed by
   * the first of the game's `privateKeys`, and `verifyRequest` of `savepoint/server` checks them.
   */
  url: string;
  /** Which kinds of events are told; all by default. */
  events?: readonly WebhookKind[];
  /** Sends the requests; the platform's own by default. */
  fetch?: FetchLike;
}

/** A webhook as the service knows it. */
export interface Webhook {
  url: URL;
  events: readonly WebhookKind[];
  fetch: FetchLike | undefined;
}

export function createWebhook({ url, events = webhookKinds, fetch }: WebhookOptions): Webhook {
  return { url: new URL(url), events, fetch };
}

/** What is wrong with the option, and what it must be; null where nothing is. */
export function webhookProblem(webhook: WebhookOptions): { option: string; what: string } | null {
  if (typeof webhook !== 'object' || webhook === null) return { option: '', what: 'an object with a url' };
  const { url, events, fetch } = webhook;
  if (!isWebhookAddress(url)) return { option: '.url', what: 'an http(s) address without a user name and password' };
  const known: readonly string[] = webhookKinds;
  const isList = events === undefined || (Array.isArray(events) && events.length > 0);
  if (!isList || events?.some((kind) => !known.includes(kind)) === true) {
    return { option: '.events', what: `a list of at least one of ${webhookKinds.join(', ')}` };
  }
  return fetch === undefined || typeof fetch === 'function' ? null : { option: '.fetch', what: 'a function' };
}

function isWebhookAddress(text: unknown): boolean {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
