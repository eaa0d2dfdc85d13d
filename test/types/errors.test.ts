import {
  type ClientCode,
  type Conflict,
  type ErrorCode,
  type FailureCode,
  InvalidAnswerError,
  isFailure,
  isSdkError,
  NoAnswerError,
  SdkError,
  ServiceError,
  StateError,
} from 'savepoint';
import * as server from 'savepoint/server';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { failures } from '../../src/protocol/failures.js';

/** A game's own text for an error, with a case for each code that carries something. */
function textOf(error: SdkError): string {
  switch (error.code) {
    case 'version_mismatch':
      expectTypeOf(error.currentVersion).toEqualTypeOf<number | undefined>();
      expectTypeOf(error.currentValue).toEqualTypeOf<{ [key: string]: unknown } | undefined>();
      return `stored: ${error.currentVersion}`;
    case 'rate_limited':
    case 'unavailable':
    case 'nonce_store_full':
      expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
      expectTypeOf(error.limitName).toEqualTypeOf<string | undefined>();
      return `wait: ${error.retryAfterMs}`;
    case 'account_deleted':
    case 'account_banned':
      expectTypeOf(error.removedAt).toEqualTypeOf<number | undefined>();
      return `until: ${error.removedAt}`;
    case 'platform_not_registered':
      expectTypeOf(error.platforms).toEqualTypeOf<readonly string[] | undefined>();
      return `platforms: ${error.platforms?.join()}`;
    case 'timestamp_out_of_window':
      expectTypeOf(error.serverTime).toEqualTypeOf<number | undefined>();
      return `clock: ${error.serverTime}`;
    case 'invalid_answer':
      expectTypeOf(error.status).toEqualTypeOf<number>();
      return `status: ${error.status}`;
    case 'conflict_unhandled':
      expectTypeOf(error.conflict).toExtend<Conflict | undefined>();
      return `ahead: ${error.conflict?.ahead}`;
    case 'network':
    case 'timeout':
      expectTypeOf(error).toEqualTypeOf<NoAnswerError>();
      return error.code;
    default:
      // @ts-expect-error: not every error that is left comes from the service, so there may be no time to wait.
      return `${error.code}: ${error.retryAfterMs}`;
  }
}

/** Whose fault an error is. Compiles only while every code of the package has its case. */
function blame(code: ErrorCode): 'service' | 'way' | 'game' | 'player' | 'sdk' {
  switch (code) {
    case 'internal':
    case 'invalid_answer':
    case 'nonce_store_full':
    case 'unavailable':
    case 'entry_overwritten':
      return 'service';
    case 'network':
    case 'timeout':
    case 'aborted':
      return 'way';
    case 'invalid_request':
    case 'invalid_json':
    case 'invalid_version':
    case 'invalid_env':
    case 'invalid_key':
    case 'invalid_signature':
    case 'invalid_argument':
    case 'invalid_value':
    case 'value_not_storable':
    case 'platform_not_registered':
    case 'timestamp_out_of_window':
    case 'nonce_reused':
    case 'wrong_game':
    case 'wrong_env':
    case 'not_found':
    case 'user_not_found':
    case 'method_not_allowed':
    case 'version_mismatch':
    case 'too_large':
    case 'unsupported_media_type':
    case 'origin_not_allowed':
    case 'insufficient_scope':
    case 'merge_not_allowed':
    case 'quota_exceeded':
    case 'issuer_taken':
    case 'platform_name_in_use':
    case 'platform_configured':
    case 'sealing_key_missing':
    case 'too_many_platforms':
    case 'unsupported_platform':
    case 'merge_failed':
    case 'entry_conflict':
    case 'not_initialised':
    case 'already_initialised':
    case 'conflict_unhandled':
    case 'conflict_pending':
      return 'game';
    case 'unauthorized':
    case 'token_expired':
    case 'refresh_token_reused':
    case 'invalid_credentials':
    case 'password_too_short':
    case 'name_not_allowed':
    case 'delivery_not_set_up':
    case 'account_deleted':
    case 'account_banned':
    case 'reauthentication_required':
    case 'profile_conflict':
    case 'conflict_stale':
    case 'conflict_expired':
    case 'conflict_cancelled':
    case 'method_already_linked':
    case 'would_orphan':
    case 'rate_limited':
    case 'already_authenticated':
    case 'not_authenticated':
      return 'player';
    case 'storage_unavailable':
    case 'sdk_failed':
      return 'sdk';
    default:
      code satisfies never;
      throw new Error('a code without a case');
  }
}

const problem = { status: 409, title: 'Refused.' };

describe('the code of an error', () => {
  it('narrows the error to what belongs to it', () => {
    expect(textOf(new ServiceError({ ...problem, code: 'version_mismatch', currentVersion: 7 }))).toBe('stored: 7');
    expect(textOf(new ServiceError({ ...problem, code: 'rate_limited', retryAfterMs: 5 }))).toBe('wait: 5');
    expect(textOf(new ServiceError({ ...problem, code: 'from_the_future' }))).toBe('from_the_future: undefined');
    expect(textOf(new InvalidAnswerError(502, 'A proxy.'))).toBe('status: 502');
    expect(textOf(new NoAnswerError('network', 'Offline.'))).toBe('network');
  });

  it('is one of a closed union', () => {
    expectTypeOf<SdkError['code']>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<ErrorCode>().toEqualTypeOf<FailureCode | ClientCode>();
    expectTypeOf<string>().not.toExtend<ErrorCode>();
    for (const code of Object.keys(failures) as FailureCode[]) {
      expect(['service', 'game', 'player']).toContain(blame(code));
      expect(new ServiceError({ ...problem, code })).toMatchObject({ code, name: 'ServiceError' });
    }
  });

  it('leaves nothing to an exhaustive switch', () => {
    const shorten = (error: ServiceError | NoAnswerError): number => {
      if (error instanceof ServiceError) return error.status;
      switch (error.code) {
        case 'network':
        case 'timeout':
        case 'aborted':
          return 0;
        default:
          return error satisfies never;
      }
    };
    expect(shorten(new NoAnswerError('aborted', 'Aborted.'))).toBe(0);
  });
});

describe('a guard of errors', () => {
  it('narrows what was thrown', () => {
    const thrown: unknown = new ServiceError({ ...problem, code: 'account_deleted', removedAt: 5 });
    if (isSdkError(thrown)) expectTypeOf(thrown).toEqualTypeOf<SdkError>();
    if (thrown instanceof SdkError) expectTypeOf(thrown.code).toEqualTypeOf<ErrorCode>();
    if (!isFailure(thrown, 'account_deleted')) throw thrown;
    expectTypeOf(thrown.code).toEqualTypeOf<'account_deleted'>();
    expect(thrown.removedAt).toBe(5);
  });

  it('takes an error of the SDK for no refusal, even with the same code', () => {
    expect(isFailure(new StateError('wrong_game', 'Another game.'), 'wrong_game')).toBe(false);
    expect(isFailure(new ServiceError({ ...problem, code: 'wrong_game' }), 'wrong_game')).toBe(true);
  });

  it('is the same for a page and for a back end', () => {
    expect(server.SdkError).toBe(SdkError);
    expect(server.ServiceError).toBe(ServiceError);
    expect(server.NoAnswerError).toBe(NoAnswerError);
    expect(server.InvalidAnswerError).toBe(InvalidAnswerError);
    expect(server.StateError).toBe(StateError);
    expect(server.isSdkError).toBe(isSdkError);
    expect(server.isFailure).toBe(isFailure);
    expectTypeOf<server.ErrorCode>().toEqualTypeOf<ErrorCode>();
    expectTypeOf<server.ClientCode>().toEqualTypeOf<ClientCode>();
    expectTypeOf<server.FailureCode>().toEqualTypeOf<FailureCode>();
    expectTypeOf<server.SdkError>().toEqualTypeOf<SdkError>();
  });
});
