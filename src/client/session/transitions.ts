import type { Conflict } from '../auth/conflict.js';
import type { ClientEventSource, ClientEvents } from '../client-events.js';
import { superseded } from './session-errors.js';
import { emptyRecord, isLinked, type Session, type SessionRecord } from './session-store.js';
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
  /** The account is left: an open conflict ends without a choice. */
  closeConflict?(): void;
  /** Another tab has left the account, or has ended its conflict. */
  overtakeConflict?(): void;
  /** The service has refused the session: an open choice may have led to another one. */
  refused?(): Promise<void>;
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
  /** Tells the subscribers of a change, and waits for what they do. */
  notify(change: keyof SessionSubscriber): Promise<unknown>;
  /** Puts another record in the place of this one where the account and the state stay as they are. */
  replaceRecord(next: SessionRecord): void;
  /** Carries out a trigger. Memory changes at once; the promise settles after the effects and the events. */
  carryOut(type: Trigger['type'], next: SessionRecord, options?: TransitionOptions): Promise<void>;
  dispose(): void;
}

interface TransitionDependencies {
  emit: ClientEventSource['emit'];
  /** Ends a session at the service, in the background. */
  revoke(session: Session): void;
}

export function createTransitions({ emit, revoke }: TransitionDependencies): Transitions {
  const subscribers: SessionSubscriber[] = [];
  let record: SessionRecord = emptyRecord;
  let state: State = { name: 'starting' };
  /** The state that the game was told of last. */
  let raisedState: StateName = 'starting';
  /** The account that the game was last told of by `initialized`. */
  let initializedUserId: string | null = null;
  let isDisposed = false;

  const userId = (): string | null => record.session?.userId ?? null;

  /** Calls the subscribers in their order, and waits for all of them. */
  const notify = (change: keyof SessionSubscriber): Promise<unknown> =>
    Promise.all(subscribers.map(async (subscriber) => subscriber[change]?.()));

  /** Raises an event, after the change of state that it comes from. */
  function raise<Name extends keyof ClientEvents>(name: Name, payload: ClientEvents[Name]): void {
    raiseStateChanged();
    if (!isDisposed) emit(name, payload);
  }

  function raiseStateChanged(): void {
    const previous = raisedState;
    if (state.name === previous || isDisposed) return;
    raisedState = state.name;
    emit('stateChanged', { state: raisedState, previous });
  }

  function raiseInitialized({ session }: SessionRecord, reason: InitializedReason): void {
    // While the profile was loading, the account can have become another.
    if (session === null || session.userId !== userId()) return;
    raiseStateChanged();
    initializedUserId = session.userId;
    raise('initialized', { userId: session.userId, reason });
  }

  /** `before` is the session that the trigger has found, `next` the record that it leads to. */
  async function perform(effect: Effect, before: Session | null, next: SessionRecord, options: TransitionOptions) {
    switch (effect) {
      case 'save':
        return options.save?.();
      case 'closeConflict':
      case 'overtakeConflict':
      case 'reload':
        return notify(effect);
      case 'revoke':
        return before === null ? undefined : revoke(before);
      case 'raiseConflict':
        return raise('conflict', options.conflict as Conflict);
      case 'raiseExpired':
        return raise('sessionExpired', { userId: before?.userId as string });
      default:
        return raiseInitialized(next, effect.split(':')[1] as InitializedReason);
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
      return initializedUserId !== null && userId() !== null && initializedUserId !== userId();
    },
    get isDisposed() {
      return isDisposed;
    },
    subscribe: (subscriber) => void subscribers.push(subscriber),
    notify,
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
      void notify('sessionChanged');
      for (const effect of step.effects) await perform(effect, before, next, options);
      raiseStateChanged();
    },
    dispose: () => {
      isDisposed = true;
      record = emptyRecord;
    },
  };
}
