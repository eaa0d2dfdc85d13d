import * as timeouts from '../protocol/gaps/request-timeouts.js';
import * as headerNames from '../protocol/headers.js';

/**
 * How long a service asks to be left alone, in ms, at most an hour: the milliseconds of its problem body, or the
 * header, which has seconds or a date. A date is read by the service's own clock: the response's `Date`, or `now` where
 * a page may not see that header.
 */
export function retryAfterOf(headers: Headers, json: unknown, now: number): number | undefined {
  const body = json as { retryAfterMs?: unknown } | null | undefined;
  const asked = typeof body?.retryAfterMs === 'number' ? body.retryAfterMs : fromHeader(headers, now);
  if (asked === undefined || Number.isNaN(asked)) return undefined;
  return Math.min(Math.max(0, asked), timeouts.retryAfterMaxMs);
}

/** The three forms that a date has in HTTP: RFC 9110, section 5.6.7. */
const httpDate = /^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i;

function fromHeader(headers: Headers, now: number): number | undefined {
  const header = headers.get(headerNames.retryAfter)?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  // `Date.parse` also finds a date, mostly one of long ago, in "-5", "1.5" and "1, 2", which say nothing.
  if (!httpDate.test(header)) return undefined;
  const sentAt = Date.parse(headers.get(headerNames.date) ?? '');
  return Date.parse(header) - (Number.isFinite(sentAt) ? sentAt : now);
}
