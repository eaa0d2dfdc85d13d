import type { JsonObject } from '../protocol/messages.js';
import type { AccountAnswer, DeletionAnswer, PlacedEntry, SnapshotSummary } from '../protocol/player-messages.js';
import { checkText } from './config.js';
import type { ProfileRoom } from './profile/profile.js';
import type { PlayerOptions, Requests } from './requests.js';
import type { CallOptions } from './results.js';
import type { Authorized } from './session/authorized-requests.js';
import type { CurrentSession } from './session/current-session.js';

/** A way into the account; `label` is the name as the player wrote it, or the issuer or platform. Times in ms since 1970. */
export type AccountMethod = AccountAnswer['methods'][number];

/** An entry that was written back, at its new version. */
export type RestoredEntry = Omit<PlacedEntry, 'value'>;

/**
 * The player's account. Rejects with an `SdkError`: `not_authenticated`, `network` and so on, and what each call says. Throws
 * TypeError, with the argument's name, for what is none.
 */
export interface Account {
  /** What leads to the account. */
  methods(options?: CallOptions): Promise<AccountMethod[]>;
  /** Takes a method away; others may have it then. Gives what is left. Codes: `would_orphan` for the last one, `not_found`. */
  unlink(method: string, options?: CallOptions): Promise<AccountMethod[]>;
  /** Everything that the service holds on the player. */
  export(options?: CallOptions): Promise<JsonObject>;
  /**
   * Deletes the account, and signs out. Until `removedAt`, ms since 1970, `auth.switchTo` with `restore` takes it back, by any
   * credential of the account; the code, to be shown to the player, is one for whoever has no other.
   */
  delete(options?: CallOptions): Promise<{ removedAt: number; recoveryCode: string }>;
  /** What lost to a choice in a conflict, a forced write, a mismatch or a restore; newest first, kept for 30 days. */
  snapshots(options?: CallOptions): Promise<SnapshotSummary[]>;
  /** Writes a snapshot back; what that overwrites becomes a snapshot itself. Codes: `not_found`, `too_large`. */
  restore(id: string, options?: CallOptions): Promise<RestoredEntry[]>;
  /** The other sessions that came from the name end. Codes: `invalid_credentials` for a wrong old one, `not_found` without a name. */
  changePassword(oldPassword: string, newPassword: string, options?: CallOptions): Promise<void>;
  /** Ends every session of the account, on all devices, and signs out here. */
  signOutEverywhere(options?: CallOptions): Promise<void>;
  /** Makes a code to write down, for `auth.switchTo`; the former one ends. */
  recoveryCode(options?: CallOptions): Promise<string>;
}

export function createAccount({
  currentSession,
  requests,
  authorized,
  profile,
}: {
  currentSession: CurrentSession;
  requests: Requests;
  authorized: Authorized;
  profile: ProfileRoom;
}): Account {
  /** The service has ended the sessions of an account; where another account is here by now, that one stays. */
  async function endSession(userId: string, forgetsDevice: boolean): Promise<void> {
    if (currentSession.userId !== userId) return;
    const { deviceUserId } = currentSession;
    const isForgotten = forgetsDevice && deviceUserId === userId;
    // The service has done it: a failure to store it here changes nothing.
    await currentSession
      .apply('end', { session: null, deviceUserId: isForgotten ? null : deviceUserId })
      .catch(() => {});
  }

  async function unlink(method: string, player: PlayerOptions): Promise<AccountMethod[]> {
    const left = await requests.unlinkMethod(method, player);
    const { userId, methods } = left ?? (await requests.readAccount(player));
    // Another tab may have newer tokens, which must not be written over.
    await currentSession.sync();
    const { session } = currentSession;
    if (session?.userId === userId) {
      const next = { ...session, methods: methods.map((one) => one.method) };
      await currentSession.apply('renew', { session: next }).catch(() => {});
    }
    return methods;
  }

  async function remove(options: CallOptions | undefined): Promise<Omit<DeletionAnswer, 'userId'>> {
    const { userId, removedAt, recoveryCode } = await authorized(requests.deleteAccount, options?.signal);
    await endSession(userId, true);
    await profile.forget(userId).catch(() => {});
    return { removedAt, recoveryCode };
  }

  async function restore(id: string, options: CallOptions | undefined): Promise<RestoredEntry[]> {
    // What is unsent would be sent after it and write over it.
    await profile.flush(options);
    const { entries } = await authorized((player) => requests.restoreSnapshot(id, player), options?.signal);
    // The snapshot is restored already: where this fails, the next load shows it.
    await profile.refresh().catch(() => {});
    return entries;
  }

  return {
    methods: async (options) => (await authorized(requests.readAccount, options?.signal)).methods,
    unlink: (method, options) => {
      checkWord(method, 'method');
      return authorized((player) => unlink(method, player), options?.signal);
    },
    export: (options) => authorized(requests.exportAccount, options?.signal),
    delete: remove,
    snapshots: async (options) => (await authorized(requests.listSnapshots, options?.signal)).snapshots,
    restore: (id, options) => {
      checkWord(id, 'id');
      return restore(id, options);
    },
    changePassword: (oldPassword, newPassword, options) => {
      checkText(oldPassword, 'oldPassword');
      checkText(newPassword, 'newPassword');
      return authorized((player) => requests.changePassword(oldPassword, newPassword, player), options?.signal);
    },
    signOutEverywhere: async (options) => {
      const endedUserId = await authorized(async (player, userId) => {
        await requests.signOutEverywhere(player);
        return userId;
      }, options?.signal);
      await endSession(endedUserId, false);
    },
    recoveryCode: async (options) => (await authorized(requests.makeRecoveryCode, options?.signal)).code,
  };
}

/** Checks what becomes a part of an address. */
function checkWord(value: unknown, name: string): void {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value)) throw new TypeError(`${name} must be a word`);
}
