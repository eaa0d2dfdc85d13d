import * as headerNames from '../protocol/headers.js';
import { retryAfterOf } from './retry-after.js';
import { Unreachable } from './unreachable.js';
import { untilAborted } from './until-aborted.js';

/** The part of `fetch` that is needed: one request in, its response out. */
export type FetchLike = (request: Request) => Promise<Response>;

/** What came back, with its whole body. */
export interface Received {
  status: number;
  isOk: boolean;
  /** The service's name for the request. */
  requestId: string | undefined;
  /** How long the service asks to be left alone, in ms. */
  retryAfterMs: number | undefined;
  text: string;
}

/** Timers take no more: a longer one would be over at once. */
export const longestTimerMs = 2 ** 31 - 1;

const nullBodyStatuses = [101, 103, 204, 205, 304];

/** What was read of each response that goes through ky. */
const receivedOf = new WeakMap<Response, Received>();

/** What was read of a response that `readWhole` gave. */
export function receivedFrom(response: Response): Received {
  return receivedOf.get(response) as Received;
}

/** A response for ky, which looks at its status and at Retry-After. */
function responseFor(received: Received, extraMs: number): Response {
  const { status, retryAfterMs, text } = received;
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { [headerNames.retryAfter]: String((retryAfterMs + extraMs) / 1000) };
  const response = new Response(nullBodyStatuses.includes(status) ? null : text, { status, headers });
  receivedOf.set(response, received);
  return response;
}

/**
 * Fetches a response with its whole body, so that the time-out of a try, which ends with this promise, covers the body too.
 * It leaves a fetch that is deaf to the request's signal.
 */
export async function readWhole(
  fetch: FetchLike,
  request: Request,
  options: { serverTime(): number; wasRefused(thrown: unknown): boolean; extraMs(): number },
): Promise<Response> {
  try {
    if (request.signal.aborted) throw new Unreachable(true);
    const response = await untilAborted(fetch(request), request.signal);
    const text = await untilAborted(response.text(), request.signal);
    const { status, ok, headers } = response;
    const received: Received = {
      status,
      isOk: ok,
      requestId: headers.get(headerNames.requestId) ?? undefined,
      retryAfterMs: retryAfterOf(headers, text, options.serverTime()),
      text,
    };
    return responseFor(received, options.extraMs());
  } catch (thrown) {
    throw new Unreachable(options.wasRefused(thrown));
  }
}
