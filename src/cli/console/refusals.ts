import { problem, toResponse } from '../../backend/http/answers.js';
import { Refusal } from '../../backend/refusal.js';
import { isStoreUnavailable } from '../../backend/stores/unavailable.js';
import { busyRetryMs } from '../../protocol/gaps/retry-hints.js';
import { mediaTypes } from '../../protocol/headers.js';
import { newUuid } from '../../protocol/ids.js';

/** The console refuses what the browser's protections do not vouch for. The service itself has no such code. */
export class Forbidden extends Error {
  override readonly name = 'Forbidden';
}

/**
 * The answer to a request that failed: a problem document, as those of the service. `report` is
 * told of what nobody expects.
 */
export function refusalAnswer(error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof Forbidden) return forbidden(error.message);
  if (error instanceof Refusal) return toResponse(problem(error, newRequestId()));
  report(error);
  if (!isStoreUnavailable(error)) return toResponse(problem(new Refusal('internal'), newRequestId()));
  return toResponse(problem(new Refusal('unavailable', { retryAfterMs: busyRetryMs }), newRequestId()));
}

function forbidden(detail: string): Response {
  const title = 'The console does not take this request.';
  const body = { type: 'about:blank', title, status: 403, code: 'forbidden', detail };
  return new Response(JSON.stringify(body), { status: 403, headers: { 'Content-Type': mediaTypes.problem } });
}

function newRequestId(): string {
  return newUuid(crypto.getRandomValues(new Uint8Array(16)));
}
