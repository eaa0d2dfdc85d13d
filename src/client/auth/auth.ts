import { StateError } from '../../errors.js';
import { untilAborted } from '../../http/until-aborted.js';
import { checkText, type ExternalValues, isBearerToken, type Settings } from '../config.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { Requests } from '../requests.js';
import {
  type AuthResult,
  type CallOptions,
  type DoneResult,
  type PeekResult,
  resultOf,
  type SignOutResult,
} from '../results.js';
import type { Authorized } from '../session/authorized-requests.js';
import type { CurrentSession } from '../session/current-session.js';
import type { StateName } from '../session/state-machine.js';
import { alreadyAuthenticated, callAborted } from './auth-errors.js';
import { type Credential, type EncodedCredential, encodeCredential } from './credentials.js';
import type { CurrentConflict } from './current-conflict.js';
import type { Guest } from './guest.js';
import type { Operation, OperationQueue } from './operation-queue.js';
import type { SignIn } from './sign-in.js';

/**
 * Who the player is, and what leads to the account. No call that gives a result rejects: after a failure `success` is
 * false, and `error.code` says what happened. Besides the codes named at each, all can fail with `not_initialised`
 * (before `init`, after `dispose`), `network`, `timeout` (30 s), `aborted`, `rate_limited` and the codes of a 5xx.
 * Wrong arguments throw TypeError, with the argument's name first. Of two calls the second begins when the first has
 * ended. docs/interface.md#client-operations
 */
export interface Auth {
  /** The user's id, or null where nobody is authenticated. */
  readonly userId: string | null;
  /** Whether a player is authenticated, as a guest or by a linked method. */
  readonly isAuthorized: boolean;
  /** The state of the client, such as `guest` or `linked`. docs/interface.md#states-and-transitions */
  readonly state: StateName;
  /**
   * The player's country, ISO 3166-1 alpha-2; `ZZ` where the service does not know it, null where nobody is
   * authenticated.
   */
  readonly country: string | null;
  /**
   * Links a name and password to the account, or signs in where nobody is authenticated. A name that nobody has
   * becomes this account's. Where another account owns it, the event `conflict` is raised and the call waits for the
   * player's choice.
   *
   * Codes: `invalid_credentials`, `password_too_short` with `minLength`, `name_not_allowed` with `reason`,
   * `method_already_linked`, `conflict_unhandled` (nobody listens for the conflict), `conflict_cancelled`,
   * `conflict_expired`, `conflict_stale`, `conflict_pending`, `account_banned` with `until` and `reason`, and
   * `account_deleted` with `removedAt`: until then `switchTo` with `restore` takes the deletion back.
   *
   * @example
   * ```ts
   * const result = await client.auth.withName('ada', 'correct horse');
   * if (!result.success) console.warn(result.error.code);
   * ```
   */
  withName(username: string, password: string, options?: CallOptions): Promise<AuthResult>;
  /** Signs in by the device's own id. Code: `already_authenticated` where another account is here: sign out first. */
  asGuest(options?: CallOptions): Promise<AuthResult>;
  /**
   * Links the player's account with an identity provider, by the provider's ID token, or signs in where nobody is
   * authenticated. A conflict and the codes are as with `withName`.
   */
  withIdentityToken(token: string, options?: CallOptions): Promise<AuthResult>;
  /**
   * Links the player's account with a social network, by a token of the network, or signs in where nobody is
   * authenticated. A conflict and the codes are as with `withName`, and there is `platform_not_registered`, with the
   * `platforms` that there are.
   */
  withSocialToken(token: string, options?: SocialTokenOptions): Promise<AuthResult>;
  /** Says what a credential would do, before anything does; also while a conflict is open. Codes as `withName`. */
  peek(credential: Credential, options?: CallOptions): Promise<PeekResult>;
  /** As `withName`, by any credential, but never signs in. Code: `not_authenticated` where nobody is here. */
  link(credential: Credential, options?: CallOptions): Promise<AuthResult>;
  /**
   * Signs in to the account that the credential leads to, whoever is here now, and never makes one. What the present
   * account has not sent is sent first; where that fails it stays on this device for that account. The device's own
   * link stays. By a recovery code a guest returns whose browser has lost its storage; a code from
   * the game's support lets the player in once, to link a method then.
   *
   * Codes: `invalid_credentials`, `user_not_found`, `account_deleted` with `removedAt`, `account_banned` with `until`
   * and `reason`, `conflict_pending`.
   */
  switchTo(credential: Credential, options?: SwitchOptions): Promise<AuthResult>;
  /**
   * Asks for a code for a player who has forgotten the password of a name: the game delivers it, where somebody
   * has the name. The answer is the same for every name. Codes: `name_not_allowed` with `reason`,
   * `rate_limited`. docs/accounts.md
   *
   * @example
   * ```ts
   * await client.auth.requestReset('ada');
   * const reset = await client.auth.reset('ada', await askCode(), 'a new password');
   * if (reset.success) await client.auth.withName('ada', 'a new password');
   * ```
   */
  requestReset(username: string, options?: CallOptions): Promise<DoneResult>;
  /**
   * Sets a new password by a code, from `requestReset` or from the game's support. All sessions of the account end, and
   * nobody is signed in: `withName` does that. Codes: `invalid_credentials` for a code that does not count or counts no
   * more, `password_too_short` with `minLength`, `name_not_allowed`, `rate_limited`.
   */
  reset(username: string, code: string, newPassword: string, options?: CallOptions): Promise<DoneResult>;
  /**
   * Takes over what server-to-server authentication gave the game's back end; `userId` is known at once, before the
   * promise settles. Codes: `already_authenticated` where another account is here, `invalid_argument` for another
   * user's token. docs/interface.md#signed-requests
   */
  external(values: ExternalSession): Promise<AuthResult>;
  /**
   * Signs out at once on this device, and tells the service in the background. Calls that wait fail with `aborted`,
   * an open conflict ends with `conflict_cancelled`. Code: `wrong_game`; then nothing has changed.
   */
  signOut(options?: SignOutOptions): Promise<SignOutResult>;
  /**
   * The access token, with a new one asked for if need be: for the game to send to its own back end. Rejects with an
   * `SdkError`: `not_authenticated`, `network` and the like.
   */
  getAccessToken(options?: CallOptions): Promise<string>;
}

/** Options of `auth.withSocialToken`. */
export interface SocialTokenOptions extends CallOptions {
  /** The registered platform that the token is from. Default: `socialPlatform` of the configuration. */
  platform?: string | undefined;
}

/** Options of `auth.switchTo`. */
export interface SwitchOptions extends CallOptions {
  /** Takes back the deletion of the account. Default: false. */
  restore?: boolean | undefined;
}

/** What server-to-server authentication gave, as `auth.external` takes it over. */
export interface ExternalSession extends ExternalValues {
  /** The user whom the access token is for. */
  userId: string;
}

/** Options of `auth.signOut`: which client is meant. Without them it is this one. */
export interface SignOutOptions {
  /** The game to sign out of. Default: this client's; another one fails with `wrong_game`. */
  gameId?: string;
  /** Its environment. Default: this client's; another one fails with `wrong_game`. */
  environment?: number;
}

export function createAuth(dependencies: {
  settings: Settings;
  currentSession: CurrentSession;
  currentConflict: CurrentConflict;
  operations: OperationQueue;
  guest: Guest;
  signIn: SignIn;
  requests: Requests;
  authorized: Authorized;
  profile: ProfileRoom;
}): Auth {
  const { settings, currentSession, currentConflict, operations, guest, signIn, authorized } = dependencies;
  const { peek, askForName } = createAsking(dependencies);

  function makeRoom(): void {
    operations.requireStarted();
    currentConflict.giveWay();
  }

  function operate(task: (operation: Operation) => Promise<string>, signal?: AbortSignal): Promise<AuthResult> {
    return resultOf(async () => {
      makeRoom();
      const userId = await operations.run(async (operation) => {
        makeRoom();
        currentSession.requireOpen();
        return task(operation);
      }, signal);
      return { userId };
    });
  }

  /** Throws for what is no credential, before anything is begun. */
  function enter(
    credential: Credential,
    task: (credential: EncodedCredential, operation: Operation) => Promise<string>,
    options: CallOptions | undefined,
  ): Promise<AuthResult> {
    const encoded = encodeCredential(credential, settings);
    return operate((operation) => task(encoded, operation), options?.signal);
  }

  async function takeOver(values: ExternalSession, operation: Operation): Promise<string> {
    const presentUserId = currentSession.userId;
    // A UUID is the same in upper and in lower case.
    const isPresent = presentUserId?.toLowerCase() === values.userId.toLowerCase();
    if (presentUserId !== null && !isPresent) throw alreadyAuthenticated();
    const session = currentSession.readExternal(presentUserId ?? values.userId, values);
    if (presentUserId === null) return signIn.withSession(session, operation);
    await currentSession.apply('renew', { session });
    return session.userId;
  }

  return {
    get userId() {
      return currentSession.userId;
    },
    get isAuthorized() {
      return currentSession.session !== null;
    },
    get state() {
      return currentSession.state.name;
    },
    get country() {
      return currentSession.session?.country ?? null;
    },
    withName: (username, password, options) =>
      enter({ method: 'name', username, password }, signIn.linkOrSignIn, options),
    asGuest: (options) => operate(guest.signIn, options?.signal),
    withIdentityToken: (token, options) => enter({ method: 'identity', token }, signIn.linkOrSignIn, options),
    withSocialToken: (token, options) =>
      enter({ method: 'social', token, platform: options?.platform }, signIn.linkOrSignIn, options),
    peek: (credential, options) => peek(encodeCredential(credential, settings), options),
    link: (credential, options) => enter(credential, signIn.link, options),
    switchTo: (credential, options) =>
      enter(
        credential,
        (encoded, operation) => signIn.switchTo(encoded, operation, options?.restore ?? false),
        options,
      ),
    requestReset: (username, options) => askForName('requestReset', { username }, options),
    reset: (username, code, newPassword, options) => {
      checkText(code, 'code');
      checkText(newPassword, 'newPassword');
      return askForName('resetPassword', { username, code, new_password: newPassword }, options);
    },
    external: (values) => {
      checkExternal(values);
      return operate((operation) => takeOver(values, operation));
    },
    signOut: createSignOut(dependencies),
    getAccessToken: async (options) => authorized(async ({ bearer }) => bearer, options?.signal),
  };
}

/** What a player asks who need not be signed in. */
function createAsking({
  currentSession,
  operations,
  signIn,
  requests,
}: Pick<Parameters<typeof createAuth>[0], 'currentSession' | 'operations' | 'signIn' | 'requests'>) {
  /** Asks the service for what changes nothing on this device, also while a conflict is open. */
  function ask<Fields extends object>(task: () => Promise<Fields>, options: CallOptions | undefined) {
    return resultOf(async () => {
      operations.requireStarted();
      // The start reads the device's id, which the request names. Whether the start succeeds does not matter here.
      await untilAborted(operations.started?.catch(() => {}) ?? Promise.resolve(), options?.signal);
      operations.requireStarted();
      currentSession.requireOpen();
      return task();
    });
  }

  function peek(credential: EncodedCredential, options: CallOptions | undefined): Promise<PeekResult> {
    return ask(async () => {
      const { outcome, side } = await signIn.peek(credential, options?.signal);
      return { outcome, side };
    }, options);
  }

  function askForName(
    operation: 'requestReset' | 'resetPassword',
    fields: { username: string; code?: string; new_password?: string },
    options: CallOptions | undefined,
  ): Promise<DoneResult> {
    checkText(fields.username, 'username');
    return ask(async () => {
      await requests[operation]({ device_id: currentSession.deviceId, ...fields }, options);
      return {};
    }, options);
  }

  return { peek, askForName };
}

function createSignOut({
  settings,
  currentSession,
  currentConflict,
  operations,
  profile,
}: Parameters<typeof createAuth>[0]): Auth['signOut'] {
  return (options) => {
    // Null is what JavaScript callers hand over for nothing.
    const { gameId = settings.gameId, environment = settings.environment } = options ?? {};
    return resultOf(async () => {
      operations.requireStarted();
      if (String(gameId).toLowerCase() !== settings.gameId.toLowerCase() || environment !== settings.environment) {
        throw new StateError('wrong_game', 'This client is for another game or environment.');
      }
      const cancelled = callAborted('The call was cancelled by a sign-out.');
      operations.cancelAll(currentConflict.isAwaited ? currentConflict.endError() : cancelled);
      const unsent = await operations.run(async () => {
        const count = profile.unsent();
        await currentSession.apply('signOut', { session: null });
        return count;
      });
      return { unsent };
    });
  };
}

function checkExternal(values: ExternalSession): void {
  checkText(values?.userId, 'userId');
  if (!isBearerToken(values.accessToken)) {
    throw new TypeError('accessToken must be printable ASCII without spaces: it is sent as a header');
  }
  if (values.country !== undefined) checkText(values.country, 'country');
  if (values.serverTime !== undefined && !Number.isFinite(values.serverTime)) {
    throw new TypeError('serverTime must be ms since 1970');
  }
}
