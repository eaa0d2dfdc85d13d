import type { ClientEvents } from '../client-events.js';
import { createEvents, type EventSource, type Events as EventsOf } from '../events.js';
import { report } from '../platform/platform.js';
import type { SyncStatus } from '../profile/collection.js';
import type { InitializedReason, StateName } from '../session/state-machine.js';
import type { StorageName } from '../storage/storage-port.js';
import { type SystemProfileConflict, toSystemProfileConflict } from './conflict.js';
import { toPascalCase } from './spelling.js';

/**
 * What `Events` raises, by name, with what each listener gets. State is saved before an event is raised, and an event
 * before the promise of its call settles. docs/interface.md#events
 */
export interface SpecEvents {
  /**
   * A method belongs to another account, and the player has to choose. While it has a listener, the call that met the
   * conflict waits for the choice.
   */
  OnSystemProfileConflictAppeared: SystemProfileConflict;
  /** An account's profile has been loaded: at the start, and once after every change of account. */
  OnSmartObjectsInitialized: {
    /** Null only where the network is switched off and there is no account yet. */
    UserId: string | null;
    /** Why it was loaded. */
    Reason: InitializedReason;
  };
  /** The state of the client has changed, as from `guest` to `linked`. docs/interface.md#states-and-transitions */
  OnStateChanged: {
    /** The state that the client is in now. */
    State: StateName;
    /** The state that it was in before. */
    Previous: StateName;
  };
  /** The status of the player's saves has changed, of all collections together. */
  OnSyncChanged: {
    /** Their status now. */
    Status: SyncStatus;
    /** Their status before. */
    Previous: SyncStatus;
  };
  /**
   * The device's storage fails: what is set from now on is in this page's memory alone, and is stored as soon as that
   * works again. Say that the page should stay open.
   */
  OnStorageDegraded: {
    /** The storage that fails. */
    From: StorageName;
    /** Where it is kept meanwhile: in `memory`, which ends with the page. */
    To: StorageName;
  };
  /** The device's storage works again, and has everything that was set meanwhile. */
  OnStorageRestored: {
    /** The storage that works again. */
    To: StorageName;
  };
  /** The service does not take the session any more, and nobody has been signed in in its place. */
  OnSessionExpired: {
    /** Whose session it was. */
    UserId: string;
  };
}

const specNames = {
  conflict: 'OnSystemProfileConflictAppeared',
  initialized: 'OnSmartObjectsInitialized',
  stateChanged: 'OnStateChanged',
  syncChanged: 'OnSyncChanged',
  storageDegraded: 'OnStorageDegraded',
  storageRestored: 'OnStorageRestored',
  sessionExpired: 'OnSessionExpired',
} as const satisfies Record<keyof ClientEvents, keyof SpecEvents>;

/** What the game listens for, also while there is no client. */
const source = /* @__PURE__ */ createEvents<SpecEvents>(report);

/** Raises each event of a client under its name in the interface. */
export const specRelay: Pick<EventSource<ClientEvents>, 'emit' | 'hasListener'> = {
  emit: (name, payload) => {
    const spelled = 'resolve' in payload ? toSystemProfileConflict(payload) : toPascalCase(payload);
    source.emit(specNames[name], spelled as SpecEvents[(typeof specNames)[typeof name]]);
  },
  hasListener: (name) => source.hasListener(specNames[name]),
};

/**
 * Subscriptions to what the client raises. They may be made before `Main.Init`, and survive `Main.Dispose`.
 *
 * @example
 * ```ts
 * const end = Events.on('OnSyncChanged', ({ Status }) => showBadge(Status));
 * end(); // no longer
 * ```
 */
export const Events: EventsOf<SpecEvents> = {
  on: (name, listener) => {
    checkName(name);
    return source.events.on(name, listener);
  },
  once: (name, listener) => {
    checkName(name);
    return source.events.once(name, listener);
  },
  off: (name, listener) => source.events.off(name, listener),
};

function checkName(name: keyof SpecEvents): void {
  if (!Object.values(specNames).includes(name)) throw new TypeError('name must be an event of the interface');
}
