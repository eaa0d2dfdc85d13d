import { createSender } from '../http/sender.js';
import { type Auth, createAuth } from './auth.js';
import type { ClientEvents } from './client-events.js';
import { type ClientConfig, checkConfig } from './config.js';
import type { Conflict } from './conflict.js';
import { createCurrentSession } from './current-session.js';
import { callSafely, createEvents, type Events } from './events.js';
import { createProfile, type Profile } from './profile.js';
import { createRefresher } from './refresher.js';
import { failed, type ReadyResult } from './results.js';
import { createRuntime, type Runtime } from './runtime.js';
import { createSessionStore, storageKeys } from './session-store.js';
import { createLadder } from './storage/ladder.js';
import { rungsFor } from './storage/rungs.js';
import { createWire } from './wire.js';

/** One player on one device. Two clients with storages of their own are two devices; with the same storage, two tabs. */
export interface Client {
  /**
   * Restores the stored session or enters as a guest, unless `autoLogin` is false. Never rejects; called again, it gives the
   * same promise. Without a network and without a stored session it fails with `network`, the state stays `starting`,
   * and `auth.asGuest` may be tried later.
   */
  init(): Promise<ReadyResult>;
  readonly auth: Auth;
  readonly profile: Profile;
  readonly events: Events<ClientEvents>;
  /** The open conflict, for those who listen late. */
  readonly conflict: Conflict | null;
  /** The service's clock, ms since 1970; the device's until the service has first answered. */
  serverTime(): number;
  /** Ends timers, channels and listeners, and what is under way. The stored session stays. */
  dispose(): void;
}

/** Makes a client; nothing is read or sent before `init`. Throws TypeError, with the option's name, for a wrong configuration. */
export function createClient(config: ClientConfig): Client {
  return composeClient(config, createRuntime());
}

/** @internal */
export function composeClient(config: ClientConfig, runtime: Runtime): Client {
  const settings = checkConfig(config);
  const { now, random, report, wait } = runtime;
  const { events, emit, isHeard } = createEvents<ClientEvents>(report);
  const keys = storageKeys(settings.gameId, settings.environment);
  const wire = createWire(
    settings,
    createSender({ fetch: settings.fetch, timeoutMs: settings.timeoutMs, now, random, wait }),
  );
  const ladder = createLadder(rungsFor(settings.storage), [keys.session, keys.device], (step) =>
    emit('storageDegraded', step),
  );
  let line: { tell(): void; close(): void } | null = null;
  const store = createSessionStore(ladder, keys, runtime, () => line?.tell());
  let deviceId = settings.deviceId ?? '';
  let ready: Promise<ReadyResult> | null = null;

  const refresher = createRefresher({
    current: () => current,
    wire,
    runtime,
    lockName: `${keys.session}:refresh`,
    deviceId: () => deviceId,
    renewSession: settings.renewSession,
  });
  const profileRoom = createProfile(wire, refresher.authorized, {
    userId: () => current.session?.userId ?? null,
    isSwitching: () => current.isSwitching,
  });
  const room = createAuth({
    settings,
    current: () => current,
    refresher,
    wire,
    deviceId: () => deviceId,
    isConflictHeard: () => isHeard('conflict'),
    emitConflict: (conflict) => emit('conflict', conflict),
  });
  const current = createCurrentSession(store, runtime, emit, {
    closeConflict: room.closeConflict,
    raiseConflict: room.raiseConflict,
    reload: profileRoom.reload,
    changed: refresher.schedule,
    // The player is not kept waiting, and where it fails the tokens end by themselves.
    revoke: ({ refreshToken, accessToken }) => void wire.signOut(refreshToken, accessToken).catch(() => {}),
  });

  function wake(): void {
    current.sync().then(refresher.wake, report);
  }

  async function start(): Promise<ReadyResult> {
    let result: ReadyResult;
    try {
      await room.start(async (operation) => {
        deviceId = settings.deviceId ?? (await store.deviceId());
        await current.open({ restore: settings.autoLogin });
        if (current.session === null && settings.autoLogin) await room.enterAsGuest(operation);
      });
      result = { success: true, userId: current.session?.userId ?? null };
    } catch (error) {
      result = failed(error);
    }
    callSafely(report, settings.onReady, result);
    return result;
  }

  return {
    init: () => {
      if (ready === null) {
        line = runtime.listen(keys.session, wake);
        ready = start();
      }
      return ready;
    },
    auth: room.auth,
    profile: profileRoom.profile,
    events,
    get conflict() {
      return room.conflict;
    },
    serverTime: () => current.serverTime(),
    dispose: () => {
      room.dispose();
      current.dispose();
      refresher.stop();
      line?.close();
    },
  };
}
