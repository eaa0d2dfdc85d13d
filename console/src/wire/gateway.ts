/** The one way in which the page asks: the SDK's sender, with the session's cookie in the place of a key. */
import type { ServiceWords } from '../../../src/cli/console/words/words.js';
import { createSender, type Sender } from '../../../src/http/sender.js';
import { checkedBy } from '../../../src/protocol/schema-check.js';
import { type AdminClient, assembleAdminClient } from '../../../src/server/create-admin-client.js';
import {
  clockAnswer,
  type FaultPlan,
  faultPlansAnswer,
  isSameOperator,
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
  /** Looks whether somebody is still signed in; whoever is not is led to sign in. It does not fail. */
  checkSession(): Promise<void>;
  overview(signal: AbortSignal): Promise<ServiceOverview>;
  limits(signal: AbortSignal): Promise<LimitsInUse>;
  /** What the service says, in another language than English. */
  words(language: string): Promise<ServiceWords>;
  faults(signal?: AbortSignal): Promise<PlannedFaults>;
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

/** What the page keeps of its session, for the gateway to read and to renew. */
export interface SessionHolder {
  /** Who is signed in as far as the page knows; null before it has asked. */
  current(): Session | null;
  /** Takes a session that was read again. */
  renew(session: Session): void;
  /** Hears of an answer that says that nobody is signed in any more. */
  onSignedOut(): void;
}

/** Asks as whoever is signed in. */
export function createGateway(held: SessionHolder): Gateway {
  const send = createSender({
    fetch: async (request) => {
      const isSignIn = new URL(request.url).pathname.startsWith('/console/session');
      const mayBeOld = !isSignIn && request.method !== 'GET';
      // Its body can be read once, and may be needed twice.
      const again = mayBeOld ? request.clone() : null;
      const before = held.current();
      const response = await fetch(asOperator(request, before?.csrf ?? null));
      if (response.status === 401 && !isSignIn) held.onSignedOut();
      if (again === null || !(await isForbidden(response))) return response;
      const renewed = await renewedToken(before, again.signal);
      return renewed === null ? response : fetch(asOperator(again, renewed));
    },
  });

  /**
   * The token that counts now, where another one was sent: the service was started again, or the same operator has signed
   * in in another tab. Null where that was no reason to refuse, and where somebody else has signed in: nothing is changed
   * in the name of an operator whom this page has not shown.
   */
  async function renewedToken(before: Session | null, signal: AbortSignal): Promise<string | null> {
    const found = await renewed(signal);
    if (found === null || found.operator === null) return null;
    return isSameOperator(found, before) && found.csrf !== before?.csrf ? found.csrf : null;
  }

  /** Reads who is signed in; null where the service does not say. */
  async function renewed(signal?: AbortSignal): Promise<Session | null> {
    const found = await ask('GET', '/session', readSession, { signal }).catch(() => null);
    if (found?.operator === null) held.onSignedOut();
    else if (found !== null) held.renew(found);
    return found;
  }

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
    checkSession: async () => void (await renewed()),
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
    { body, signal }: { body?: unknown; signal?: AbortSignal | undefined } = {},
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

/** Whether the console's server has refused a request for what it lacks, before anything was carried out. */
async function isForbidden(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const refusal: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return typeof refusal === 'object' && refusal !== null && 'code' in refusal && refusal.code === 'forbidden';
}

/** The cookie says who asks, and the header that a page of this origin does. */
function asOperator(request: Request, csrf: string | null): Request {
  const headers = new Headers(request.headers);
  headers.delete('Authorization');
  if (csrf !== null && request.method !== 'GET') headers.set('Savepoint-Console', csrf);
  return new Request(request, { headers, credentials: 'same-origin' });
}
