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
  override name = 'SdkError';
  declare readonly code: ErrorCode;
  /** Whether the same call may succeed later. */
  declare readonly retryable: boolean;
  /** The service's name for the request, for its logs. */
  declare readonly requestId: string | undefined;

  constructor(code: ErrorCode, message: string, options: SdkErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.requestId = options.requestId;
    // Not enumerable, so that a logged error shows what matters.
    Object.defineProperty(this, brand, { value: true });
  }
}

/** The service answered, and refused. */
export class ServiceError extends SdkError {
  override name = 'ServiceError';
  declare readonly status: number;
  /** `version_mismatch`: the version that is stored, -1 where there is none. */
  declare readonly currentVersion: number | undefined;
  /** `version_mismatch`: the value that is stored. */
  declare readonly currentValue: { [key: string]: unknown } | undefined;
  /** `timestamp_out_of_window`: the service's clock, ms since 1970. */
  declare readonly serverTime: number | undefined;
  /** `rate_limited`, `unavailable`, `nonce_store_full`: ms to wait. */
  declare readonly retryAfterMs: number | undefined;
  /** `account_deleted`: until then it can be restored; the service's clock, ms since 1970. */
  declare readonly removedAt: number | undefined;
  /** `platform_not_registered`: the platforms that there are. */
  declare readonly platforms: readonly string[] | undefined;
  /**
   * `profile_conflict`: both sides, and the ticket. Not enumerable, so that no log shows the ticket.
   * @internal
   */
  declare readonly sides: ConflictSides | undefined;

  constructor(problem: Omit<Problem, 'type'>) {
    const { status, title, detail, requestId } = problem;
    super(problem.code, detail === undefined ? title : `${title} ${detail}`, {
      retryable: status === 429 || status >= 500,
      requestId,
    });
    this.status = status;
    this.currentVersion = problem.currentVersion;
    this.currentValue = problem.currentValue;
    this.serverTime = problem.serverTime;
    this.retryAfterMs = problem.retryAfterMs;
    this.removedAt = problem.removedAt;
    this.platforms = problem.platforms;
    Object.defineProperty(this, 'sides', { value: problem.conflict });
  }
}

/** No answer came: `network`, `timeout` or `aborted`. The request may have been carried out all the same. */
export class NoAnswerError extends SdkError {
  override name = 'NoAnswerError';

  constructor(code: 'network' | 'timeout' | 'aborted', message: string) {
    super(code, message, { retryable: code !== 'aborted' });
  }
}

/** An answer came that is not of the form that the interface describes: a proxy's page, or another service. */
export class InvalidAnswerError extends SdkError {
  override name = 'InvalidAnswerError';
  declare readonly status: number;

  constructor(status: number, message: string, requestId?: string) {
    super('invalid_answer', message, { retryable: status >= 500, requestId });
    this.status = status;
  }
}

/** The call does not fit the state that the SDK is in; nothing was sent. */
export class StateError extends SdkError {
  override name = 'StateError';

  constructor(code: ClientCode, message: string) {
    super(code, message);
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
