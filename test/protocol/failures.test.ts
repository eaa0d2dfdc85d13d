import { describe, expect, it } from 'vitest';
import { failures } from '../../src/protocol/failures.js';
import { problem } from '../../src/protocol/problem.js';

const codesByStatus = {
  400: 'invalid_request invalid_json invalid_version invalid_env invalid_key value_not_storable password_too_short name_not_allowed platform_not_registered delivery_not_set_up',
  401: 'unauthorized invalid_signature timestamp_out_of_window nonce_reused token_expired refresh_token_reused invalid_credentials',
  403: 'quota_exceeded wrong_game origin_not_allowed account_deleted account_banned reauthentication_required merge_not_allowed insufficient_scope wrong_env',
  404: 'not_found user_not_found',
  405: 'method_not_allowed',
  409: 'version_mismatch profile_conflict conflict_stale method_already_linked would_orphan issuer_taken platform_name_in_use platform_configured sealing_key_missing too_many_platforms',
  413: 'too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal',
  503: 'unavailable nonce_store_full',
};

describe('the failures', () => {
  it('are these codes, each with this status', () => {
    const expected = Object.entries(codesByStatus).flatMap(([status, codes]) =>
      codes.split(' ').map((code) => [code, Number(status)]),
    );
    const table = Object.entries(failures).map(([code, { status }]) => [code, status]);
    expect(Object.fromEntries(table)).toEqual(Object.fromEntries(expected));
  });

  it('each say what happened in one sentence of their own', () => {
    const titles = Object.values(failures).map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const title of titles) expect(title).toMatch(/^[A-Z].*\.$/);
  });
});

describe('a problem', () => {
  const plain = { type: 'about:blank', title: 'No.', status: 409, code: 'version_mismatch' };

  it('needs type, title, status and code', () => {
    expect(problem.safeParse(plain).success).toBe(true);
    for (const name of Object.keys(plain)) {
      expect(problem.safeParse({ ...plain, [name]: undefined }).success).toBe(false);
    }
  });

  it('may have a code that this version does not know', () => {
    expect(problem.parse({ ...plain, code: 'from_the_future' }).code).toBe('from_the_future');
  });

  it('leaves out what it does not know', () => {
    expect(problem.parse({ ...plain, stack: 'at line 1' })).toEqual(plain);
  });

  it.each([
    ['status', '409'],
    ['currentVersion', '3'],
    ['currentVersion', 1.5],
    ['currentValue', []],
    ['retryAfterMs', 'soon'],
    ['limitName', 5],
    ['serverTime', null],
    ['platforms', 'steam'],
    ['conflict', { ticket: 't' }],
  ])('does not take %s: %j', (name, value) => {
    expect(problem.safeParse({ ...plain, [name]: value }).success).toBe(false);
  });
});
