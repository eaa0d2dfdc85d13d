import * as headerNames from '../protocol/headers.js';
import { parseJson } from './parse-json.js';
import { isRedirect } from './redirects.js';
import { retryAfterOf } from './retry-after.js';
import { Unreachable } from './unreachable.js';
import { untilAborted } from './until-aborted.js';

/** The part of `fetch` that is needed: one request in, its response out. */
export type FetchLike = (request: Request) => Promise<Response>;

/** What came back, with its whole body. */
export interface Received {
  status: number;
  /** The service's name for the request. */
  requestId: string | undefined;
  /** How long the service asks to be left alone, in ms. */
  retryAfterMs: number | undefined;
  /** What the body says as JSON; undefined where it is none, null where there is no body. */
  json: unknown;
}

/** What was read of each response that goes through ky. */
const receivedOf = new WeakMap<Response, Received>();

/** What was read of a response that `readWhole` gave. */
export function receivedFrom(response: Response): Received {
  return receivedOf.get(response) as Received;
}

/** A response for ky, which looks at its status and at Retry-After. */
function responseFor(received: Received, extraMs: number): Response {
  const { status, retryAfterMs } = received;
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { [headerNames.retryAfter]: String((retryAfterMs + extraMs) / 1000) };
  const response = new Response(null, { status, headers });
  receivedOf.set(response, received);
  return response;
}

/**
 * Fetches a response with its whole body, so that the time-out of a try, which ends with this promise, covers the body
 * too. It leaves a fetch that is deaf to the request's signal.
 */
export async function readWhole(
  fetch: FetchLike,
  request: Request,
  options: { serverTime(): number; wasRefused(thrown: unknown): boolean; extraMs(): number },
): Promise<Response> {
  try {
    if (request.signal.aborted) throw new Unreachable(true);
    const response = await untilAborted(fetch(request), request.signal);
    if (isRedirect(response)) throw new Unreachable(false);
    const text = await untilAborted(response.text(), request.signal);
    const json = text === '' ? null : parseJson(text);
    const { status, headers } = response;
    const received: Received = {
      status,
      requestId: headers.get(headerNames.requestId) ?? undefined,
      retryAfterMs: retryAfterOf(headers, json, options.serverTime()),
      json,
    };
    return responseFor(received, options.extraMs());
  } catch (thrown) {
    throw new Unreachable(options.wasRefused(thrown));
  }
}
