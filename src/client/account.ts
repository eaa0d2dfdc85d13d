import type { JsonObject } from '../protocol/messages.js';
import type { AccountAnswer, DeletionAnswer, PlacedEntry, SnapshotSummary } from '../protocol/player-wire.js';
import { checkText } from './config.js';
import type { CurrentSession } from './current-session.js';
import type { ProfileRoom } from './profile/profile.js';
import type { Refresher } from './refresher.js';
import type { CallOptions } from './results.js';
import * as wire from './wire.js';

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
  current: now,
  refresher,
  wire: to,
  profile,
}: {
  current: () => CurrentSession;
  refresher: Refresher;
  wire: wire.Wire;
  profile: ProfileRoom;
}): Account {
  const ask = <Args extends unknown[], Answer>(
    request: (to: wire.Wire, player: wire.PlayerOptions, ...args: Args) => Promise<Answer>,
    { signal }: CallOptions = {},
    ...args: Args
  ): Promise<Answer> => refresher.authorized((player) => request(to, player, ...args), signal);

  /** The session has ended at the service; where the account is another by now, that one stays. */
  async function leave(userId: string, forgetsDevice: boolean): Promise<void> {
    const current = now();
    if (current.session?.userId !== userId) return;
    const deviceUserId = forgetsDevice && current.deviceUserId === userId ? null : current.deviceUserId;
    // It is done: whatever another tab has stored meanwhile cannot undo it.
    await current.apply({ type: 'end' }, { session: null, deviceUserId }).catch(() => {});
  }

  async function unlink(_: wire.Wire, player: wire.PlayerOptions, method: string): Promise<AccountMethod[]> {
    const { userId, methods } = (await wire.unlink(to, player, method)) ?? (await wire.readAccount(to, player));
    const current = now();
    // Another tab may have newer tokens, which must not be written over.
    await current.sync();
    const { session } = current;
    if (session?.userId === userId) {
      const next = { ...session, methods: methods.map((one) => one.method) };
      await current.apply({ type: 'renew' }, { session: next }).catch(() => {});
    }
    return methods;
  }

  async function remove(options: CallOptions | undefined): Promise<Omit<DeletionAnswer, 'userId'>> {
    const { userId, removedAt, recoveryCode } = await ask(wire.deleteAccount, options);
    await leave(userId, true);
    await profile.forget(userId).catch(() => {});
    return { removedAt, recoveryCode };
  }

  async function restore(id: string, options: CallOptions | undefined): Promise<RestoredEntry[]> {
    // What is owed must not come after it and write over it.
    await profile.flush(options);
    const { entries } = await ask(wire.restoreSnapshot, options, id);
    // Restored it is; the next load shows it where this fails.
    await profile.refresh().catch(() => {});
    return entries;
  }

  return {
    methods: async (options) => (await ask(wire.readAccount, options)).methods,
    unlink: (method, options) => {
      checkWord(method, 'method');
      return ask(unlink, options, method);
    },
    export: (options) => ask(wire.exportAccount, options),
    delete: remove,
    snapshots: async (options) => (await ask(wire.listSnapshots, options)).snapshots,
    restore: (id, options) => {
      checkWord(id, 'id');
      return restore(id, options);
    },
    changePassword: (oldPassword, newPassword, options) => {
      checkText(oldPassword, 'oldPassword');
      checkText(newPassword, 'newPassword');
      return ask(wire.changePassword, options, oldPassword, newPassword);
    },
    signOutEverywhere: async (options) => {
      const userId = await refresher.authorized(async (player, user) => {
        await wire.signOutEverywhere(to, player);
        return user;
      }, options?.signal);
      await leave(userId, false);
    },
    recoveryCode: async (options) => (await ask(wire.makeRecoveryCode, options)).code,
  };
}

/** What becomes a part of an address. */
function checkWord(value: unknown, name: string): void {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value)) throw new TypeError(`${name} must be a word`);
}
