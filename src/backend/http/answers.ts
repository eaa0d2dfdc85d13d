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
  /** The body's text, or what makes it while it is sent; null where there is none. */
  body: Text | BodyStream | null;
  /** The player's address: what is not read is counted by it. The peer's counts if left out. */
  address?: string | undefined;
}

/**
 * A text, or its parts one after the other. Megabytes stay in parts: to put them together copies them, and holds up
 * everybody else meanwhile.
 */
export type Text = string | readonly string[];

/** A body that is made while it is sent, as fast as the client reads, because it may be too large to hold. */
export interface BodyStream {
  /** The next piece; null at the end. Where it rejects, the answer is cut off, so that nobody takes it for whole. */
  next(): Promise<Text | null>;
  /** Lets go of what it holds. Whoever has the answer calls it when no more is asked for; twice does no harm. */
  close(): void;
}

export function isStream(body: Answer['body']): body is BodyStream {
  return body !== null && typeof body === 'object' && 'next' in body;
}

/** The text in one. */
export function wholeText(text: Text): string {
  return typeof text === 'string' ? text : text.join('');
}

/** In UTF-16 units. */
export function lengthOfText(text: Text): number {
  return typeof text === 'string' ? text.length : text.reduce((sum, part) => sum + part.length, 0);
}

export function toResponse({ status, headers, body }: Answer): Response {
  const sent = isStream(body) ? readableOf(body) : body && wholeText(body);
  return new Response(sent, { status, headers: [...headers] });
}

function readableOf(body: BodyStream): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await body.next();
          if (piece !== null) return controller.enqueue(encoder.encode(wholeText(piece)));
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        body.close();
      },
      cancel: () => body.close(),
    },
    { highWaterMark: 0 },
  );
}

/** The same answer without its body, as HEAD has it. */
export function withoutBody(answer: Answer): Answer {
  if (isStream(answer.body)) answer.body.close();
  return { ...answer, body: null };
}

export function json(value: unknown): Answer {
  return jsonText(JSON.stringify(value));
}

/** For text that is JSON already: values go into answers letter for letter. */
export function jsonText(text: Text | BodyStream): Answer {
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
