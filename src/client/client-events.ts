import type { Conflict } from './auth/conflict.js';
import { createEvents, type EventSource } from './events.js';
import type { SyncStatus } from './profile/collection.js';
import type { InitializedReason, StateName } from './session/state-machine.js';
import type { StorageName } from './storage/storage-port.js';

/**
 * What `client.events` raises, by name, with what each listener gets. State is saved before an event is raised, and
 * an event before the promise of its call settles. docs/interface.md#events
 */
export interface ClientEvents {
  /**
   * A method belongs to another account, and the player has to choose. While it has a listener, the call that met the
   * conflict waits for the choice. `OnSystemProfileConflictAppeared` of the interface.
   */
  conflict: Conflict;
  /**
   * An account's profile has been loaded: at the start, and once after every change of account.
   * `OnSmartObjectsInitialized` of the interface.
   */
  initialized: {
    /** Null only where the network is switched off and there is no account yet. */
    userId: string | null;
    /** Why it was loaded. */
    reason: InitializedReason;
  };
  /** The state of the client has changed, as from `guest` to `linked`. docs/interface.md#states-and-transitions */
  stateChanged: {
    /** The state that the client is in now. */
    state: StateName;
    /** The state that it was in before. */
    previous: StateName;
  };
  /** The status of the player's saves has changed, of all collections together. */
  syncChanged: {
    /** Their status now. */
    status: SyncStatus;
    /** Their status before. */
    previous: SyncStatus;
  };
  /**
   * The device's storage fails: what is set from now on is in this page's memory alone, and is stored as soon as that
   * works again. Say that the page should stay open.
   */
  storageDegraded: {
    /** The storage that fails. */
    from: StorageName;
    /** Where it is kept meanwhile: in `memory`, which ends with the page. */
    to: StorageName;
  };
  /** The device's storage works again, and has everything that was set meanwhile. */
  storageRestored: {
    /** The storage that works again. */
    to: StorageName;
  };
  /** The service does not take the session any more, and nobody has been signed in in its place. */
  sessionExpired: {
    /** Whose session it was. */
    userId: string;
  };
}

/** Raises the events of one client: every part of it emits here, and nowhere else. */
export interface ClientEventSource extends EventSource<ClientEvents> {
  /** Ends what `relay` hears. The listeners of `events` stay. */
  stopRelay(): void;
}

/**
 * Makes the events of a client. `relay` hears each of them too, and counts as a listener where it says that it has
 * one.
 */
export function createClientEvents(
  report: (error: unknown) => void,
  relay?: Pick<EventSource<ClientEvents>, 'emit' | 'hasListener'>,
): ClientEventSource {
  const own = createEvents<ClientEvents>(report);
  let relayed = relay;
  return {
    events: own.events,
    emit: (name, payload) => {
      own.emit(name, payload);
      relayed?.emit(name, payload);
    },
    hasListener: (name) => own.hasListener(name) || relayed?.hasListener(name) === true,
    stopRelay: () => {
      relayed = undefined;
    },
  };
}
