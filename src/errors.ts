import type { ConflictChoice, ConflictSides } from './protocol/conflict.js';
import type { EntryTimes } from './protocol/entry-times.js';
import type { FailureCode } from './protocol/failures.js';
import type { JsonObject } from './protocol/messages.js';
import type { Problem } from './protocol/problem.js';

const brand: unique symbol = Symbol.for('savepoint.SdkError') as never;

/**
 * Where each code has its cause and way out: the page docs/errors.md of the newest published package, as a package CDN
 * hands it out. Whoever publishes the site of `npm run docs` puts its address here.
 */
const helpPage = 'https://unpkg.com/savepoint/docs/errors.md';

/** No answer came to a request. */
type NoAnswerCode = 'network' | 'timeout' | 'aborted';

/** The call does not fit the state that the SDK is in. */
type StateCode =
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
  | 'wrong_game'
  | 'unsupported_platform';

/**
 * The codes of what goes wrong in the SDK itself, or on the way to the service.
 *
 * | code | meaning |
 * |---|---|
 * | `network` | the service could not be reached; the request may have been carried out all the same |
 * | `timeout` | no answer came in time; the request may have been carried out all the same |
 * | `aborted` | the call's signal was aborted, or another call took its place |
 * | `invalid_answer` | something answered that does not speak the service's interface, such as a proxy |
 * | `conflict_pending` | a conflict is open, and the player has to choose first |
 * | `conflict_cancelled` | the conflict was closed without a choice |
 * | `conflict_unhandled` | a conflict came up, and the game listens for none; it stays open in `conflict` |
 * | `conflict_expired` | nobody chose while the conflict was open |
 * | `merge_failed` | a merge rule of the game threw, or made a value that cannot be stored |
 * | `already_authenticated` | another account is signed in: sign out first |
 * | `not_authenticated` | nobody is signed in |
 * | `not_initialised` | the client has not been initialised, or has been disposed of |
 * | `already_initialised` | `Main.Init` was called again with another configuration |
 * | `invalid_argument` | an argument cannot be used; the message names it |
 * | `invalid_value` | a stored entry does not fit the game's schema |
 * | `entry_conflict` | two devices wrote an entry, and no rule or function of the game could merge it |
 * | `wrong_game` | the call or the token is for another game or environment |
 * | `unsupported_platform` | the runtime lacks what the client is built on; the message names all of it |
 * | `entry_overwritten` | the service ignored `If-None-Match`, and a write replaced an entry that it should not |
 * | `storage_unavailable` | the device's storage cannot be read or written at present; the client goes on by itself once it can |
 * | `sdk_failed` | the SDK has a defect; `cause` is what was thrown |
 *
 * @see docs/interface.md#errors
 */
export type ClientCode =
  | NoAnswerCode
  | StateCode
  | 'invalid_answer'
  | 'entry_overwritten'
  | 'storage_unavailable'
  | 'sdk_failed';

/**
 * Every code that an error of this package can have: what the service refuses with, and what goes wrong in the SDK.
 *
 * The union is closed, so that a `switch` over it can be checked for completeness. A newer service may refuse with a
 * code that this version does not know: the error then has that code, as the service wrote it, so give the `switch` a
 * `default`.
 *
 * @see docs/interface.md#errors
 */
export type ErrorCode = FailureCode | ClientCode;

/** What is given to an error when it is made, besides its code and its message. */
export interface SdkErrorOptions {
  /** Whether the same call may succeed later; false by default. */
  retryable?: boolean;
  /** The service's name for the request. */
  requestId?: string | undefined;
  /** What was thrown underneath. It must carry no secret: errors are logged. */
  cause?: unknown;
}

/** What all errors of this package have. */
class BaseError<Code extends ErrorCode> extends Error {
  /** The name of the error's class, which survives minifiers. */
  override name = 'SdkError';
  /** What went wrong, for programs: a `switch` over it narrows the error to the fields that belong to the code. */
  declare readonly code: Code;
  /** Whether the same call may succeed later. */
  declare readonly retryable: boolean;
  /** The service's name for the request, for a search in its logs; undefined where no answer came. */
  declare readonly requestId: string | undefined;

  constructor(code: Code, message: string, options: SdkErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.requestId = options.requestId;
    // Not enumerable, so that a logged error shows what matters.
    Object.defineProperty(this, brand, { value: true });
  }

  /**
   * The address of the page that says what caused this code, and what to do. For developers: it is
   * not written for players.
   */
  get help(): string {
    return `${helpPage}#${encodeURIComponent(this.code)}`;
  }
}

/**
 * The service answered, and refused.
 *
 * The fields below `status` belong to the codes that they name; they are undefined for other codes, and where a service
 * of another make leaves them out.
 *
 * @see docs/interface.md#errors
 */
export class ServiceError extends BaseError<FailureCode> {
  override name = 'ServiceError';
  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** For `version_mismatch`: the version that is stored, -1 where there is no entry. */
  declare readonly currentVersion: number | undefined;
  /** For `version_mismatch`: the value that is stored. */
  declare readonly currentValue: JsonObject | undefined;
  /**
   * For `version_mismatch` of a write that had a name: false where the service knows that the write was never carried
   * out, by no earlier try either.
   */
  declare readonly carriedOut: false | undefined;
  /**
   * For `version_mismatch` on the player's wire: what the devices keep beside the stored value for their merges.
   * @internal
   */
  declare readonly currentTimes: EntryTimes | undefined;
  /** For `timestamp_out_of_window`: the service's clock, in ms since 1970. */
  declare readonly serverTime: number | undefined;
  /** For `rate_limited`, `unavailable` and `nonce_store_full`: how long to wait before the next try, in ms. */
  declare readonly retryAfterMs: number | undefined;
  /**
   * For the same: which limit was reached, such as `readsPerAccount`, for developers and operators: docs/limits.md has
   * each by that name. Undefined where it was none, as where the service is being restarted. A newer service may have
   * more.
   */
  declare readonly limitName: string | undefined;
  /** For `account_deleted`: until when the account can be restored, by the service's clock in ms since 1970. */
  declare readonly removedAt: number | undefined;
  /** For `platform_not_registered`: the names of the platforms that are registered. */
  declare readonly platforms: readonly string[] | undefined;
  /**
   * For `reauthentication_required`: the kinds of the login methods that can be shown once more, such as `name`,
   * `identity` or `social`. `custom`: the game's back end signs the player in again.
   */
  declare readonly methods: readonly string[] | undefined;
  /** For `password_too_short`: how many characters a password has at least. */
  declare readonly minLength: number | undefined;
  /**
   * For `name_not_allowed`: why. `empty`, `too_long`, `invisible_characters` (nobody can see them, so that two names
   * would look alike) or `unknown_characters` (no text has them yet). A newer service may have more.
   *
   * For `account_banned`: why, as the operator has written it for the player. It is text of a
   * person's: show it as text.
   */
  declare readonly reason: string | undefined;
  /** For `account_banned`: until when, by the service's clock, such as `2026-12-01T00:00:00.000Z`; null for good. */
  declare readonly until: string | null | undefined;
  /**
   * For `quota_exceeded`: what the account would hold too much of: `values`, `entries` (of one collection) or
   * `collections`. A newer service may have more.
   */
  declare readonly quota: string | undefined;
  /** For `quota_exceeded`: how much the account may hold: of `values` bytes of JSON in UTF-8, else a number. */
  declare readonly limit: number | undefined;
  /** For `quota_exceeded`: how much the account holds, in the same unit. */
  declare readonly used: number | undefined;
  /**
   * For `profile_conflict`: both sides, and the ticket. Not enumerable, so that no log shows the ticket.
   * @internal
   */
  declare readonly sides: ConflictSides | undefined;
  /**
   * Whether an earlier try of the same call got no answer: what this refusal says is not true of that one.
   * @internal
   */
  declare readonly mayBeCarriedOut: true | undefined;

  constructor(problem: Omit<Problem, 'type'>, options: Pick<SdkErrorOptions, 'retryable'> = {}) {
    const { status, title, detail, requestId } = problem;
    // A newer service may say a code that this version does not know: it stays what it is.
    const code: FailureCode = problem.code as FailureCode;
    super(code, detail === undefined ? title : `${title} ${detail}`, {
      retryable: options.retryable ?? (status === 429 || status >= 500),
      requestId,
    });
    this.status = status;
    this.currentVersion = problem.currentVersion;
    this.currentValue = problem.currentValue;
    this.carriedOut = problem.carriedOut;
    this.currentTimes = problem.currentTimes;
    this.serverTime = problem.serverTime;
    this.retryAfterMs = problem.retryAfterMs;
    this.limitName = problem.limitName;
    this.removedAt = problem.removedAt;
    this.platforms = problem.platforms;
    this.methods = problem.methods;
    this.minLength = problem.minLength;
    this.reason = problem.reason;
    this.until = problem.until;
    this.quota = problem.quota;
    this.limit = problem.limit;
    this.used = problem.used;
    Object.defineProperty(this, 'sides', { value: problem.conflict });
  }
}

/**
 * No answer came: `network`, `timeout` or `aborted`. The request may have been carried out all the same.
 *
 * @see docs/interface.md#errors
 */
export class NoAnswerError extends BaseError<NoAnswerCode> {
  override name = 'NoAnswerError';

  constructor(code: NoAnswerCode, message: string) {
    super(code, message, { retryable: code !== 'aborted' });
  }
}

/**
 * An answer came that does not have the form of the interface: a proxy's page, or the answer of another service.
 *
 * @see docs/interface.md#errors
 */
export class InvalidAnswerError extends BaseError<'invalid_answer'> {
  override name = 'InvalidAnswerError';
  /** The HTTP status of the answer. */
  declare readonly status: number;

  constructor(status: number, message: string, requestId?: string) {
    super('invalid_answer', message, { retryable: status >= 500, requestId });
    this.status = status;
  }
}

/** The conflict that a call met while the game listened for none. It is still open, and can be resolved. */
interface UnhandledConflict extends Readonly<Omit<ConflictSides, 'ticket'>> {
  /** Carries out the player's choice, or closes the conflict without one. Never rejects: a failure is a result. */
  resolve(choice: ConflictChoice | 'cancel', options?: ResolveOptions): Promise<Resolved | Unresolved>;
}

/** How a conflict is resolved. */
interface ResolveOptions {
  /** Aborts the choice, which then fails with `aborted`; it may have been carried out all the same. */
  signal?: AbortSignal | undefined;
}

/** The choice was carried out. */
interface Resolved {
  /** The choice was carried out. */
  success: true;
  /** The user id of the account that the player is signed in to now. */
  userId: string;
}

/** The choice was not carried out. */
interface Unresolved {
  /** The choice was not carried out. */
  success: false;
  /** Why not. */
  error: SdkError;
}

/**
 * The call does not fit the state that the SDK is in, or the game's own rules failed.
 *
 * @see docs/interface.md#errors
 */
export class StateError extends BaseError<StateCode> {
  override name = 'StateError';
  /** For `conflict_unhandled`: the conflict, which is still open. Undefined for other codes. */
  declare readonly conflict: UnhandledConflict | undefined;

  constructor(code: StateCode, message: string, options: Pick<SdkErrorOptions, 'cause'> = {}) {
    super(code, message, options);
  }
}

/**
 * What the SDK finds out by itself: about an access token that it verifies, a call that it dropped, or its own defects.
 */
type OwnCode =
  | 'aborted'
  | 'token_expired'
  | 'unauthorized'
  | 'wrong_game'
  | 'wrong_env'
  | 'entry_overwritten'
  | 'too_large'
  | 'storage_unavailable'
  | 'sdk_failed';

/**
 * An error of this package. Recognise it by `isSdkError`, and tell errors apart by `code`: a `switch` over it narrows
 * the error, so that `retryAfterMs` can be read where the code is `rate_limited`.
 *
 * @example
 * ```ts
 * if (!isSdkError(error)) throw error;
 * switch (error.code) {
 *   case 'rate_limited':
 *     return `Please wait ${Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)} s.`;
 *   case 'network':
 *   case 'timeout':
 *     return 'You are offline. Nothing is lost.';
 *   default:
 *     return `That did not work (${error.code}).`;
 * }
 * ```
 *
 * @see docs/interface.md#errors
 */
export type SdkError = ServiceError | NoAnswerError | InvalidAnswerError | StateError | BaseError<OwnCode>;

/** Makes errors of this package; `instanceof SdkError` recognises those of this copy of it. */
interface SdkErrorConstructor {
  new <Code extends OwnCode>(code: Code, message: string, options?: SdkErrorOptions): BaseError<Code>;
  /** What `instanceof` narrows to. */
  readonly prototype: SdkError;
}

/**
 * The class that all errors of this package extend. Where errors may come from another copy of the package, as from a
 * bundle of its own, `instanceof` fails and `isSdkError` does not.
 *
 * @see docs/interface.md#errors
 */
export const SdkError = BaseError as SdkErrorConstructor;

/**
 * Tells whether a value is an error of this package, also where it comes from another copy of the package or from a
 * minified one.
 *
 * @see docs/interface.md#errors
 */
export function isSdkError(error: unknown): error is SdkError {
  return typeof error === 'object' && error !== null && (error as { [brand]?: unknown })[brand] === true;
}

/**
 * Tells whether a value is a refusal by the service with this code. An error that the SDK made by itself is none, even
 * with the same code: `verifyPlayer` finds out that a token has expired without a request.
 *
 * @example
 * ```ts
 * if (isFailure(error, 'rate_limited')) await wait(error.retryAfterMs ?? 1_000);
 * ```
 *
 * @see docs/interface.md#errors
 */
export function isFailure<Code extends FailureCode>(
  error: unknown,
  code: Code,
): error is ServiceError & { readonly code: Code } {
  return isSdkError(error) && error.code === code && error.name === 'ServiceError';
}
