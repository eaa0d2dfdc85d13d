import { NoAnswerError, type SdkError, ServiceError } from '../errors.js';
import type { Shape } from '../protocol/answer-checks.js';
import { timeouts } from '../protocol/gaps/timeouts.js';
import * as headerNames from '../protocol/headers.js';
import { mediaTypes } from '../protocol/headers.js';
import { pauseAfter } from './pause.js';
import { readAnswer } from './read-answer.js';
import { aborted, untilAborted } from './until-aborted.js';

/** The part of `fetch` that is needed. */
export type FetchLike = (request: Request) => Promise<Response>;

export interface SenderOptions {
  fetch?: FetchLike | undefined;
  /** For one try; Spec gap: 10 s, 3 tries, 30 s in all. */
  timeoutMs?: number | undefined;
  random?: (() => number) | undefined;
  now?: (() => number) | undefined;
  wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
  /**
   * Whether what fetch threw says that no connection was made, so that the request surely was not carried out. Browsers do
   * not tell, and then it counts as perhaps carried out.
   */
  wasRefused?: ((thrown: unknown) => boolean) | undefined;
}

export interface Call<Answer> {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  /** A function is asked anew for each try: a signature holds for one request only. */
  headers?: Record<string, string> | (() => Promise<Record<string, string>>) | undefined;
  /** The exact text to send. */
  body?: string | undefined;
  /** The form of the answer; null for one without a body. */
  answer: Shape<Answer> | null;
  /**
   * Whether it is sent again by itself; by default wherever it may succeed, for doing it twice is doing it once. `notCarriedOut`:
   * it surely was not (429, 503, connection refused).
   */
  mayRepeat?: ((failure: SdkError, notCarriedOut: boolean) => boolean) | undefined;
  signal?: AbortSignal | undefined;
  /** Lets the request outlive its page. */
  keepalive?: boolean | undefined;
  /** May take a refusal for a success; `unanswered` says whether an earlier try got no answer. */
  accept?: ((error: ServiceError, unanswered: boolean) => { answer: Answer } | undefined) | undefined;
}

/** Sends a call and gives back its checked answer; fails with an `SdkError` only. */
export type Sender = <Answer>(call: Call<Answer>) => Promise<Answer>;

/** Timers take no more: a longer one would be over at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The one way in which a request leaves this package. */
export function createSender(options: SenderOptions = {}): Sender {
  const tryMs = Math.min(options.timeoutMs ?? timeouts.tryMs, longestTimerMs);
  const callMs = Math.max(timeouts.callMs, tryMs);
  const now = options.now ?? Date.now;
  const random = options.random ?? Math.random;
  const wait = options.wait ?? delay;
  const fetchOnce = options.fetch ?? ((request: Request) => globalThis.fetch(request));

  /** `threw` hears what fetch has thrown. */
  async function sendOnce<Answer>(
    call: Call<Answer>,
    timeoutMs: number,
    threw: (error: unknown) => void,
  ): Promise<Answer> {
    if (isAborted(call.signal)) throw aborted();
    const headers = typeof call.headers === 'function' ? await call.headers() : call.headers;
    // One clock for the headers and the body: a body that never ends must not outlive the try.
    const expired = new AbortController();
    const timer = setTimeout(() => expired.abort(), timeoutMs);
    const signal = call.signal === undefined ? expired.signal : AbortSignal.any([call.signal, expired.signal]);
    let response: Response;
    let text: string;
    try {
      const request = new Request(call.url, {
        method: call.method,
        headers: {
          accept: `${mediaTypes.json}, ${mediaTypes.problem}`,
          ...(call.body === undefined ? {} : { [headerNames.contentType]: mediaTypes.json }),
          ...headers,
        },
        body: call.body ?? null,
        keepalive: call.keepalive ?? false,
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
        signal,
      });
      response = await untilAborted(fetchOnce(request), signal);
      text = await untilAborted(response.text(), signal);
    } catch (error) {
      // What fetch throws stays here: where the game brings its own, it can carry the Authorization header.
      if (isAborted(call.signal)) throw aborted();
      if (isAborted(expired.signal)) throw new NoAnswerError('timeout', `No answer within ${timeoutMs} ms.`);
      threw(error);
      throw new NoAnswerError('network', 'The service could not be reached.');
    } finally {
      clearTimeout(timer);
    }
    return readAnswer(call.answer, { response, text, now: now() });
  }

  return async function send<Answer>(call: Call<Answer>): Promise<Answer> {
    const deadline = now() + callMs;
    let unanswered = false;
    for (let attempt = 1; ; attempt += 1) {
      let refused = false;
      const threw = (error: unknown): void => {
        refused = options.wasRefused?.(error) === true;
      };
      try {
        const timeoutMs = Math.min(tryMs, Math.max(1, deadline - now()));
        return await sendOnce(call, timeoutMs, threw);
      } catch (error) {
        const failure = error as SdkError;
        const status = error instanceof ServiceError ? error.status : 500;
        if (error instanceof ServiceError) {
          const accepted = call.accept?.(error, unanswered);
          if (accepted !== undefined) return accepted.answer;
        }
        const notCarriedOut = refused || status === 429 || status === 503;
        // A 5xx tells nothing about what was carried out before it.
        unanswered ||= !notCarriedOut && status >= 500;
        const waitMs = pauseAfter(attempt, failure, [timeouts.retryMinMs, timeouts.retryMaxMs], random);
        const mayRepeat = call.mayRepeat?.(failure, notCarriedOut) ?? failure.retryable;
        if (!mayRepeat || attempt >= timeouts.tries || now() + waitMs >= deadline) throw failure;
        await wait(waitMs, call.signal ?? new AbortController().signal);
      }
    }
  };
}

/** A function, because the compiler would remember the answer of a property across an await. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done);
  });
}
