import type { Conflict } from './auth/conflict.js';
import type { SyncStatus } from './profile/collection.js';
import type { InitializedReason, StateName } from './session/state-machine.js';
import type { StorageName } from './storage/storage-port.js';

/** What a client raises. State is saved before, and no listener can change an outcome. @see Spec 6 */
export interface ClientEvents {
  /** A method belongs to another account: the player has to choose. OnSystemProfileConflictAppeared of the spec. */
  conflict: Conflict;
  /** An account's profile has been (re)loaded; `userId` is null where the network is switched off and there is no account yet. OnSmartObjectsInitialized of the spec. */
  initialized: { userId: string | null; reason: InitializedReason };
  stateChanged: { state: StateName; previous: StateName };
  /** How the player's saves stand: `synced`, `saving`, `offline` or `conflict`. */
  syncChanged: { status: SyncStatus; previous: SyncStatus };
  /** The storage could not be written any more; what is known is kept one step lower. */
  storageDegraded: { from: StorageName; to: StorageName };
  /** The service no longer takes the session, and nobody was signed in in its place. */
  sessionExpired: { userId: string };
}
