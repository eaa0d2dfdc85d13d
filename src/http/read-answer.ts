import { InvalidAnswerError, type SdkError, ServiceError } from '../errors.js';
import { type AnswerCheck, checkProblem } from '../protocol/answer-checks.js';
import type { Problem } from '../protocol/problem.js';
import type { Received } from './read-whole.js';

/**
 * Reads a good answer and checks its form (null for one without a body). Throws InvalidAnswerError for another form, a
 * page too: a network's sign-in page answers 200 to everything, and must not be taken for a new password.
 */
export function readAnswer<Answer>(
  shape: AnswerCheck<Answer> | null,
  { status, requestId, json: answer }: Received,
): Answer {
  if (shape === null && answer === null) return undefined as Answer;
  const where = shape === null ? '' : shape(answer);
  if (where === null) return answer as Answer;
  const what = where === '' ? 'The answer' : `The answer's "${where}"`;
  throw new InvalidAnswerError(status, `${what} does not have the form that the interface describes.`, requestId);
}

/** A proxy in between answers these in its own words; they mean the same. */
const wordless: Partial<Record<number, { code: string; title: string }>> = {
  429: { code: 'rate_limited', title: 'Too many requests.' },
  503: { code: 'unavailable', title: 'The service is not available.' },
};

/** Reads a refusal. */
export function readRefusal({ status, requestId, retryAfterMs, json: answer }: Received): SdkError {
  const problem = checkProblem(answer) === null ? (answer as Problem) : wordless[status];
  if (problem === undefined) {
    return new InvalidAnswerError(status, `The service answered ${status} without saying why.`, requestId);
  }
  return new ServiceError({ requestId, ...problem, retryAfterMs, status });
}
