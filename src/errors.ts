import type { ConflictSides } from './protocol/conflict.js';
import { type FailureCode, failures, type Problem } from './protocol/failures.js';

const brand: unique symbol = Symbol.for('savepoint.SdkError') as never;

/** What can go wrong on our side of the wire. */
export type ClientCode =
  | 'network'
  | 'timeout'
  | 'aborted'
  | 'invalid_answer'
  | 'conflict_pending'
  | 'conflict_cancelled'
  | 'conflict_unhandled'
  | 'conflict_expired'
  | 'merge_failed'
  | 'already_authenticated'
  | 'not_authenticated'
  | 'not_initialised'
  | 'already_initialised'
  | 'invalid_argument'
  | 'invalid_value'
  | 'entry_conflict'
  | 'wrong_game';

/** Every code that an error can have. Open: a newer service may answer codes that this version does not know. */
export type ErrorCode = FailureCode | ClientCode | (string & {});

export interface SdkErrorOptions {
  retryable?: boolean;
  requestId?: string | undefined;
  cause?: unknown;
}

/** The base of all errors here. Tell them apart by `code`; recognise them by `isSdkError`, not by `instanceof`. */
export class SdkError extends Error {
  readonly code: ErrorCode;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The service's name for the request, for its logs. */
  readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, options: SdkErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SdkError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.requestId = options.requestId;
    // Not enumerable, so that a logged error shows what matters.
    Object.defineProperty(this, brand, { value: true });
  }
}

/** The service answered, and refused. */
export class ServiceError extends SdkError {
  readonly status: number;
  /** `version_mismatch`: the version that is stored, -1 where there is none. */
  readonly currentVersion: number | undefined;
  /** `version_mismatch`: the value that is stored. */
  readonly currentValue: { [key: string]: unknown } | undefined;
  /** `timestamp_out_of_window`: the service's clock, ms since 1970. */
  readonly serverTime: number | undefined;
  /** `rate_limited`, `unavailable`, `nonce_store_full`: ms to wait. */
  readonly retryAfterMs: number | undefined;
  /** `account_deleted`: until then it can be restored; the service's clock, ms since 1970. */
  readonly removedAt: number | undefined;
  /** `platform_not_registered`: the platforms that there are. */
  readonly platforms: readonly string[] | undefined;
  /**
   * `profile_conflict`: both sides, and the ticket. Not enumerable, so that no log shows the ticket.
   * @internal
   */
  declare readonly sides: ConflictSides | undefined;

  constructor(problem: Problem, options: { retryAfterMs?: number | undefined; requestId?: string | undefined } = {}) {
    const status = problem.status;
    super(problem.code, problem.detail === undefined ? problem.title : `${problem.title} ${problem.detail}`, {
      retryable: status === 429 || status >= 500,
      requestId: problem.requestId ?? options.requestId,
    });
    this.name = 'ServiceError';
    this.status = status;
    this.currentVersion = problem.currentVersion;
    this.currentValue = problem.currentValue;
    this.serverTime = problem.serverTime;
    this.retryAfterMs = problem.retryAfterMs ?? options.retryAfterMs;
    this.removedAt = problem.removedAt;
    this.platforms = problem.platforms;
    Object.defineProperty(this, 'sides', { value: problem.conflict });
  }
}

/** No answer came: `network`, `timeout` or `aborted`. The request may have been carried out all the same. */
export class NoAnswerError extends SdkError {
  constructor(code: 'network' | 'timeout' | 'aborted', message: string) {
    super(code, message, { retryable: code !== 'aborted' });
    this.name = 'NoAnswerError';
  }
}

/** An answer came that is not of the form that the interface describes: a proxy's page, or another service. */
export class InvalidAnswerError extends SdkError {
  readonly status: number;

  constructor(status: number, message: string, requestId?: string) {
    super('invalid_answer', message, { retryable: status >= 500, requestId });
    this.name = 'InvalidAnswerError';
    this.status = status;
  }
}

/** The call does not fit the state that the SDK is in; nothing was sent. */
export class StateError extends SdkError {
  constructor(code: ClientCode, message: string) {
    super(code, message);
    this.name = 'StateError';
  }
}

/** True for errors of this SDK, also where they come from another copy of the package or a minified one. */
export function isSdkError(error: unknown): error is SdkError {
  return typeof error === 'object' && error !== null && (error as { [brand]?: unknown })[brand] === true;
}

/** True for a `ServiceError` with this code. */
export function isFailure(error: unknown, code: FailureCode): error is ServiceError {
  return isSdkError(error) && error.code === code && code in failures && 'status' in error;
}
