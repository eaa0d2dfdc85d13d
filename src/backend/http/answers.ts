import { failures } from '../../protocol/failures.js';
import * as names from '../../protocol/headers.js';
import { mediaTypes } from '../../protocol/headers.js';
import type { Refusal } from '../refusal.js';

/**
 * An answer before it is a Response. A port writes it as it is: to make and to read a Response costs more than all
 * else.
 */
export interface Answer {
  /** The HTTP status. */
  status: number;
  /** By their names as `protocol/headers.ts` spells them, each once. */
  headers: Map<string, string>;
  /** The body's text; null where there is none. */
  body: string | null;
}

export function toResponse({ status, headers, body }: Answer): Response {
  return new Response(body, { status, headers: [...headers] });
}

export function json(value: unknown): Answer {
  return jsonText(JSON.stringify(value));
}

/** For text that is JSON already: values go into answers letter for letter. */
export function jsonText(text: string): Answer {
  return { status: 200, headers: new Map([[names.contentType, mediaTypes.json]]), body: text };
}

export function empty(): Answer {
  return { status: 204, headers: new Map(), body: null };
}

/** The form of every failure (RFC 9457). It holds nothing that the request carried. */
export function problem(
  { code, details }: Pick<Refusal, 'code' | 'details'>,
  requestId: string,
  status: number = failures[code].status,
): Answer {
  const { allow, currentValueText, currentTimesText, ...shown } = details;
  const text = JSON.stringify({ type: 'about:blank', title: failures[code].title, status, code, ...shown, requestId });
  const headers = new Map<string, string>([[names.contentType, mediaTypes.problem]]);
  if (allow !== undefined) headers.set('Allow', allow);
  if (shown.retryAfterMs !== undefined) headers.set(names.retryAfter, String(Math.ceil(shown.retryAfterMs / 1000)));
  const value = currentValueText === undefined ? '' : `,"currentValue":${currentValueText}`;
  const times = currentTimesText === undefined ? '' : `,"currentTimes":${currentTimesText}`;
  return { status, headers, body: `${text.slice(0, -1)}${value}${times}}` };
}
