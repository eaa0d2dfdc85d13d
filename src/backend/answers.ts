import { failures } from '../protocol/failures.js';
import * as names from '../protocol/headers.js';
import { mediaTypes } from '../protocol/headers.js';
import type { Refusal } from './domain/refusal.js';

export function json(value: unknown): Response {
  return jsonText(JSON.stringify(value));
}

/** For answers that hold values as they were written. */
export function jsonText(text: string): Response {
  return new Response(text, { headers: { [names.contentType]: mediaTypes.json } });
}

export function empty(): Response {
  return new Response(null, { status: 204 });
}

/** The one form of a failure (RFC 9457). Nothing of the request is in it. */
export function problemOf(
  { code, details }: Pick<Refusal, 'code' | 'details'>,
  requestId: string,
  status: number = failures[code].status,
): Response {
  const { allow, currentValueText, ...shown } = details;
  const text = JSON.stringify({ type: 'about:blank', title: failures[code].title, status, code, ...shown, requestId });
  const headers = new Headers({ [names.contentType]: mediaTypes.problem });
  if (allow !== undefined) headers.set('Allow', allow);
  if (shown.retryAfterMs !== undefined) headers.set(names.retryAfter, String(Math.ceil(shown.retryAfterMs / 1000)));
  const body = currentValueText === undefined ? text : `${text.slice(0, -1)},"currentValue":${currentValueText}}`;
  return new Response(body, { status, headers });
}
