import { lacksTextEncoder } from './text-encoder.js';

// Only after that one, which lets ky be loaded everywhere.

import ky, { HTTPError, TimeoutError } from 'ky';
import { NoAnswerError, type SdkError, ServiceError } from '../errors.js';
import type { AnswerCheck } from '../protocol/answer-checks.js';
import * as timeouts from '../protocol/gaps/request-timeouts.js';
import * as headerNames from '../protocol/headers.js';
import { mediaTypes } from '../protocol/headers.js';
import { startDeadline } from './deadline.js';
import { readAnswer, readRefusal } from './read-answer.js';
import { type FetchLike, readWhole, receivedFrom } from './read-whole.js';
import { checkHeaders } from './request-headers.js';
import { longestTimerMs } from './timers.js';
import { Unreachable } from './unreachable.js';
import { aborted, type FollowingSignal, followSignals, untilAborted } from './until-aborted.js';

export type { FetchLike } from './read-whole.js';

if (lacksTextEncoder) delete (globalThis as { TextEncoder?: unknown }).TextEncoder;

export interface SenderOptions {
  /** Sends each try; the platform's own by default. */
  fetch?: FetchLike | undefined;
  /** How long one try may take, headers and body, in ms; 10,000 by default. */
  timeoutMs?: number | undefined;
  /** This machine's clock, ms since 1970. */
  now?: (() => number) | undefined;
  /** The service's clock, where it is known: a date in Retry-After is read by it. */
  serverTime?: (() => number) | undefined;
  random?: (() => number) | undefined;
  /** The pause before a repeat, in ms, before jitter; `attempt` counts from 1. 300 ms, then twice as long each time. */
  backOffMs?: ((attempt: number) => number) | undefined;
  /**
   * Whether what fetch threw says that no connection was made, so that the request surely was not carried out. Browsers
   * do not tell, and then it counts as perhaps carried out.
   */
  wasRefused?: ((thrown: unknown) => boolean) | undefined;
}

export interface Call<Answer> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  /** A function is asked anew for each try: a signature holds for one request only. */
  headers?: Record<string, string> | (() => Promise<Record<string, string>>) | undefined;
  /** The exact text to send. */
  body?: string | undefined;
  /** The form of the answer; null for one without a body. */
  answer: AnswerCheck<Answer> | null;
  /**
   * Whether it is sent again by itself; by default wherever it may succeed, for doing it twice is doing it once.
   * `notCarriedOut`: it surely was not (429, 503, connection refused).
   */
  mayRepeat?: ((failure: SdkError, notCarriedOut: boolean) => boolean) | undefined;
  signal?: AbortSignal | undefined;
  /** Lets the request outlive its page. */
  keepalive?: boolean | undefined;
  /** May take a refusal for a success; `unanswered` says whether an earlier try got no answer. */
  accept?: ((error: ServiceError, unanswered: boolean) => { answer: Answer } | undefined) | undefined;
}

/**
 * Sends a call and gives back its checked answer. It fails with an `SdkError`; with a TypeError where a header cannot
 * be sent; and with what a function of headers throws.
 */
export type Sender = <Answer>(call: Call<Answer>) => Promise<Answer>;

/** Every 5xx, and 429: the same request may succeed later. */
const repeatedStatuses = [429, ...Array.from({ length: 100 }, (_, index) => 500 + index)];

/**
 * The one way in which a request of the SDKs leaves this package: ky times each try, repeats it, and waits in between.
 * Its errors hold the request with its Authorization header, so none of them leaves this function.
 */
export function createSender(options: SenderOptions = {}): Sender {
  const tryMs = Math.min(options.timeoutMs ?? timeouts.tryMs, longestTimerMs);
  const callMs = Math.max(timeouts.callMs, tryMs);
  const { now = Date.now, random = Math.random, wasRefused = () => false } = options;
  const serverTime = options.serverTime ?? now;
  const backOffMs = options.backOffMs ?? ((attempt: number) => timeouts.retryMinMs * 2 ** (attempt - 1));
  const fetchOnce = options.fetch ?? ((request: Request) => globalThis.fetch(request));

  return async function send<Answer>(call: Call<Answer>): Promise<Answer> {
    if (call.signal?.aborted === true) throw aborted();
    const deadline = startDeadline(call.signal, callMs, now);
    let currentTry: FollowingSignal | undefined;
    /** Whether an earlier try may have been carried out without an answer. */
    let unanswered = false;

    /**
     * What a try failed with, as an error of ours; null for what is none: a header that cannot be sent, and the like.
     */
    function failureOf(error: unknown): SdkError | null {
      if (call.signal?.aborted === true) return aborted();
      if (deadline.signal.aborted) return new NoAnswerError('timeout', `Not done within ${callMs} ms.`);
      if (error instanceof TimeoutError) return new NoAnswerError('timeout', `No answer within ${tryMs} ms.`);
      if (error instanceof Unreachable) return new NoAnswerError('network', 'The service could not be reached.');
      return error instanceof HTTPError ? readRefusal(receivedFrom(error.response)) : null;
    }

    /** Whether a try that failed is repeated; the pause is ky's to keep. */
    function isRepeated(error: unknown, attempt: number): boolean {
      // Its request would keep its connection otherwise. ky does not abort it where `AbortSignal.any` is missing. Nor
      // does it in Node 20 after a repeat: it sends a copy of the request then, and a copy forgets the signal that it
      // follows when memory is cleaned up.
      currentTry?.abort();
      const failure = failureOf(error);
      if (failure === null || deadline.signal.aborted) return false;
      if (failure instanceof ServiceError && call.accept?.(failure, unanswered) !== undefined) return false;
      const status = failure instanceof ServiceError ? failure.status : 500;
      const notCarriedOut = status === 429 || status === 503 || (error instanceof Unreachable && error.wasRefused);
      // A 5xx tells nothing about what was carried out before it.
      unanswered ||= !notCarriedOut && status >= 500;
      const asked = failure instanceof ServiceError ? failure.retryAfterMs : undefined;
      const isInTime = now() + (asked ?? backOffMs(attempt)) < deadline.at;
      return isInTime && (call.mayRepeat?.(failure, notCarriedOut) ?? failure.retryable);
    }

    try {
      const answered = ky(call.url, {
        method: call.method,
        body: call.body ?? null,
        keepalive: call.keepalive ?? false,
        redirect: 'manual',
        credentials: 'omit',
        cache: 'no-store',
        signal: deadline.signal,
        timeout: tryMs,
        fetch: async (request) => {
          currentTry = followSignals(deadline.signal);
          const headers = await headersOf(call);
          const own = new Request(request as Request, { headers, signal: currentTry.signal });
          return readWhole(fetchOnce, own, { serverTime, wasRefused, extraMs });
        },
        retry: {
          limit: timeouts.tries - 1,
          methods: ['get', 'post', 'patch', 'delete'],
          statusCodes: repeatedStatuses,
          afterStatusCodes: repeatedStatuses,
          maxRetryAfter: callMs,
          retryOnTimeout: true,
          delay: backOffMs,
          // At least half of the pause, so that a service that fails is not asked by all at once.
          jitter: (ms) => ms * (0.5 + random() / 2),
          backoffLimit: timeouts.retryMaxMs,
          shouldRetry: ({ error, retryCount }) => (isRepeated(error, retryCount) ? undefined : false),
        },
      });
      const response = await untilAborted(answered, deadline.signal);
      return readAnswer(call.answer, receivedFrom(response));
    } catch (error) {
      const failure = failureOf(error);
      if (failure instanceof ServiceError) {
        const accepted = call.accept?.(failure, unanswered);
        if (accepted !== undefined) return accepted.answer;
        // What the last try was told is not true of an earlier one.
        if (unanswered) Object.defineProperty(failure, 'mayBeCarriedOut', { value: true });
      }
      throw failure ?? error;
    } finally {
      deadline.stop();
    }
  };

  /** Retry-After is the least: what is added to it keeps clients from coming back in step. */
  function extraMs(): number {
    return timeouts.retryMinMs * random();
  }
}

/** The headers of one try. */
async function headersOf({ body, headers }: Call<unknown>): Promise<Headers> {
  return checkHeaders({
    accept: `${mediaTypes.json}, ${mediaTypes.problem}`,
    ...(body === undefined ? {} : { [headerNames.contentType]: mediaTypes.json }),
    ...(typeof headers === 'function' ? await headers() : headers),
  });
}
