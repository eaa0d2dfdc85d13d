import { writeEntry } from '../http/entries.js';
import type { Call, Sender } from '../http/sender.js';
import { type HttpMethod, type PathParameters, pathOf } from '../protocol/addresses.js';
import type { AnswerCheck } from '../protocol/answer-checks.js';
import type { Environment } from '../protocol/environments.js';
import * as headers from '../protocol/headers.js';
import { readObject, readSignal } from './options.js';

/** An operation, or one whose path is filled in. */
export interface AdminOperation {
  readonly method: HttpMethod;
  readonly path: string;
}

/** What a request of an operator is, besides its address. */
export interface AdminCall<Answer> {
  /** The operation, with its path filled in. */
  operation: AdminOperation;
  /** What stands behind the path; a member that is undefined is left out. */
  query?: { readonly [name: string]: string | number | undefined };
  body?: unknown;
  /** The form of the answer; null for one without a body. */
  answer: AnswerCheck<Answer> | null;
  signal: AbortSignal | undefined;
  mayRepeat?: Call<Answer>['mayRepeat'];
}

export type AskAsOperator = <Answer>(call: AdminCall<Answer>) => Promise<Answer>;

/** A write of an entry, as `writeEntry` sends it. */
export interface AdminWrite {
  path: string;
  environment: Environment;
  valueText: string;
  version: number;
  signal: AbortSignal | undefined;
}

/** How the service is asked. */
export interface AdminRequests {
  ask: AskAsOperator;
  write(write: AdminWrite): Promise<{ version: number }>;
}

/** Sends the requests of an operator, each with the key. */
export function createAdminRequests(send: Sender, { baseUrl, key }: { baseUrl: string; key: string }): AdminRequests {
  const ask: AskAsOperator = ({ operation, query = {}, body, answer, signal, mayRepeat }) => {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
    return send({
      method: operation.method,
      url: `${baseUrl}${operation.path}${search}`,
      headers: { [headers.authorization]: `Bearer ${key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      answer,
      signal,
      ...(mayRepeat === undefined ? {} : { mayRepeat }),
    });
  };
  return { ask, write: ({ path, ...write }) => writeEntry(send, { ...write, url: `${baseUrl}${path}`, bearer: key }) };
}

/** For what must not be done twice: sent again only where it surely was not carried out. */
export function onlyOnce(_: unknown, notCarriedOut: boolean): boolean {
  return notCarriedOut;
}

/** What every call takes. */
export function callOf(options: { signal?: AbortSignal | undefined } = {}): { signal: AbortSignal | undefined } {
  return { signal: readSignal(readObject(options, 'options').signal, 'signal') };
}

/** An operation with its path filled in. */
export function operationAt<Path extends string>(
  operation: { readonly method: HttpMethod; readonly path: Path },
  parameters: PathParameters<Path>,
): AdminOperation {
  return { method: operation.method, path: pathOf(operation, parameters) };
}
