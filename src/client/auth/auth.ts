import { NoAnswerError, type SdkError, StateError } from '../../errors.js';
import { untilAborted } from '../../http/until-aborted.js';
import type { ConflictSides } from '../../protocol/conflict.js';
import { timeouts } from '../../protocol/gaps/timeouts.js';
import { checkText, type ExternalValues, type Settings } from '../config.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { Requests } from '../requests.js';
import { type AuthResult, type CallOptions, failed, type PeekResult, type SignOutResult } from '../results.js';
import type { CurrentSession } from '../session/current-session.js';
import type { Refresher } from '../session/refresher.js';
import type { Session } from '../session/session-store.js';
import type { StateName } from '../session/state-machine.js';
import { type Conflict, cancelled } from './conflict.js';
import { type Credential, type ShownCredential, showCredential } from './credentials.js';
import { createOperations, type Operation } from './operation-queue.js';
import { createEntering } from './sign-in.js';

export interface Auth {
  /** The user's id, or null where nobody is authenticated. */
  readonly userId: string | null;
  readonly isAuthorized: boolean;
  /** @see Spec 3 */
  readonly state: StateName;
  /** ISO 3166-1 alpha-2, `ZZ` where the service does not know it. */
  readonly country: string | null;
  /**
   * Links a name and password to the account, or signs in where nobody is authenticated; a name that nobody has becomes this account's.
   * Where another account owns it, the call stays pending while the player chooses. Codes: `invalid_credentials`,
   * `method_already_linked`, `conflict_unhandled`, `conflict_cancelled`, `conflict_expired`, `conflict_stale`, `conflict_pending`,
   * `account_deleted` with `removedAt`: until then `switchTo` with `restore` takes the deletion back.
   */
  withName(username: string, password: string, options?: CallOptions): Promise<AuthResult>;
  /** Signs in by the device's own id. Code: `already_authenticated`, where that is another account than the present one. */
  asGuest(options?: CallOptions): Promise<AuthResult>;
  /** As `withName`, by an identity provider's token. */
  withIdentityToken(token: string, options?: CallOptions): Promise<AuthResult>;
  /** As `withName`, by a social network's token. Code: `platform_not_registered`. */
  withSocialToken(token: string, options?: CallOptions & { platform?: string | undefined }): Promise<AuthResult>;
  /** Says what a credential would do, before anything does; also while a conflict is open. Codes as `withName`. */
  peek(credential: Credential, options?: CallOptions): Promise<PeekResult>;
  /** As `withName`, but never signs in. Code: `not_authenticated`. */
  link(credential: Credential, options?: CallOptions): Promise<AuthResult>;
  /**
   * Becomes the account that the credential leads to, whoever is here now, and never makes one. What the present account owes
   * is sent first; where that fails it stays on this device for it. The device's own link stays.
   * With a recovery code a guest returns whose browser wiped its storage. `restore` takes back a deletion of the account.
   * Codes: `invalid_credentials`, `user_not_found`, `account_deleted` with `removedAt`, `conflict_pending`.
   */
  switchTo(credential: Credential, options?: CallOptions & { restore?: boolean | undefined }): Promise<AuthResult>;
  /** Takes over what server-to-server authentication gave; holds at once. Code: `already_authenticated`. @see Spec 5.2 item 9 */
  external(values: ExternalValues & { userId: string }): Promise<AuthResult>;
  /**
   * Signs out at once on this device, and tells the service in the background. Cancels what waits, and an open conflict.
   * Entries that are `unsent` stay on this device for that account, and go out when it is here again.
   * Code: `wrong_game` where a game or environment is given that is not this client's; then nothing is changed.
   */
  signOut(options?: { gameId?: string; environment?: number }): Promise<SignOutResult>;
  /** The access token, refreshed if need be: what a game sends to its own back end. Rejects with an `SdkError`. */
  getAccessToken(options?: CallOptions): Promise<string>;
}

export interface AuthRoom {
  readonly auth: Auth;
  readonly conflict: Conflict | null;
  /** The first operation: what comes meanwhile waits. */
  start(task: (operation: Operation) => Promise<void>): Promise<void>;
  enterAsGuest(operation: Operation): Promise<void>;
  reopenConflict(sides: ConflictSides): Promise<void>;
  closeConflict(): void;
  raiseConflict(): void;
  dispose(): void;
}

export function createAuth(ports: {
  settings: Settings;
  current: () => CurrentSession;
  refresher: Refresher;
  requests: Requests;
  profile: ProfileRoom;
  deviceId: () => string;
  isConflictHeard(): boolean;
  emitConflict(conflict: Conflict): void;
  revoke(session: Session): void;
  report(error: unknown): void;
}): AuthRoom {
  const { settings, refresher, profile } = ports;
  const operations = createOperations(Math.max(timeouts.callMs, settings.timeoutMs ?? 0));
  const entering = createEntering({ ...ports, refuseWaiting: () => operations.cancelWaiting(pending()) });
  let ready: Promise<void> | null = null;
  let disposed = false;

  function requireStarted(): void {
    if (ready === null || disposed) throw new StateError('not_initialised', 'The client is not initialised.');
  }

  /** Spec gap: what another call finds while a conflict is open. */
  function makeRoom(): void {
    requireStarted();
    const { open } = entering;
    if (open === null) return;
    if (open.heard || open.it.busy) throw pending();
    open.it.end(cancelled());
  }

  async function operate(task: (operation: Operation) => Promise<string>, signal?: AbortSignal): Promise<AuthResult> {
    try {
      makeRoom();
      const userId = await operations.run(async (operation) => {
        makeRoom();
        return task(operation);
      }, signal);
      return { success: true, userId };
    } catch (error) {
      return failed(error);
    }
  }

  function enter(credential: Credential, { signal }: CallOptions, mustLink = false): Promise<AuthResult> {
    const shown = showCredential(credential, settings);
    return operate((operation) => entering.enter(shown, operation, mustLink), signal);
  }

  async function peek(credential: ShownCredential, signal: AbortSignal | undefined): Promise<PeekResult> {
    try {
      requireStarted();
      // The device's id may not be known yet; a start that fails is no matter here.
      await untilAborted(
        (ready as Promise<void>).catch(() => {}),
        signal,
      );
      requireStarted();
      const { outcome, side } = await entering.peek(credential, signal);
      return { success: true, outcome, side };
    } catch (error) {
      return failed(error);
    }
  }

  const auth: Auth = {
    get userId() {
      return ports.current().session?.userId ?? null;
    },
    get isAuthorized() {
      return ports.current().session !== null;
    },
    get state() {
      return ports.current().state.name;
    },
    get country() {
      return ports.current().session?.country ?? null;
    },
    withName: (username, password, options = {}) => enter({ method: 'name', username, password }, options),
    asGuest: ({ signal } = {}) =>
      operate(async (operation) => {
        const { session, deviceUserId } = ports.current();
        if (session === null) await entering.asGuest(operation);
        else if (session.userId !== deviceUserId) throw alreadyAuthenticated();
        return auth.userId as string;
      }, signal),
    withIdentityToken: (token, options = {}) => enter({ method: 'identity', token }, options),
    withSocialToken: (token, options = {}) => enter({ method: 'social', token, platform: options.platform }, options),
    peek: (credential, { signal } = {}) => peek(showCredential(credential, settings), signal),
    link: (credential, options = {}) => enter(credential, options, true),
    switchTo: (credential, { signal, restore = false } = {}) => {
      const shown = showCredential(credential, settings);
      return operate((operation) => entering.switchTo(shown, operation, restore), signal);
    },
    external: (values) => {
      checkText(values?.userId, 'userId');
      checkText(values.accessToken, 'accessToken');
      if (values.country !== undefined) checkText(values.country, 'country');
      if (values.serverTime !== undefined && !Number.isFinite(values.serverTime)) {
        throw new TypeError('serverTime must be ms since 1970');
      }
      return operate(async (operation) => {
        const current = ports.current();
        const present = current.session;
        // A UUID is the same in any case.
        const isPresent = present?.userId.toLowerCase() === values.userId.toLowerCase();
        if (present !== null && !isPresent) throw alreadyAuthenticated();
        const session = current.readExternal(present?.userId ?? values.userId, values);
        if (present === null) return entering.signIn(session, operation);
        await current.apply({ type: 'renew' }, { session });
        return session.userId;
      });
    },
    signOut: async ({ gameId = settings.gameId, environment = settings.environment } = {}) => {
      try {
        requireStarted();
        if (String(gameId).toLowerCase() !== settings.gameId.toLowerCase() || environment !== settings.environment) {
          throw new StateError('wrong_game', 'This client is for another game or environment.');
        }
        const isMet = entering.open?.heard === true;
        operations.cancelAll(isMet ? cancelled() : aborted('The call was cancelled by a sign-out.'));
        const unsent = await operations.run(async () => {
          const left = profile.unsent();
          await ports.current().apply({ type: 'signOut' }, { session: null });
          return left;
        });
        return { success: true, unsent };
      } catch (error) {
        return failed(error);
      }
    },
    getAccessToken: async ({ signal } = {}) => refresher.authorized(async ({ bearer }) => bearer, signal),
  };

  return {
    auth,
    get conflict() {
      return entering.open?.it.conflict ?? null;
    },
    start: (task) => {
      ready = operations.run(task);
      return ready;
    },
    enterAsGuest: entering.asGuest,
    reopenConflict: entering.reopen,
    closeConflict: () => entering.open?.it.end(cancelled()),
    raiseConflict: entering.raiseConflict,
    dispose: () => {
      disposed = true;
      entering.open?.it.end(cancelled());
      operations.cancelAll(aborted('The client was disposed.'));
    },
  };
}

function aborted(message: string): SdkError {
  return new NoAnswerError('aborted', message);
}

function pending(): StateError {
  return new StateError('conflict_pending', 'A conflict is open: the player has to choose first.');
}

function alreadyAuthenticated(): StateError {
  return new StateError('already_authenticated', 'Another account is authenticated: sign out first.');
}
