import { InvalidAnswerError, type SdkError, ServiceError } from '../errors.js';
import { problemShape, type Shape } from '../protocol/answer-checks.js';
import type { Problem } from '../protocol/failures.js';
import * as headerNames from '../protocol/headers.js';

export interface Received {
  response: Response;
  text: string;
  /** Ms since 1970. */
  now: number;
}

/** Checks an answer against its shape (null for one without a body), or throws what it says has gone wrong. */
export function readAnswer<Answer>(shape: Shape<Answer> | null, received: Received): Answer {
  const { response, text } = received;
  const requestId = response.headers.get(headerNames.requestId) ?? undefined;
  if (!response.ok) throw refusal(received, requestId);
  if (shape === null) return undefined as Answer;
  const answer = parseJson(text);
  const where = shape(answer);
  if (where === null) return answer as Answer;
  const what = where === '' ? 'The answer' : `The answer's "${where}"`;
  throw new InvalidAnswerError(
    response.status,
    `${what} does not have the form that the interface describes.`,
    requestId,
  );
}

/** A proxy in between answers these in its own words; they mean the same. */
const wordless: Partial<Record<number, { code: string; title: string }>> = {
  429: { code: 'rate_limited', title: 'Too many requests.' },
  503: { code: 'unavailable', title: 'The service is not available.' },
};

function refusal({ response, text, now }: Received, requestId: string | undefined): SdkError {
  const { status } = response;
  const answer = parseJson(text);
  const problem = problemShape(answer) === null ? (answer as Problem) : wordless[status];
  if (problem === undefined) {
    return new InvalidAnswerError(status, `The service answered ${status} without saying why.`, requestId);
  }
  return new ServiceError({ requestId, retryAfterMs: readRetryAfter(response, now), ...problem, status });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds, or a date, as HTTP has them. */
function readRetryAfter(response: Response, now: number): number | undefined {
  const header = response.headers.get(headerNames.retryAfter)?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const ms = Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
