/**
 * The codes of every failure that the service answers. Their statuses and words stand in `failures.ts`, which no page has to
 * load.
 */
export const failureCodes = [
  'invalid_request',
  'invalid_json',
  'invalid_version',
  'invalid_env',
  'invalid_key',
  'value_not_storable',
  'platform_not_registered',
  'unauthorized',
  'invalid_signature',
  'timestamp_out_of_window',
  'nonce_reused',
  'token_expired',
  'refresh_token_reused',
  'invalid_credentials',
  'wrong_game',
  'account_deleted',
  'merge_not_allowed',
  'wrong_env',
  'not_found',
  'user_not_found',
  'method_not_allowed',
  'version_mismatch',
  'profile_conflict',
  'conflict_stale',
  'method_already_linked',
  'would_orphan',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
  'nonce_store_full',
] as const;

/**
 * The codes that the service answers a refused request with, in the member `code` of the problem document.
 *
 * @see docs/interface.md#errors
 */
export type FailureCode = (typeof failureCodes)[number];
