import { type ResetCode, resetCodeAnswer, type SignInCode, signInCodeAnswer } from '../protocol/admin-messages.js';
import { adminOperations } from '../protocol/admin-operations.js';
import { linkMethods } from '../protocol/conflict.js';
import type { Environment } from '../protocol/environments.js';
import { type JsonObject, jsonObject, version as versionSchema } from '../protocol/messages.js';
import { type DeletionAnswer, deletionAnswer, restoreAnswer } from '../protocol/player-messages.js';
import { checkedBy } from '../protocol/schema-check.js';
import { encodeValue } from '../protocol/value-text.js';
import type { AdminCallOptions } from './admin-pages.js';
import { type AdminRequests, callOf, onlyOnce, operationAt } from './admin-requests.js';
import { readEntryName, readObject, readUuid } from './options.js';

/** Which entry of a player. */
export interface AdminEntryOptions extends AdminCallOptions {
  /** The collection's name. */
  collection: string;
  /** The entry's key. */
  key: string;
}

/** What an entry of a player is to be. */
export interface AdminUpdateOptions extends AdminEntryOptions {
  /** The entry's new content: plain JSON of at most 150 KiB. It replaces the old content. */
  value: JsonObject;
  /** The version that the change is based on; -1 for an entry that is not there yet. */
  version: number;
}

/** What a change of an entry has made. */
export interface AdminUpdatedEntry {
  /** The entry's new version: 0 for a new entry. */
  version: number;
}

/** An entry at its version after a change. */
export interface EntryVersion {
  /** The collection's name. */
  collection: string;
  /** The entry's key. */
  key: string;
  /** The entry's version. */
  version: number;
}

/** How a player is kept out. */
export interface BanPlayerOptions extends AdminCallOptions {
  /** What the player is told: a line of at most 500 characters, which is not part of any log but the audit log. */
  reason: string;
  /** Until when, by the service's clock in ms since 1970, later than now; null, for good, by default. */
  until?: number | null | undefined;
}

/** How an account is given back. */
export interface RestorePlayerOptions extends AdminCallOptions {
  /** The device id that the player's client has: a secret of the player. None by default. */
  deviceId?: string | undefined;
}

/** What an operator changes for a player, each change with an entry in the audit log. */
export interface AdminPlayerChanges {
  /**
   * Reads everything that is held on a player, as the player can: a JSON object. Takes the scope `support`, as all that
   * follows unless it says otherwise, and the audit log has that it was given out.
   */
  export(userId: string, options?: AdminCallOptions): Promise<JsonObject>;
  /**
   * Changes an entry, if its version is the one that the change is based on; with version -1 it creates the entry
   * and overwrites none. What is overwritten is kept in a snapshot. The player's devices merge it as they do what
   * another device has written.
   *
   * Fails with `version_mismatch`, which carries `currentVersion` and `currentValue`; with `quota_exceeded` where the
   * account is full; with `account_deleted` while it is being deleted.
   */
  updateEntry(userId: string, options: AdminUpdateOptions): Promise<AdminUpdatedEntry>;
  /**
   * Writes a snapshot's entries back, each as a new version, and keeps what that overwrites in another snapshot. The
   * player's running clients load it as what another device has written. Fails as `updateEntry`, and with `not_found`.
   */
  restoreSnapshot(userId: string, snapshotId: string, options?: AdminCallOptions): Promise<EntryVersion[]>;
  /** Ends all sessions of a player. Whoever has a login method or a linked device can sign in again. */
  signOut(userId: string, options?: AdminCallOptions): Promise<void>;
  /**
   * Takes the login methods of a kind away from an account, and ends the sessions that came from them. Fails with
   * `not_found` where there are none, and with `would_orphan` for the last way into the account.
   */
  unlink(userId: string, method: string, options?: AdminCallOptions): Promise<void>;
  /** Takes a device away from an account, by its name in `get`, and ends the sessions on it. Fails as `unlink`. */
  revokeDevice(userId: string, device: string, options?: AdminCallOptions): Promise<void>;
  /**
   * Keeps a player out until a time, or for good, in the place of an earlier ban. All sessions end, and
   * whatever would begin another one fails with `account_banned`, which carries `until` and `reason`. What the
   * player has stays as it is; your `ServerClient` goes on to read and write it. Fails with `invalid_request`
   * where `until` is not in the future.
   */
  ban(userId: string, options: BanPlayerOptions): Promise<void>;
  /** Ends a ban before its time. Fails with `not_found` where the player is not banned. */
  unban(userId: string, options?: AdminCallOptions): Promise<void>;
  /**
   * Begins to delete an account, which can be restored for 30 days: by `restore`, or by the recovery code
   * in the answer, which is for the player. Takes the scope `admin`. Fails with `account_deleted` where it
   * is being deleted already.
   */
  delete(userId: string, options?: AdminCallOptions): Promise<DeletionAnswer>;
  /**
   * Takes a deletion back. With a device, that leads to the account from then on, wherever it led before, also where
   * nothing led to the account any more. Without one it fails with `not_found` where the account is not being deleted.
   */
  restore(userId: string, options?: RestorePlayerOptions): Promise<void>;
  /**
   * Makes a code that the player sets a new password by, with `auth.reset` of the game: for a player who has
   * forgotten it and has no other way in. Be sure who asks: whoever has the code has the account. It counts once, for
   * a day, and a new one takes its place. Fails with `not_found` where the account has no name, and with
   * `account_deleted` while it is being deleted.
   */
  makeResetCode(userId: string, options?: AdminCallOptions): Promise<ResetCode>;
  /**
   * Makes a code that signs the player in on another device, with `auth.switchTo({ method: 'recovery', code })` of the
   * game, so that a login method can be linked there: for a player whom nothing leads to the account any more, such as a
   * guest whose device is gone. Be sure who asks: whoever has the code has the account. It counts once, for a day; a
   * new one takes its place, and it ends with all sessions (`signOut`). Fails with `account_deleted` while the account
   * is being deleted.
   */
  makeSignInCode(userId: string, options?: AdminCallOptions): Promise<SignInCode>;
}

export function createPlayerChanges(
  { ask, write }: AdminRequests,
  { game, environment }: { game: string; environment: Environment },
): AdminPlayerChanges {
  const env = { env: environment };
  const at = (userId: string) => ({ game, user: readUuid(userId, 'userId') });

  return {
    async export(userId, options) {
      const operation = operationAt(adminOperations.exportPlayer, at(userId));
      return ask({ operation, query: env, answer: checkedBy(jsonObject), ...callOf(options) });
    },

    async updateEntry(userId, options) {
      const name = entryNameOf(options);
      const { value, version } = options;
      if (!versionSchema.safeParse(version).success) throw new TypeError('version must be an integer from -1 up');
      const { path } = operationAt(adminOperations.updatePlayerEntry, { ...at(userId), ...name });
      return write({ path, environment, valueText: encodeValue(value), version, ...callOf(options) });
    },

    async restoreSnapshot(userId, snapshotId, options) {
      const snapshot = readUuid(snapshotId, 'snapshotId');
      const operation = operationAt(adminOperations.restorePlayerSnapshot, { ...at(userId), snapshot });
      return (await ask({ operation, query: env, answer: checkedBy(restoreAnswer), ...callOf(options) })).entries;
    },

    async signOut(userId, options) {
      const operation = operationAt(adminOperations.signOutPlayer, at(userId));
      return ask<void>({ operation, query: env, answer: null, ...callOf(options) });
    },

    async unlink(userId, method, options) {
      if (!linkMethods.some((known) => known === method)) throw new TypeError(`method must be one of ${linkMethods}`);
      const operation = operationAt(adminOperations.unlinkPlayerMethod, { ...at(userId), method });
      return ask<void>({ operation, query: env, answer: null, ...callOf(options) });
    },

    async revokeDevice(userId, device, options) {
      if (typeof device !== 'string' || device === '') throw new TypeError('device must be a name of the list');
      const operation = operationAt(adminOperations.revokePlayerDevice, { ...at(userId), device });
      return ask<void>({ operation, query: env, answer: null, ...callOf(options) });
    },

    async ban(userId, options) {
      const { until = null, reason } = readObject(options, 'options');
      if (typeof reason !== 'string') throw new TypeError('reason must be a text');
      if (until !== null && !Number.isSafeInteger(until)) throw new TypeError('until must be a time in ms, or null');
      const operation = operationAt(adminOperations.banPlayer, at(userId));
      return ask<void>({ operation, query: env, body: { until, reason }, answer: null, ...callOf(options) });
    },

    async unban(userId, options) {
      const operation = operationAt(adminOperations.unbanPlayer, at(userId));
      return ask<void>({ operation, query: env, answer: null, ...callOf(options) });
    },

    async delete(userId, options) {
      const operation = operationAt(adminOperations.deletePlayer, at(userId));
      const answer = checkedBy(deletionAnswer);
      // Its answer has the recovery code, and another one would not.
      return ask({ operation, query: env, answer, mayRepeat: onlyOnce, ...callOf(options) });
    },

    async makeResetCode(userId, options) {
      const operation = operationAt(adminOperations.makeResetCode, at(userId));
      return ask({ operation, query: env, answer: checkedBy(resetCodeAnswer), ...callOf(options) });
    },

    async makeSignInCode(userId, options) {
      const operation = operationAt(adminOperations.makeSignInCode, at(userId));
      return ask({ operation, query: env, answer: checkedBy(signInCodeAnswer), ...callOf(options) });
    },

    async restore(userId, options = {}) {
      const { deviceId } = readObject(options, 'options');
      if (deviceId !== undefined && typeof deviceId !== 'string') throw new TypeError('deviceId must be a text');
      const operation = operationAt(adminOperations.restorePlayer, at(userId));
      const body = deviceId === undefined ? {} : { device_id: deviceId };
      return ask<void>({ operation, query: env, body, answer: null, ...callOf(options) });
    },
  };
}

export function entryNameOf(options: AdminEntryOptions): { collection: string; key: string } {
  const { collection, key } = readObject(options, 'options');
  return { collection: readEntryName(collection, 'collection'), key: readEntryName(key, 'key') };
}
