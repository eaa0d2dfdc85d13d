import { InvalidAnswerError, type SdkError, ServiceError } from '../errors.js';
import { problemShape, type Shape } from '../protocol/answer-shapes.js';
import type { Problem } from '../protocol/failures.js';
import { headers as headerNames } from '../protocol/headers.js';

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

function refusal({ response, text, now }: Received, requestId: string | undefined): SdkError {
  const problem = parseJson(text);
  const retryAfterMs = readRetryAfter(response, now);
  if (problemShape(problem) === null) {
    return new ServiceError({ ...(problem as Problem), status: response.status }, { retryAfterMs, requestId });
  }
  // A proxy in between answers 429 and 503 in its own words; they mean the same.
  const code = response.status === 429 ? 'rate_limited' : response.status === 503 ? 'unavailable' : null;
  if (code === null) {
    return new InvalidAnswerError(
      response.status,
      `The service answered ${response.status} without saying why.`,
      requestId,
    );
  }
  const title = code === 'rate_limited' ? 'Too many requests.' : 'The service is not available.';
  return new ServiceError({ type: 'about:blank', title, status: response.status, code }, { retryAfterMs, requestId });
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
