/**
 * Every failure that the service answers, by its code, with the HTTP status and the title of the problem.
 * The service writes its answers from this table and the SDKs type their errors by it.
 * Spec gap: the interface shows no status codes and no bodies.
 */
export const failures = {
  invalid_request: { status: 400, title: 'The request does not have the form that this endpoint takes.' },
  invalid_json: { status: 400, title: 'The body is not JSON.' },
  invalid_version: { status: 400, title: 'The version is not an integer from -1 up.' },
  invalid_env: { status: 400, title: 'The environment is not 0, 1 or 2.' },
  invalid_key: { status: 400, title: 'The key or collection name cannot be used.' },
  value_not_storable: { status: 400, title: 'The value cannot be stored and read back as it is.' },
  password_too_short: { status: 400, title: 'The password is too short.' },
  name_not_allowed: { status: 400, title: 'This name cannot be used.' },
  platform_not_registered: { status: 400, title: 'The social platform is not registered for this game.' },
  delivery_not_set_up: { status: 400, title: 'The game has no way to deliver a code.' },
  unauthorized: { status: 401, title: 'The request carries no valid authorization.' },
  invalid_signature: { status: 401, title: 'The request is not signed by this game.' },
  timestamp_out_of_window: { status: 401, title: "The timestamp is too far from the service's clock." },
  nonce_reused: { status: 401, title: 'The nonce has been used before.' },
  token_expired: { status: 401, title: 'The token has expired.' },
  refresh_token_reused: { status: 401, title: 'The refresh token was used before; its session has been ended.' },
  invalid_credentials: { status: 401, title: 'The credentials are wrong.' },
  wrong_game: { status: 403, title: 'The authorization is for another game.' },
  origin_not_allowed: { status: 403, title: 'Pages of this origin may not call the service.' },
  account_deleted: { status: 403, title: 'The account is being deleted; until it is, it can be restored.' },
  account_banned: { status: 403, title: 'The player is banned.' },
  quota_exceeded: { status: 403, title: 'The account holds as much as it may.' },
  reauthentication_required: { status: 403, title: 'The player has to show a login method once more.' },
  insufficient_scope: { status: 403, title: "The operator's key does not allow this." },
  merge_not_allowed: { status: 403, title: 'This game does not allow two accounts to be merged.' },
  wrong_env: { status: 403, title: 'The authorization is for another environment.' },
  not_found: { status: 404, title: 'There is nothing at this address.' },
  user_not_found: { status: 404, title: 'There is no such user.' },
  method_not_allowed: { status: 405, title: 'This address does not take this method.' },
  version_mismatch: { status: 409, title: 'The entry has another version than the update is based on.' },
  profile_conflict: { status: 409, title: 'The method is linked to another account: a choice is required.' },
  conflict_stale: { status: 409, title: 'What the choice rested on has changed; nothing was changed by it.' },
  method_already_linked: { status: 409, title: 'The account has another link of this kind.' },
  issuer_taken: { status: 409, title: 'Another identity provider of the game has the same issuer.' },
  platform_name_in_use: { status: 409, title: 'Players are linked by this name with another preset.' },
  platform_configured: { status: 409, title: 'The platform comes from the configuration of the service.' },
  sealing_key_missing: { status: 409, title: 'The service has no key to seal secrets with.' },
  too_many_platforms: { status: 409, title: 'The game has as many platforms registered as it may.' },
  would_orphan: { status: 409, title: 'This is the last way into the account.' },
  too_large: { status: 413, title: 'The request is too large.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  rate_limited: { status: 429, title: 'Too many tries.' },
  internal: { status: 500, title: 'The service failed.' },
  unavailable: { status: 503, title: 'The service is not available at the moment.' },
  nonce_store_full: { status: 503, title: 'The service cannot take more signed requests at the moment.' },
} as const satisfies { readonly [code: string]: { readonly status: number; readonly title: string } };

/**
 * The codes that the service answers a refused request with, in the member `code` of the problem document.
 *
 * @see docs/interface.md#errors
 */
export type FailureCode = keyof typeof failures;
