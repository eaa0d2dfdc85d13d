import { requestJson, UnusableAnswer } from '../../http/request-json.js';
import type { NetworkRequest } from '../providers/request-verifier.js';
import { DoesNotHold, UnknownAnswer } from './check.js';
import type { PlatformSurroundings } from './preset.js';

/** What a question to a platform takes besides the request. */
interface Question extends NetworkRequest {
  /** The statuses by which the platform says that the token does not hold. */
  refusals?: readonly number[];
  /** The statuses besides 2xx whose body is an answer. */
  answers?: readonly number[];
}

/** Asks a platform about a token. Throws DoesNotHold for a refusal, and others where there is no usable answer. */
export async function ask(
  { url, refusals = [], ...request }: Question,
  surroundings: PlatformSurroundings,
): Promise<unknown> {
  try {
    return await requestJson(new URL(url), request, surroundings);
  } catch (error) {
    if (!(error instanceof UnusableAnswer) || !refusals.includes(error.status)) throw error;
    throw new DoesNotHold(`The platform refuses it (${error.status}).`);
  }
}

/**
 * What stands at a path of an answer, which leads by the names of members, and by numbers in
 * lists; undefined if nothing.
 */
export function valueAt(answer: unknown, path: readonly string[]): unknown {
  let value = answer;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as { [name: string]: unknown })[name];
  }
  return value;
}

/** A text at a path where the platform's documentation promises one. */
export function textAt(answer: unknown, ...path: string[]): string {
  const value = valueAt(answer, path);
  if (typeof value === 'string' && value !== '') return value;
  throw new UnknownAnswer(`The answer has no "${path.join('.')}", which the platform documents.`);
}

/** Whether a header can carry it: then no line of it can be taken for another header. */
export function fitsHeader(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}
