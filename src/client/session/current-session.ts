import type { ServiceClock } from '../../http/service-clock.js';
import type { ConflictSides } from '../../protocol/conflict.js';
import { type SaveLimits, saveLimits } from '../../protocol/gaps/save-limits.js';
import type { PlayerAuthAnswer } from '../../protocol/player-messages.js';
import type { Conflict } from '../auth/conflict.js';
import type { ClientEventSource } from '../client-events.js';
import type { ExternalValues } from '../config.js';
import { checkTokenOwner, newSession } from './new-session.js';
import { storageUnavailable, superseded } from './session-errors.js';
import {
  type Basis,
  isOfDevice,
  type OpenChoice,
  type Session,
  type SessionRecord,
  type SessionStore,
} from './session-store.js';
import type { State, Trigger } from './state-machine.js';
import { createTransitions, type SessionSubscriber, type Transitions } from './transitions.js';

/** The session of this client: in memory at once, and in the storage that its tabs share. */
export interface CurrentSession {
  readonly session: Session | null;
  readonly userId: string | null;
  readonly state: State;
  /** The device's own id, a secret; empty until `open` has read it. */
  readonly deviceId: string;
  /**
   * The device's public name for its writes. Waited for where the storage fails: by a name of this page alone, the
   * service could not know again what another tab sends too.
   */
  writer(): Promise<string>;
  /** The account that the device's own id leads to, as far as is known. */
  readonly deviceUserId: string | null;
  /** Whether the account is another than the one of the last event `initialized`. */
  readonly isSwitching: boolean;
  /** Whether the client is gone: nobody is signed in, and what is stored stays as it is. */
  readonly isDisposed: boolean;
  /** Beyond what the service refuses a save, as it said last; its defaults where it has said nothing. */
  readonly limits: SaveLimits;
  /** The service's clock, ms since 1970. */
  serverTime(): number;
  /**
   * Adds what another part of the client does when the session changes. The subscriber that came first is called
   * first.
   */
  subscribe(subscriber: SessionSubscriber): void;
  /**
   * Throws `storage_unavailable` until `open` has read what is stored: nobody may be put in the place of who is there.
   */
  requireOpen(): void;
  /** Gives the device's own id once it is on the disk: without it nobody may be signed in. */
  identify(): Promise<string>;
  /**
   * Reads what is stored; `restore` takes the session over, and gives back the conflict that was open in it, with the
   * choice that was asked for.
   */
  open(options: { restore: boolean }): Promise<OpenedConflict | null>;
  /**
   * Carries out a trigger of the state machine, to the account of the session given. In memory it holds at once; the
   * promise settles after the events. With `yields` it takes the place of nobody whom another tab has signed in since
   * nobody was known here: that one is here then, and it rejects with `aborted` where that is another account.
   */
  apply(
    type: Exclude<Trigger['type'], 'adopt' | 'conflict' | 'close'>,
    change: { session: Session | null; deviceUserId?: string | null },
    options?: { yields?: boolean },
  ): Promise<void>;
  /** Raises the conflict, and keeps it for the next start until it ends. The account stays as it is. */
  openConflict(sides: ConflictSides, conflict: Conflict): Promise<void>;
  /** The conflict has ended without a choice. */
  closeConflict(sides: ConflictSides): Promise<void>;
  /** Keeps the choice that is about to be asked for in the open conflict, or drops it with null. */
  keepChoice(choice: OpenChoice | null): Promise<void>;
  /** The service has refused the session: what became of an open choice is found out first. */
  refused(): Promise<unknown>;
  /** Takes new tokens for the same account. */
  renewTokens(session: Session): Promise<void>;
  /** Takes over what another tab has stored. */
  sync(): Promise<void>;
  /**
   * Reads the session that the service has answered with, and sets the service's clock. `method` is the method of the
   * request.
   */
  readAnswer(answer: PlayerAuthAnswer, method: string): Session;
  /**
   * Does the same with what the game's own back end has given. Throws with `invalid_argument` for another user's
   * token.
   */
  readExternal(userId: string, values: ExternalValues): Session;
  dispose(): void;
}

/** A conflict that was open when a page closed. */
export interface OpenedConflict {
  readonly sides: ConflictSides;
  readonly choice: OpenChoice | null;
}

export function createCurrentSession(dependencies: {
  store: SessionStore;
  clock: ServiceClock;
  emit: ClientEventSource['emit'];
  /** Ends a session at the service, in the background. */
  revoke(session: Session): void;
  /** The game's own device id; without one the stored one counts. */
  deviceId: string | undefined;
}): CurrentSession {
  const { store, clock } = dependencies;
  const transitions = createTransitions(dependencies);
  let deviceId = '';
  const stored = createStoredSession(transitions, store, clock);
  const sessionOf = (userId: string): Session | null =>
    userId === transitions.userId ? transitions.record.session : null;

  const identify = async (): Promise<string> => dependencies.deviceId ?? store.deviceId();

  async function open({ restore }: { restore: boolean }): Promise<OpenedConflict | null> {
    const ownId = await identify();
    // A player who is known here already plays on without it.
    store.writer().catch(() => {});
    const record = await store.read();
    deviceId = ownId;
    clock.restore(record.clockOffset);
    if (record.session === null || !restore) {
      transitions.replaceRecord({ ...record, session: null });
      return null;
    }
    await transitions.carryOut('restore', record);
    const { conflict, choice } = record;
    if (conflict === null) return null;
    // A choice that was asked for may have been carried out in time.
    if (conflict.expiresAt > clock.now() || choice !== null) return { sides: conflict, choice };
    await store.keepConflict(conflict, false);
    return null;
  }

  return {
    get session() {
      return transitions.record.session;
    },
    get userId() {
      return transitions.userId;
    },
    get state() {
      return transitions.state;
    },
    get deviceId() {
      return deviceId;
    },
    writer: store.writer,
    get deviceUserId() {
      return transitions.record.deviceUserId;
    },
    get isSwitching() {
      return transitions.isSwitching;
    },
    get isDisposed() {
      return transitions.isDisposed;
    },
    get limits() {
      return { ...saveLimits, ...transitions.record.session?.limits } as SaveLimits;
    },
    serverTime: clock.now,
    subscribe: transitions.subscribe,
    requireOpen: () => {
      if (deviceId === '') throw storageUnavailable();
    },
    identify,
    open,
    apply: (type, account, { yields = false } = {}) => {
      const known = stored.generation(yields);
      const { record } = transitions;
      const change = { ...account, guestId: guestLeftBy(type, record), generation: known + 1 };
      return stored.change(type, { ...record, ...change }, { known, yields });
    },
    openConflict: stored.openConflict,
    closeConflict: stored.closeConflict,
    keepChoice: store.keepChoice,
    refused: () => transitions.notify('refused'),
    renewTokens: (session) => {
      const { record } = transitions;
      return stored.change('renew', { ...record, session }, { known: record.generation, yields: false });
    },
    sync: stored.sync,
    readAnswer: ({ userId, accessToken, refreshToken, methods, country, limits, time }, method) => {
      clock.correct(time);
      const known = [...new Set([...(sessionOf(userId)?.methods ?? []), method])];
      return newSession({ userId, accessToken, refreshToken, methods: methods ?? known, country, limits }, time);
    },
    readExternal: (userId, { accessToken, country = null, serverTime }) => {
      checkTokenOwner(accessToken, userId);
      if (serverTime !== undefined) clock.correct(serverTime);
      const { methods = ['custom'], limits } = sessionOf(userId) ?? {};
      return newSession({ userId, accessToken, refreshToken: null, methods, country, limits }, clock.now());
    },
    dispose: transitions.dispose,
  };
}

/** The guest whom a trigger signs out; undefined where it does no such thing. */
function guestLeftBy(type: Trigger['type'], { session }: SessionRecord): string | undefined {
  return type === 'signOut' && session !== null && isOfDevice(session) ? session.userId : undefined;
}

/** Carries out what this tab decides and stores it, and takes over what another tab has stored. */
function createStoredSession(transitions: Transitions, store: SessionStore, clock: ServiceClock) {
  let writes = 0;
  /** The generation that was known before another tab had signed somebody in; null where nobody is there. */
  let before: number | null = null;
  /** Whether the storage holds the conflict that this tab has opened. */
  let isConflictStored = false;

  async function adopt(stored: SessionRecord): Promise<void> {
    if (stored.session !== null) return transitions.carryOut('adopt', stored);
    if (transitions.record.session !== null) return transitions.carryOut('adoptSignOut', stored);
    transitions.replaceRecord(stored);
  }

  async function save(next: SessionRecord, basis: Basis): Promise<void> {
    writes += 1;
    const { dropped, stored } = await store.save({ ...next, clockOffset: clock.offset }, basis);
    writes -= 1;
    if (!dropped) {
      if (transitions.record === next) transitions.replaceRecord(stored);
      return;
    }
    // Spec gap: a write that is based on an older generation is dropped, and what is stored counts in this tab too.
    if (stored.generation >= transitions.record.generation) await adopt(stored);
    if (transitions.userId !== (next.session?.userId ?? null)) throw superseded();
  }

  async function sync(): Promise<void> {
    const stored = await store.readIfWorking();
    // A write of this tab that is under way finds out by itself, and what was stored before it must not undo it.
    if (stored === undefined || transitions.isDisposed || writes > 0) return;
    // Another tab had restored the same conflict at its start, and has ended it.
    if (isConflictStored && stored.conflict === null) void transitions.notify('overtakeConflict');
    if (transitions.state.name === 'starting') {
      // Nobody is signed in here yet: only the generation counts, so that the next write is not taken for an old one.
      before = stored.session === null ? null : (before ?? transitions.record.generation);
      transitions.replaceRecord({ ...stored, session: null });
      return;
    }
    const { record, userId } = transitions;
    const isOther = (stored.session?.userId ?? null) !== userId;
    const ahead = stored.generation - record.generation;
    if (ahead > 0 || (ahead === 0 && isOther)) {
      adopt(stored).catch(() => {});
    } else if (ahead === 0 && (stored.session?.expiresAt ?? 0) > (record.session?.expiresAt ?? 0)) {
      transitions.replaceRecord(stored);
      void transitions.notify('sessionChanged');
    }
  }

  return {
    sync,
    /** What a write rests on; one that yields, on what there was before another tab has signed somebody in. */
    generation: (yields: boolean): number => (yields ? before : null) ?? transitions.record.generation,
    change: (
      type: Trigger['type'],
      next: SessionRecord,
      { known: generation, yields }: { known: number; yields: boolean },
    ): Promise<void> => {
      // A sign-out counts, whatever another tab has written in the meantime.
      const always = type === 'signOut' || type === 'end';
      const basis = { generation, always, overNobody: yields, keepsConflict: type !== 'local' };
      return transitions.carryOut(type, next, { save: () => save(next, basis) });
    },
    openConflict: (sides: ConflictSides, conflict: Conflict): Promise<void> => {
      isConflictStored = false;
      const keep = async (): Promise<void> => {
        await store.keepConflict(sides, true);
        isConflictStored = true;
      };
      return transitions.carryOut('conflict', transitions.record, { save: keep, conflict });
    },
    closeConflict: (sides: ConflictSides): Promise<void> => {
      isConflictStored = false;
      return transitions.carryOut('close', transitions.record, { save: () => store.keepConflict(sides, false) });
    },
  };
}
