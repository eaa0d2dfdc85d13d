import { isFailure } from '../errors.js';
import type { JsonObject } from '../protocol/messages.js';
import type { AccountUsage, LinkedDevice, PlayerAuthAnswer, SnapshotSummary } from '../protocol/player-messages.js';
import { type Credential, type EncodedCredential, encodeCredential } from './auth/credentials.js';
import { checkText, type Settings } from './config.js';
import type { ProfileRoom } from './profile/profile.js';
import type { PlayerOptions, Requests, SignInMethod } from './requests.js';
import type { CallOptions } from './results.js';
import type { Authorized, AuthorizedRequest } from './session/authorized-requests.js';
import type { CurrentSession } from './session/current-session.js';
import { superseded } from './session/session-errors.js';

/** A method that leads to the account. */
export interface AccountMethod {
  /** `device`, `name`, `identity`, `social`, `custom` or `recovery`; a newer service may say another one. */
  method: string;
  /** The name as the player wrote it, the issuer, or the platform. A device has none. */
  label?: string | undefined;
  /** Of a name the e-mail address that the player has verified; absent where there is none. */
  address?: string | undefined;
  /** When that address was verified, by the service's clock, in ms since 1970; absent where nobody knows. */
  addressSince?: number | undefined;
  /** When it was linked, by the service's clock, in ms since 1970. */
  linkedAt: number;
  /** When it was last used: of a day in UTC the first time. Earlier services say nothing. */
  lastUsedAt?: number | undefined;
}

/** An entry that `account.restore` has written back. */
export interface RestoredEntry {
  /** The collection of the entry. */
  collection: string;
  /** The key of the entry. */
  key: string;
  /** Its version at the service now. */
  version: number;
}

/** An account that is being deleted, and how to take that back. */
export interface AccountDeletion {
  /**
   * When it goes for good, by the service's clock, in ms since 1970. Until then `auth.switchTo` with `restore` takes
   * it back.
   */
  removedAt: number;
  /** A code to be shown to the player: for `switchTo`, where the player has no other credential. */
  recoveryCode: string;
}

/** Options of `account.signOutEverywhere`. */
export interface SignOutEverywhereOptions extends CallOptions {
  /**
   * Every method and device that was linked then or later is unlinked, a recovery code too, but for the method
   * that the player has shown last. An e-mail address that was verified then or later is taken away. A Date, or ms
   * since 1970 by the service's clock, such as the `linkedAt` of what the player does not know.
   */
  unlinkSince?: Date | number | undefined;
}

/** Options of `account.setAddress`. */
export interface SetAddressOptions extends CallOptions {
  /**
   * The language that the code is to be sent in, as BCP 47 has it; by default the one that the browser asks for first.
   */
  language?: string | undefined;
}

/**
 * The player's account. Each call rejects with an `SdkError`: `not_authenticated` where nobody is signed in,
 * `network`, `timeout`, `aborted`, `rate_limited`, the codes of a 5xx, and those named at the call. It throws
 * TypeError, with the argument's name first, for a wrong argument.
 */
export interface Account {
  /** Reads the login methods that lead to the account. */
  methods(options?: CallOptions): Promise<AccountMethod[]>;
  /**
   * Takes a method away from the account; others may have it then. Other sessions that came from it end. Gives what is
   * left. Codes: `reauthentication_required`, `would_orphan` for the last one, `not_found`.
   */
  unlink(method: string, options?: CallOptions): Promise<AccountMethod[]>;
  /** Reads the devices that lead to the account by themselves, the one first that was linked first. */
  devices(options?: CallOptions): Promise<LinkedDevice[]>;
  /**
   * Takes a device away from the account, by the `id` that `devices` gave. The sessions on it end, except this one.
   * Codes: `would_orphan` for the last way in, `not_found`.
   */
  revokeDevice(id: string, options?: CallOptions): Promise<void>;
  /** Reads everything that the service holds on the player, as one JSON object. */
  export(options?: CallOptions): Promise<JsonObject>;
  /**
   * Reads how much the account holds, and how much it may hold: of `values` and `snapshotBytes` bytes of JSON in
   * UTF-8, of the others a number. What would make it hold more is refused with `quota_exceeded`, and
   * `collection.held()` has it until there is room.
   */
  usage(options?: CallOptions): Promise<AccountUsage>;
  /**
   * Shows a login method of this account once more, and stays signed in: for the calls that fail with
   * `reauthentication_required`, because an access token that was stolen must not make a lasting way in. It counts for
   * 15 minutes by default; a sign-in counts as well. A method that was linked less than seven days ago counts only
   * where it is the oldest but for the device. A guest needs none: the device is shown by itself. Where `methods`
   * of the error says `custom`, the game's back end signs the player in again, for `auth.external`.
   *
   * Codes: `invalid_credentials`, also for the credential of another account; `reauthentication_required` for a method
   * that does not count; `user_not_found`, `platform_not_registered`.
   *
   * @example
   * ```ts
   * await client.account.delete().catch(async (error) => {
   *   if (!isFailure(error, 'reauthentication_required')) throw error;
   *   await client.account.reauthenticate({ method: 'name', username, password: await askPassword() });
   *   await client.account.delete();
   * });
   * ```
   */
  reauthenticate(credential: Credential, options?: CallOptions): Promise<void>;
  /** Deletes the account after 30 days of grace, and signs out at once. Code: `reauthentication_required`. */
  delete(options?: CallOptions): Promise<AccountDeletion>;
  /**
   * Lists what has lost to a choice in a conflict, a forced write, a mismatch or a restore: newest first, kept for 30
   * days.
   */
  snapshots(options?: CallOptions): Promise<SnapshotSummary[]>;
  /** Writes a snapshot back; what that overwrites becomes a snapshot itself. Codes: `not_found`, `quota_exceeded`. */
  restore(id: string, options?: CallOptions): Promise<RestoredEntry[]>;
  /**
   * Changes the password of the account's name, and ends the other sessions that came from the name. Codes:
   * `invalid_credentials` for a wrong old password, `password_too_short` with `minLength` for the new one, `not_found`
   * for an account without a name.
   */
  changePassword(oldPassword: string, newPassword: string, options?: CallOptions): Promise<void>;
  /**
   * Has the game send a code to an e-mail address, which counts once `verifyAddress` has shown that code: from then
   * on codes for a forgotten password are sent there, and until then the former address counts. The address is
   * optional data of the account's name, and nobody is found or signed in by it. Null takes the address away. Codes:
   * `reauthentication_required`, `not_found` for an account without a name, `invalid_request` for what is no
   * address, `delivery_not_set_up`.
   */
  setAddress(address: string | null, options?: SetAddressOptions): Promise<void>;
  /**
   * Makes the address of `setAddress` count, by the code that was sent there: six digits, for ten minutes and five
   * tries. Codes: `invalid_credentials` for any other code, `not_found` for an account without a name.
   */
  verifyAddress(code: string, options?: CallOptions): Promise<void>;
  /**
   * Ends every session of the account, on all devices, and signs out here. With `unlinkSince` it takes away what was
   * linked since then too, and the player goes on here: after a new password and this call nobody else has a way in.
   * Codes: `reauthentication_required` and `would_orphan`, both with `unlinkSince` alone.
   */
  signOutEverywhere(options?: SignOutEverywhereOptions): Promise<void>;
  /**
   * Makes a recovery code for the player to write down, for `auth.switchTo`; the former code ends. Code:
   * `reauthentication_required`.
   */
  recoveryCode(options?: CallOptions): Promise<string>;
}

interface AccountParts {
  settings: Settings;
  currentSession: CurrentSession;
  requests: Requests;
  authorized: Authorized;
  profile: ProfileRoom;
}

/** Shows login methods of the account that is signed in, in its session. */
function createProof({ currentSession, requests, authorized }: AccountParts) {
  /** Takes new tokens for the account, which are dropped where another account has taken its place meanwhile. */
  async function takeOver(answer: PlayerAuthAnswer): Promise<void> {
    if (answer.userId !== currentSession.userId) throw superseded();
    await currentSession.renewTokens(currentSession.readAnswer(answer, 'device'));
  }

  async function show(
    { method, fields }: Omit<EncodedCredential, 'method'> & { method: SignInMethod },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const body = { device_id: currentSession.deviceId, ...fields };
    await takeOver(await authorized((player) => requests.signInWith(method, body, player), signal));
  }

  /**
   * A request that the service carries out for a player who has shown a login method lately. A
   * guest has the device alone.
   */
  async function recently<T>(request: AuthorizedRequest<T>, signal: AbortSignal | undefined): Promise<T> {
    try {
      return await authorized(request, signal);
    } catch (error) {
      if (!isFailure(error, 'reauthentication_required') || !error.methods?.includes('device')) throw error;
      await show({ method: 'guest', fields: {} }, signal);
      return authorized(request, signal);
    }
  }

  return { takeOver, show, recently };
}

export function createAccount(parts: AccountParts): Account {
  const { settings, currentSession, requests, authorized, profile } = parts;
  const { takeOver, show, recently } = createProof(parts);

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

  async function signOutOthers(unlinkSince: number, signal: AbortSignal | undefined): Promise<void> {
    const asked = async (player: PlayerOptions, userId: string) => ({
      userId,
      answer: await requests.signOutOthers(unlinkSince, player),
    });
    const { userId, answer } = await recently(asked, signal);
    if (answer === null) await endSession(userId, false);
    else await takeOver(answer);
  }

  async function remove(options: CallOptions | undefined): Promise<AccountDeletion> {
    // The deletion may be taken back: what the service has not got by then stays on this device for that.
    await profile.flush(options).catch(() => {});
    const { userId, removedAt, recoveryCode } = await recently(requests.deleteAccount, options?.signal);
    await endSession(userId, true);
    await profile.forget(userId).catch(() => {});
    return { removedAt, recoveryCode };
  }

  async function restore(id: string, options: CallOptions | undefined): Promise<RestoredEntry[]> {
    // What is unsent would be sent after it and write over it.
    await profile.flush(options);
    const { entries } = await authorized((player) => requests.restoreSnapshot(id, player), options?.signal);
    // What could not be sent would take the place of what has come back.
    await Promise.all(entries.map(({ collection, key }) => profile.discardHeld(collection, key))).catch(() => {});
    // The snapshot is restored already: where this fails, the next load shows it.
    await profile.refresh().catch(() => {});
    return entries;
  }

  return {
    methods: async (options) => (await authorized(requests.readAccount, options?.signal)).methods,
    unlink: (method, options) => {
      checkWord(method, 'method');
      return recently((player) => unlink(method, player), options?.signal);
    },
    devices: async (options) => (await authorized(requests.listDevices, options?.signal)).devices,
    revokeDevice: (id, options) => {
      checkWord(id, 'id');
      return authorized((player) => requests.revokeDevice(id, player), options?.signal);
    },
    export: (options) => authorized(requests.exportAccount, options?.signal),
    usage: (options) => authorized(requests.readUsage, options?.signal),
    reauthenticate: (credential, options) => {
      const { method, fields } = encodeCredential(credential, settings);
      return show({ method, fields: { ...fields, intent: 'reauthenticate' } }, options?.signal);
    },
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
    ...createMailAddress(parts, recently),
    signOutEverywhere: async (options) => {
      if (options?.unlinkSince !== undefined) return signOutOthers(checkMoment(options.unlinkSince), options.signal);
      const endedUserId = await authorized(async (player, userId) => {
        await requests.signOutEverywhere(player);
        return userId;
      }, options?.signal);
      await endSession(endedUserId, false);
    },
    recoveryCode: async (options) => (await recently(requests.makeRecoveryCode, options?.signal)).code,
  };
}

function createMailAddress(
  { requests, authorized }: AccountParts,
  recently: ReturnType<typeof createProof>['recently'],
): Pick<Account, 'setAddress' | 'verifyAddress'> {
  return {
    setAddress: (address, { language, signal } = {}) => {
      if (address !== null) checkText(address, 'address');
      return recently((player) => requests.setAddress({ address, language }, player), signal);
    },
    verifyAddress: (code, options) => {
      checkText(code, 'code');
      return authorized((player) => requests.verifyAddress(code, player), options?.signal);
    },
  };
}

function checkMoment(value: Date | number): number {
  const ms = Number(value);
  if (!Number.isSafeInteger(ms) || ms < 0) throw new TypeError('unlinkSince must be a Date or ms since 1970');
  return ms;
}

/** Checks what becomes a part of an address. */
function checkWord(value: unknown, name: string): void {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value)) throw new TypeError(`${name} must be a word`);
}
