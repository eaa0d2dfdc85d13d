import type { Client } from '../create-client.js';
import type { AuthResult as ClientAuthResult, SignOutResult as ClientSignOutResult } from '../results.js';
import { type Callback, runWithCallback } from './callbacks.js';
import { initialisedClient, requireClient } from './initialised-client.js';
import type { AuthResult, SignOutResult } from './results.js';
import { type PascalCase, toPascalCase } from './spelling.js';

/**
 * Who the player is, and what leads to the account. Each operation takes a callback and gives a promise; the callback
 * is called once, just before the promise settles. None rejects: after a failure `Success` is false, and `Error.code`
 * says what happened.
 *
 * Besides the codes named at each, all can fail with `not_initialised` (before `Main.Init`), `invalid_argument` (a
 * wrong argument, which the message begins with), `network`, `timeout` (30 s), `aborted`, `rate_limited` and the codes
 * of a 5xx. docs/interface.md#client-operations
 */
export interface Auth {
  /**
   * Links a name and password to the account, or signs in where nobody is authenticated. A name that nobody has
   * becomes this account's. Where another account owns it, `OnSystemProfileConflictAppeared` is raised and the call
   * waits for the choice.
   *
   * Codes: `invalid_credentials`, `password_too_short` with `minLength`, `name_not_allowed` with `reason`,
   * `method_already_linked`, `conflict_unhandled` (nobody listens for the conflict),
   * `conflict_cancelled`, `conflict_expired`, `conflict_stale`, `conflict_pending`, `account_deleted`,
   * `account_banned` with `until` and `reason`.
   *
   * @example
   * ```ts
   * const linked = await Auth.WithName('ada', 'correct horse');
   * if (!linked.Success) console.warn(linked.Error.code);
   * ```
   */
  WithName(username: string, password: string, callback?: Callback<AuthResult>): Promise<AuthResult>;
  /** Signs in by the device's own id. Code: `already_authenticated` where another account is here: sign out first. */
  AsGuest(callback?: Callback<AuthResult>): Promise<AuthResult>;
  /**
   * Links the player's account with an identity provider, by the provider's ID token, or signs in where nobody is
   * authenticated. A conflict and the codes are as with `WithName`.
   */
  WithIdentityToken(token: string, callback?: Callback<AuthResult>): Promise<AuthResult>;
  /**
   * Links the player's account with a social network, by a token of the network, or signs in where nobody is
   * authenticated. The platform is `SocialPlatform` of the configuration. A conflict and the codes are as with
   * `WithName`, and there is `platform_not_registered`, with the `platforms` that there are.
   */
  WithSocialToken(token: string, callback?: Callback<AuthResult>): Promise<AuthResult>;
  /**
   * Takes over what server-to-server authentication gave the game's back end. Holds at once: `GetUserId` knows the
   * user before the promise settles. `country` (ISO 3166-1 alpha-2) and `serverTime` (ms since 1970) are optional;
   * with `serverTime` the client knows the service's clock before its first request. Codes: `already_authenticated`
   * where another account is here, `invalid_argument` for another user's token. docs/interface.md#signed-requests
   *
   * @example
   * ```ts
   * Main.Init({ GameId: gameId, Environment: 0, BaseUrl: baseUrl, AutoLogin: false, OnReadyCallback: () =>
   *   Auth.External(player.userId, player.accessToken, player.country, player.time),
   * });
   * ```
   */
  External(userId: string, accessToken: string, country?: string, serverTime?: number): Promise<AuthResult>;
  /**
   * Signs out at once on this device, and tells the service in the background. Calls that wait fail with `aborted`,
   * an open conflict ends with `conflict_cancelled`. Code: `wrong_game` where game or environment is not this
   * client's; then nothing has changed.
   */
  SignOut(gameId: string, environment: number, callback?: Callback<SignOutResult>): Promise<SignOutResult>;
  /** The user's id, or null where nobody is authenticated. */
  GetUserId(): string | null;
  /** Whether a player is authenticated, as a guest or by a linked method. */
  IsAuthorized(): boolean;
}

/** Who the player is, and what leads to the account. */
export const Auth: Auth = {
  WithName: (username, password, callback) =>
    call<ClientAuthResult>((auth) => auth.withName(username, password), callback),
  AsGuest: (callback) => call<ClientAuthResult>((auth) => auth.asGuest(), callback),
  WithIdentityToken: (token, callback) => call<ClientAuthResult>((auth) => auth.withIdentityToken(token), callback),
  WithSocialToken: (token, callback) => call<ClientAuthResult>((auth) => auth.withSocialToken(token), callback),
  External: (userId, accessToken, country, serverTime) =>
    call<ClientAuthResult>((auth) => auth.external({ userId, accessToken, country, serverTime })),
  SignOut: (gameId, environment, callback) =>
    call<ClientSignOutResult>((auth) => auth.signOut({ gameId, environment }), callback),
  GetUserId: () => initialisedClient()?.auth.userId ?? null,
  IsAuthorized: () => initialisedClient()?.auth.isAuthorized ?? false,
};

function call<Result extends object>(
  operation: (auth: Client['auth']) => Promise<Result>,
  callback?: Callback<PascalCase<Result>>,
): Promise<PascalCase<Result>> {
  // The operation begins within this call, so that `External` holds before its promise settles.
  return runWithCallback(async () => toPascalCase(await operation(requireClient().auth)), callback);
}
