import type { Conflict } from '../auth/conflict.js';
import type { ClientEventSource } from '../client-events.js';
import { superseded } from './session-errors.js';
import { emptyRecord, type Session, type SessionRecord } from './session-store.js';
import {
  type Effect,
  type InitializedReason,
  type State,
  type StateName,
  type Trigger,
  transition,
} from './state-machine.js';

/**
 * What another part of the client does when the session changes. It is built after the session, and subscribes to it.
 */
export interface SessionSubscriber {
  /** The session or its tokens have changed. */
  sessionChanged?(): void;
  /** The account is left, or another tab has ended its conflict: an open conflict ends without a choice. */
  closeConflict?(): void;
  /**
   * The account is another: drops what was loaded of the one before, and loads this one's. The transition waits for
   * it.
   */
  reload?(): Promise<void>;
}

/** What one transition needs besides the record that it leads to. */
interface TransitionOptions {
  /** Stores the record; left out where another tab has stored it already. */
  save?: () => Promise<void>;
  /** The conflict that the trigger `conflict` opens. */
  conflict?: Conflict;
}

/** The session of this tab in memory, and the only place that changes it and raises the events of the session. */
export interface Transitions {
  readonly record: SessionRecord;
  readonly state: State;
  readonly userId: string | null;
  readonly isSwitching: boolean;
  readonly isDisposed: boolean;
  subscribe(subscriber: SessionSubscriber): void;
  /** Puts another record in the place of this one where the account and the state stay as they are. */
  replaceRecord(next: SessionRecord): void;
  /** Carries out a trigger. Memory changes at once; the promise settles after the effects and the events. */
  carryOut(type: Trigger['type'], next: SessionRecord, options?: TransitionOptions): Promise<void>;
  sessionChanged(): void;
  closeConflict(): void;
  dispose(): void;
}

export function createTransitions(dependencies: {
  emit: ClientEventSource['emit'];
  /** Ends a session at the service, in the background. */
  revoke(session: Session): void;
}): Transitions {
  const announcer = createAnnouncer(dependencies.emit);
  const subscribers: SessionSubscriber[] = [];
  let record: SessionRecord = emptyRecord;
  let state: State = { name: 'starting' };
  let isDisposed = false;

  const userId = (): string | null => record.session?.userId ?? null;

  function sessionChanged(): void {
    for (const subscriber of subscribers) subscriber.sessionChanged?.();
  }

  function closeConflict(): void {
    for (const subscriber of subscribers) subscriber.closeConflict?.();
  }

  async function perform(
    effect: Effect,
    before: Session | null,
    next: SessionRecord,
    { save, conflict }: TransitionOptions,
  ): Promise<void> {
    switch (effect) {
      case 'save':
        return save?.();
      case 'closeConflict':
        return closeConflict();
      case 'revoke':
        return before === null ? undefined : dependencies.revoke(before);
      case 'reload':
        for (const subscriber of subscribers) await subscriber.reload?.();
        return undefined;
      case 'raiseConflict':
        return announcer.conflict(state.name, conflict as Conflict);
      case 'raiseExpired':
        return announcer.expired(state.name, before?.userId as string);
      default: {
        const loadedUserId = next.session?.userId;
        // While the profile was loading, the account can have become another.
        if (loadedUserId === undefined || loadedUserId !== userId()) return announcer.stateChanged(state.name);
        return announcer.initialized(state.name, loadedUserId, effect.split(':')[1] as InitializedReason);
      }
    }
  }

  return {
    get record() {
      return record;
    },
    get state() {
      return state;
    },
    get userId() {
      return userId();
    },
    get isSwitching() {
      const { initializedUserId } = announcer;
      return initializedUserId !== null && userId() !== null && initializedUserId !== userId();
    },
    get isDisposed() {
      return isDisposed;
    },
    subscribe: (subscriber) => void subscribers.push(subscriber),
    replaceRecord: (next) => {
      record = next;
    },
    carryOut: async (type, next, options = {}) => {
      const { session } = next;
      const trigger = { type, linked: isLinked(session), sameAccount: session?.userId === userId() };
      const step = isDisposed ? null : transition(state, trigger as Trigger);
      if (step === null) throw superseded();
      const before = record.session;
      state = step.state;
      record = next;
      sessionChanged();
      for (const effect of step.effects) await perform(effect, before, next, options);
      announcer.stateChanged(state.name);
    },
    sessionChanged,
    closeConflict,
    dispose: () => {
      isDisposed = true;
      announcer.stop();
      record = emptyRecord;
    },
  };
}

/** Raises the events of the session, each after the change of state that it comes from. */
function createAnnouncer(emit: ClientEventSource['emit']) {
  let raised: StateName = 'starting';
  let initializedUserId: string | null = null;
  let isStopped = false;

  function stateChanged(state: StateName): void {
    if (state === raised || isStopped) return;
    const previous = raised;
    raised = state;
    emit('stateChanged', { state, previous });
  }

  return {
    /** The account that the game was last told of by `initialized`. */
    get initializedUserId() {
      return initializedUserId;
    },
    stateChanged,
    initialized: (state: StateName, userId: string, reason: InitializedReason): void => {
      stateChanged(state);
      if (isStopped) return;
      initializedUserId = userId;
      emit('initialized', { userId, reason });
    },
    conflict: (state: StateName, conflict: Conflict): void => {
      stateChanged(state);
      emit('conflict', conflict);
    },
    expired: (state: StateName, userId: string): void => {
      stateChanged(state);
      emit('sessionExpired', { userId });
    },
    stop: (): void => {
      isStopped = true;
    },
  };
}

/** Whether the player has linked a method: the device, the game's own user id and a recovery code are none. */
function isLinked(session: Session | null): boolean {
  return session?.methods.some((method) => !['device', 'custom', 'recovery'].includes(method)) === true;
}
