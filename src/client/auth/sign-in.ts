import { InvalidAnswerError, ServiceError, StateError } from '../../errors.js';
import type { ConflictChoice, ConflictSides } from '../../protocol/conflict.js';
import type { PeekAnswer } from '../../protocol/player-messages.js';
import type { Settings } from '../config.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { RequestOptions, Requests } from '../requests.js';
import { type CurrentSession, notAuthenticated } from '../session/current-session.js';
import type { Refresher } from '../session/refresher.js';
import type { Session } from '../session/session-store.js';
import { type Conflict, cancelled, type OpenConflict, openConflict, unhandled } from './conflict.js';
import type { ShownCredential } from './credentials.js';
import { type MergedAccounts, mergeAccounts } from './merge-accounts.js';
import type { Operation } from './operation-queue.js';

/** How an account is come to, or a method to an account; and the conflict that can come of it. */
export interface Entering {
  /** The open conflict; `heard` says whether anybody was told of it. */
  readonly open: { readonly it: OpenConflict; readonly heard: boolean } | null;
  signIn(session: Session, operation: Operation): Promise<string>;
  asGuest(operation: Operation): Promise<void>;
  /** Links or conflicts where an account is there, else signs in. With `mustLink` it never signs in. */
  enter(credential: ShownCredential, operation: Operation, mustLink: boolean): Promise<string>;
  /** Becomes the account that the credential leads to; `restore` takes back its deletion. */
  switchTo(credential: ShownCredential, operation: Operation, restore: boolean): Promise<string>;
  peek(credential: ShownCredential, signal: AbortSignal | undefined): Promise<PeekAnswer>;
  /** Knows a conflict again that was open when the page closed. */
  reopen(sides: ConflictSides): Promise<void>;
  raiseConflict(): void;
}

type ChooseSide = (sides: ConflictSides, choice: ConflictChoice, signal: AbortSignal) => Promise<string>;

type Becoming = 'signIn' | 'link' | 'renew' | 'switch' | ConflictChoice;

export function createEntering(ports: {
  settings: Settings;
  current: () => CurrentSession;
  refresher: Refresher;
  requests: Requests;
  profile: ProfileRoom;
  deviceId: () => string;
  isConflictHeard(): boolean;
  emitConflict(conflict: Conflict): void;
  /** A conflict is open: nothing else can be waited for. */
  refuseWaiting(): void;
  revoke(session: Session): void;
  report(error: unknown): void;
}): Entering {
  const { settings, current: now, refresher, requests, profile } = ports;
  let open: Entering['open'] = null;

  const bodyOf = ({ fields }: ShownCredential, intent?: object): object => ({
    device_id: ports.deviceId(),
    show: settings.conflictFields,
    ...fields,
    ...intent,
  });

  async function become(type: Becoming, session: Session, deviceUserId = now().deviceUserId): Promise<string> {
    await now().apply({ type }, { session, deviceUserId });
    return session.userId;
  }

  async function signIn(session: Session, operation: Operation, deviceUserId?: string): Promise<string> {
    operation.hold();
    return become('signIn', session, deviceUserId);
  }

  async function enter(credential: ShownCredential, operation: Operation, mustLink: boolean): Promise<string> {
    const current = now();
    const { method } = credential;
    const { signal } = operation;
    if (current.session === null) {
      if (mustLink) throw notAuthenticated();
      const answer = await requests.signInWith(method, bodyOf(credential), { signal });
      return signIn(current.read(answer, method), operation);
    }
    // What the service has not got yet would be missing from this side of a conflict.
    await profile.flush({ signal }).catch(() => {});
    try {
      const body = bodyOf(credential);
      const answer = await refresher.authorized((player) => requests.signInWith(method, body, player), signal);
      operation.hold();
      if (answer.userId !== current.session?.userId) {
        throw new InvalidAnswerError(200, 'The service answered for another account than the present one.');
      }
      return await become('link', current.read(answer, method));
    } catch (error) {
      const sides = error instanceof ServiceError ? error.sides : undefined;
      if (sides === undefined || signal.aborted) throw error;
      operation.hold();
      return meet(sides, signal);
    }
  }

  async function switchTo(credential: ShownCredential, operation: Operation, restore: boolean): Promise<string> {
    const current = now();
    const { signal } = operation;
    // What cannot be sent now stays here, for that account.
    if (current.session !== null) await profile.flush({ signal }).catch(() => {});
    const { method } = credential;
    const answer = await requests.signInWith(method, bodyOf(credential, { intent: 'switch', restore }), { signal });
    const before = current.session;
    const session = current.read(answer, method);
    if (before === null) return signIn(session, operation);
    operation.hold();
    await become(session.userId === before.userId ? 'renew' : 'switch', session);
    ports.revoke(before);
    return session.userId;
  }

  const offer = (sides: ConflictSides): OpenConflict =>
    openConflict(sides, { flush: profile.flush, choose, closed, serverTime: now().serverTime });

  async function meet(sides: ConflictSides, signal: AbortSignal): Promise<string> {
    const it = offer(sides);
    const heard = ports.isConflictHeard();
    open = { it, heard };
    signal.addEventListener('abort', () => it.end(cancelled()));
    if (heard) ports.refuseWaiting();
    try {
      await now().applyConflict('conflict', sides);
    } catch (error) {
      it.end(cancelled());
      throw error;
    }
    if (!heard) throw unhandled(it.conflict);
    const result = await it.outcome;
    if (!result.success) throw result.error;
    return result.userId;
  }

  /** What were set in an account while it is being left would be nobody's afterwards. */
  const choose: ChooseSide = (sides, choice, signal) =>
    choice === 'local' ? carryOut(sides, choice, signal) : profile.leave(() => carryOut(sides, choice, signal));

  async function carryOut(...[sides, choice, signal]: Parameters<ChooseSide>): Promise<string> {
    const current = now();
    const before = current.session?.userId ?? null;
    const ticket = { ticket: sides.ticket, device_id: ports.deviceId() };
    const merged = choice === 'merge' ? await merge(sides, ticket, signal) : {};
    const session = current.read(
      await requests.resolveConflict({ ...ticket, choice, ...merged }, { signal }),
      sides.method,
    );
    // Spec gap: with Cloud the device's link moves to the owner only if it led to the account that is left.
    const deviceUserId = choice !== 'local' && current.deviceUserId === before ? session.userId : undefined;
    if (open?.it.busy) open = null;
    return become(choice, session, deviceUserId);
  }

  async function merge(
    { local }: ConflictSides,
    ticket: { ticket: string; device_id: string },
    signal: AbortSignal,
  ): Promise<Partial<MergedAccounts>> {
    let sides: Parameters<typeof mergeAccounts>[0];
    try {
      sides = await requests.readConflictSides(ticket, { signal });
    } catch (error) {
      // It may have been merged by a request whose answer got lost: then the bare choice has the same outcome.
      if (error instanceof ServiceError && error.code === 'conflict_stale') return {};
      throw error;
    }
    try {
      return mergeAccounts(sides, profile.rulesOf, local.userId);
    } catch (error) {
      // What a rule throws is the game's own: it is reported, and never part of an error of ours.
      ports.report(error);
      throw new StateError('merge_failed', "The game's rules failed.");
    }
  }

  async function closed(sides: ConflictSides): Promise<void> {
    open = null;
    if (now().state.name === 'conflict') await now().applyConflict('close', sides);
  }

  return {
    get open() {
      return open;
    },
    signIn,
    asGuest: async (operation) => {
      const answer = await requests.signInWith('guest', { device_id: ports.deviceId() }, { signal: operation.signal });
      await signIn(now().read(answer, 'device'), operation, answer.userId);
    },
    enter,
    switchTo,
    peek: (credential, signal) => {
      const ask = (options: RequestOptions) => requests.peek(credential.method, bodyOf(credential), options);
      return now().session === null ? ask({ signal }) : refresher.authorized(ask, signal);
    },
    reopen: (sides) => {
      open = { it: offer(sides), heard: ports.isConflictHeard() };
      return now().applyConflict('conflict', sides);
    },
    raiseConflict: () => open !== null && ports.emitConflict(open.it.conflict),
  };
}
