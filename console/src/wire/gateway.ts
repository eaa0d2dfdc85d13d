/** The one way in which the page asks: the SDK's sender, with the session's cookie in the place of a key. */
import type { ServiceWords } from '../../../src/cli/console/words/words.js';
import { createSender, type Sender } from '../../../src/http/sender.js';
import { checkedBy } from '../../../src/protocol/schema-check.js';
import { type AdminClient, assembleAdminClient } from '../../../src/server/create-admin-client.js';
import {
  clockAnswer,
  type FaultPlan,
  faultPlansAnswer,
  type LimitsInUse,
  limitsAnswer,
  overviewAnswer,
  type PlannedFaults,
  type ServiceOverview,
  type Session,
  sessionAnswer,
  wordsAnswer,
} from './messages.js';

/** What the page asks of the gateway. Everything fails with an `SdkError`. */
export interface Gateway {
  /** Who is signed in. */
  session(): Promise<Session>;
  signIn(key: string): Promise<Session>;
  openLink(link: string): Promise<Session>;
  signOut(): Promise<void>;
  overview(signal: AbortSignal): Promise<ServiceOverview>;
  limits(signal: AbortSignal): Promise<LimitsInUse>;
  /** What the service says, in another language than English. */
  words(language: string): Promise<ServiceWords>;
  faults(signal: AbortSignal): Promise<PlannedFaults>;
  planFaults(plans: readonly FaultPlan[]): Promise<FaultPlan[]>;
  clock(signal: AbortSignal): Promise<{ now: number; offsetMs: number }>;
  moveClock(moveMs: number): Promise<{ now: number; offsetMs: number }>;
  /** Empties the store of a service for development. */
  reset(): Promise<void>;
  /** The admin API, as whoever is signed in. */
  readonly admin: AdminClient;
}

/** Where the feed of requests is. */
export const requestsAddress = '/console/requests';

/** `csrf` gives the session's token; `onSignedOut` hears of an answer that says that nobody is signed in any more. */
export function createGateway(csrf: () => string | null, onSignedOut: () => void): Gateway {
  const send = createSender({
    fetch: async (request) => {
      const isSignIn = new URL(request.url).pathname.startsWith('/console/session');
      const response = await fetch(asOperator(request, csrf()));
      if (response.status === 401 && !isSignIn) onSignedOut();
      return response;
    },
  });
  const base = `${location.origin}/console`;
  const ask = asking(send, base);
  const readSession = checkedBy(sessionAnswer);
  const readClock = checkedBy(clockAnswer);
  const readPlans = checkedBy(faultPlansAnswer);

  return {
    session: () => ask('GET', '/session', readSession),
    signIn: (key) => ask('POST', '/session', readSession, { body: { key } }),
    openLink: (link) => ask('POST', '/session/link', readSession, { body: { link } }),
    signOut: () => ask<void>('DELETE', '/session', null),
    overview: (signal) => ask('GET', '/overview', checkedBy(overviewAnswer), { signal }),
    limits: (signal) => ask('GET', '/limits', checkedBy(limitsAnswer), { signal }),
    words: (language) => ask<ServiceWords>('GET', `/words/${language}`, checkedBy(wordsAnswer)),
    faults: (signal) => ask('GET', '/dev/faults', readPlans, { signal }),
    planFaults: async (plans) => (await ask('PUT', '/dev/faults', readPlans, { body: { plans } })).plans,
    clock: (signal) => ask('GET', '/dev/clock', readClock, { signal }),
    moveClock: (moveMs) => ask('POST', '/dev/clock', readClock, { body: { moveMs } }),
    reset: () => ask<void>('POST', '/dev/reset', null, { body: { confirm: 'reset' } }),
    // The page has no key: the gateway puts it in.
    admin: assembleAdminClient({ key: '', baseUrl: `${base}/api` }, send),
  };
}

type Method = Parameters<Sender>[0]['method'];

/** Asks the gateway itself. What changes something is sent once. */
function asking(send: Sender, base: string) {
  return <Answer>(
    method: Method,
    path: string,
    answer: Parameters<typeof send<Answer>>[0]['answer'],
    { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
  ): Promise<Answer> =>
    send<Answer>({
      method,
      url: base + path,
      answer,
      signal,
      mayRepeat: (failure) => method === 'GET' && failure.retryable,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}

/** The cookie says who asks, and the header that a page of this origin does. */
function asOperator(request: Request, csrf: string | null): Request {
  const headers = new Headers(request.headers);
  headers.delete('Authorization');
  if (csrf !== null && request.method !== 'GET') headers.set('Savepoint-Console', csrf);
  return new Request(request, { headers, credentials: 'same-origin' });
}
