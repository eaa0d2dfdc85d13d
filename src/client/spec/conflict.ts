import type { ConflictKind, ShownField } from '../../protocol/conflict.js';
import type { Conflict } from '../auth/conflict.js';
import { runWithCallback } from './callbacks.js';
import type { AuthResult } from './results.js';
import { toPascalCase } from './spelling.js';

/** One side of a conflict: an account, and what it holds. */
export interface SystemProfileConflictSide {
  /** The account's user id. */
  UserId: string;
  /** What leads to the account: `device`, `name`, `identity`, `social`, `custom`, `recovery`. */
  Methods: string[];
  /** When the account was made, in ms since 1970. */
  CreatedAt: number;
  /** When an entry was last written, in ms since 1970; null where the account has none. */
  ChangedAt: number | null;
  /** How many entries it has. */
  Entries: number;
  /** The size of all entries together, in bytes of JSON in UTF-8. */
  Bytes: number;
  /** The fields that `ConflictFields` of the configuration names, with their values. */
  Fields: ShownField[];
}

/** How one side of a conflict has an entry. */
export interface SystemProfileConflictEntry {
  /** Its version. */
  version: number;
  /** Its size, in bytes of UTF-8 JSON. */
  bytes: number;
}

/** An entry that at least one side of a conflict has. */
export interface SystemProfileConflictDifference {
  /** The collection of the entry. */
  Collection: string;
  /** The key of the entry. */
  Key: string;
  /** How this client's account has it; null where it has no such entry. */
  Local: SystemProfileConflictEntry | null;
  /** How the owner's account has it; null where it has no such entry. */
  Cloud: SystemProfileConflictEntry | null;
  /** Whether both sides hold the same value. */
  Same: boolean;
}

/**
 * A method belongs to another account than this client's, and the player has to choose. Nothing changes before a
 * choice. A client that starts while the conflict is open raises it again. docs/interface.md#states-and-transitions
 *
 * @example
 * ```ts
 * Events.on('OnSystemProfileConflictAppeared', async (conflict) => {
 *   const keep = await askThePlayer(conflict);
 *   await conflict.Resolve(keep === 'local' ? 'Local' : 'Cloud');
 * });
 * ```
 */
export interface SystemProfileConflict {
  /** The method that both accounts claim: `name`, `identity`, `social` or `recovery`. */
  readonly Method: string;
  /** The account that this client is. */
  readonly Local: SystemProfileConflictSide;
  /** The account that owns the method. */
  readonly Cloud: SystemProfileConflictSide;
  /** `fast-forward`: one side has nothing of its own, so that nothing is lost by taking the other. Else `diverged`. */
  readonly Kind: ConflictKind;
  /** The side that has all that the other one has, as `Resolve` takes it; null where they diverged. */
  readonly Ahead: 'Local' | 'Cloud' | null;
  /** The entries of both sides, up to 200, those that differ first. */
  readonly Diff: readonly SystemProfileConflictDifference[];
  /** Whether the game allows the choice `Merge`. */
  readonly Mergeable: boolean;
  /** When it ends by itself, with `conflict_expired`: by the service's clock, in ms since 1970. */
  readonly ExpiresAt: number;
  /**
   * Carries the player's choice out. What this device has not sent yet is sent first, and what loses is kept for 30
   * days (`Main.Client().account.snapshots()`).
   *
   * - `Local` moves the method to this account.
   * - `Cloud` signs in to the account that owns the method; then `OnSmartObjectsInitialized` is raised.
   * - `Merge` does the same, and writes into it what the merge rules of the collections make of both profiles.
   * - `Cancel` leaves everything as it is.
   *
   * Never rejects, and gives what the call gives that met the conflict. Codes, and which of them leave it open: as
   * `resolve` of `Conflict`.
   */
  Resolve(choice: 'Local' | 'Cloud' | 'Merge' | 'Cancel'): Promise<AuthResult>;
}

/** Gives a conflict of the client the interface's own spelling. */
export function toSystemProfileConflict({ resolve, ...sides }: Conflict): SystemProfileConflict {
  const { local, cloud, ahead, diff } = sides;
  return {
    ...toPascalCase(sides),
    Local: toPascalCase(local),
    Cloud: toPascalCase(cloud),
    Ahead: ahead && (ahead === 'local' ? 'Local' : 'Cloud'),
    Diff: diff.map(toPascalCase),
    // What is no choice at all is refused by `resolve`.
    Resolve: (choice) =>
      runWithCallback(async () => toPascalCase(await resolve(String(choice).toLowerCase() as 'local'))),
  };
}
