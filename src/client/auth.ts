import { InvalidAnswerError, NoAnswerError, type SdkError, ServiceError, StateError } from '../errors.js';
import type { ConflictSides } from '../protocol/conflict.js';
import { timeouts } from '../protocol/gaps.js';
import { checkText, type ExternalValues, type Settings } from './config.js';
import { type Choice, type Conflict, cancelled, type OpenConflict, openConflict, unhandled } from './conflict.js';
import { type CurrentSession, isLinked } from './current-session.js';
import { createOperations, type Operation } from './operations.js';
import type { Refresher } from './refresher.js';
import { type AuthResult, type CallOptions, failed, type SignOutResult } from './results.js';
import type { Session } from './session-store.js';
import type { StateName } from './state-machine.js';
import type { EntryMethod, Wire } from './wire.js';

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
   * `method_already_linked`, `conflict_unhandled`, `conflict_cancelled`, `conflict_expired`, `conflict_stale`, `conflict_pending`.
   */
  withName(username: string, password: string, options?: CallOptions): Promise<AuthResult>;
  /** Signs in by the device's own id. Code: `already_authenticated`, where that is another account than the present one. */
  asGuest(options?: CallOptions): Promise<AuthResult>;
  /** As `withName`, by an identity provider's token. */
  withIdentityToken(token: string, options?: CallOptions): Promise<AuthResult>;
  /** As `withName`, by a social network's token. Code: `platform_not_registered`. */
  withSocialToken(token: string, options?: CallOptions & { platform?: string | undefined }): Promise<AuthResult>;
  /** Takes over what server-to-server authentication gave; holds at once. Code: `already_authenticated`. @see Spec 5.2 item 9 */
  external(values: ExternalValues & { userId: string }): Promise<AuthResult>;
  /**
   * Signs out at once on this device, and tells the service in the background. Cancels what waits, and an open conflict.
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
  closeConflict(): void;
  raiseConflict(): void;
  dispose(): void;
}

export function createAuth(ports: {
  settings: Settings;
  current: () => CurrentSession;
  refresher: Refresher;
  wire: Wire;
  deviceId: () => string;
  isConflictHeard(): boolean;
  emitConflict(conflict: Conflict): void;
}): AuthRoom {
  const { settings, refresher, wire } = ports;
  const operations = createOperations(Math.max(timeouts.callMs, settings.timeoutMs ?? 0));
  let open: { it: OpenConflict; heard: boolean } | null = null;
  let status: 'new' | 'started' | 'disposed' = 'new';

  /** Spec gap: what another call finds while a conflict is open. */
  function makeRoom(): void {
    if (status !== 'started') throw new StateError('not_initialised', 'The client is not initialised.');
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

  async function signIn(session: Session, deviceUserId: string | null, operation: Operation): Promise<string> {
    operation.hold();
    await ports.current().apply({ type: 'signIn', linked: isLinked(session) }, { session, deviceUserId });
    return session.userId;
  }

  async function enter(method: EntryMethod, fields: object, operation: Operation): Promise<string> {
    const current = ports.current();
    const { signal } = operation;
    const body = { device_id: ports.deviceId(), show: settings.conflictFields, ...fields };
    if (current.session === null) {
      return signIn(current.read(await wire.enter(method, body, { signal }), method), current.deviceUserId, operation);
    }
    try {
      const answer = await refresher.authorized((bearer) => wire.enter(method, body, { bearer, signal }), signal);
      operation.hold();
      if (answer.userId !== current.session?.userId) {
        throw new InvalidAnswerError(200, 'The service answered for another account than the present one.');
      }
      const session = current.read(answer, method);
      await current.apply({ type: 'link', linked: isLinked(session) }, { session });
      return session.userId;
    } catch (error) {
      const sides = error instanceof ServiceError ? error.sides : undefined;
      if (sides === undefined || signal.aborted) throw error;
      operation.hold();
      return meet(openConflict(sides, { choose, closed, serverTime: current.serverTime }), signal);
    }
  }

  async function meet(it: OpenConflict, signal: AbortSignal): Promise<string> {
    const heard = ports.isConflictHeard();
    open = { it, heard };
    signal.addEventListener('abort', () => it.end(cancelled()));
    if (heard) operations.cancelWaiting(pending());
    try {
      await ports.current().apply({ type: 'conflict' });
    } catch (error) {
      it.end(cancelled());
      throw error;
    }
    if (!heard) throw unhandled(it.conflict);
    const result = await it.outcome;
    if (!result.success) throw result.error;
    return result.userId;
  }

  async function choose(
    { ticket, method }: ConflictSides,
    choice: Choice,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const current = ports.current();
    const before = current.session?.userId ?? null;
    const answer = await wire.choose(ticket, choice, { deviceId: ports.deviceId(), signal });
    const session = current.read(answer, method);
    // Spec gap: with Cloud the device's link moves to the owner only if it led to the account that is left.
    const deviceUserId = choice === 'cloud' && current.deviceUserId === before ? session.userId : current.deviceUserId;
    if (open?.it.busy === true) open = null;
    await current.apply({ type: choice, linked: isLinked(session) }, { session, deviceUserId });
    return session.userId;
  }

  async function closed(): Promise<void> {
    open = null;
    const current = ports.current();
    if (current.state.name === 'conflict') await current.apply({ type: 'close' });
  }

  async function enterAsGuest(operation: Operation): Promise<void> {
    const current = ports.current();
    const answer = await wire.enter('guest', { device_id: ports.deviceId() }, { signal: operation.signal });
    await signIn(current.read(answer, 'device'), answer.userId, operation);
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
    withName: (username, password, { signal } = {}) => {
      checkText(username, 'username');
      checkText(password, 'password');
      return operate((operation) => enter('name', { username, password }, operation), signal);
    },
    asGuest: ({ signal } = {}) =>
      operate(async (operation) => {
        const { session, deviceUserId } = ports.current();
        if (session === null) await enterAsGuest(operation);
        else if (session.userId !== deviceUserId) throw alreadyAuthenticated();
        return auth.userId as string;
      }, signal),
    withIdentityToken: (token, { signal } = {}) => {
      checkText(token, 'token');
      return operate((operation) => enter('identity', { token }, operation), signal);
    },
    withSocialToken: (token, { signal, platform = settings.socialPlatform } = {}) => {
      checkText(token, 'token');
      if (platform !== undefined) checkText(platform, 'platform');
      return operate((operation) => enter('social', { token, platform }, operation), signal);
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
        if (present === null) return signIn(session, current.deviceUserId, operation);
        await current.apply({ type: 'renew', linked: isLinked(session) }, { session });
        return session.userId;
      });
    },
    signOut: async ({ gameId = settings.gameId, environment = settings.environment } = {}) => {
      try {
        if (status !== 'started') makeRoom();
        if (String(gameId).toLowerCase() !== settings.gameId.toLowerCase() || environment !== settings.environment) {
          throw new StateError('wrong_game', 'This client is for another game or environment.');
        }
        operations.cancelAll(open?.heard === true ? cancelled() : aborted('The call was cancelled by a sign-out.'));
        await operations.run(() => ports.current().apply({ type: 'signOut' }, { session: null }));
        return { success: true };
      } catch (error) {
        return failed(error);
      }
    },
    getAccessToken: async ({ signal } = {}) => refresher.authorized(async (token) => token, signal),
  };

  return {
    auth,
    get conflict() {
      return open?.it.conflict ?? null;
    },
    start: (task) => {
      status = 'started';
      return operations.run(task);
    },
    enterAsGuest,
    closeConflict: () => open?.it.end(cancelled()),
    raiseConflict: () => open !== null && ports.emitConflict(open.it.conflict),
    dispose: () => {
      status = 'disposed';
      open?.it.end(cancelled());
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
