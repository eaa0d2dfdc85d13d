import { NoAnswerError } from '../errors.js';
import { createSender, type Sender } from '../http/sender.js';
import { newUuid } from '../protocol/ids.js';
import { type Account, createAccount } from './account.js';
import { type Auth, createAuth } from './auth/auth.js';
import type { Conflict } from './auth/conflict.js';
import type { ClientEvents } from './client-events.js';
import { type ClientConfig, checkConfig } from './config.js';
import { callSafely, createEvents, type EventSource, type Events } from './events.js';
import { createPlatform, type Platform } from './platform/platform.js';
import type { Profile } from './profile/collection.js';
import { createProfile } from './profile/profile.js';
import { createRequests } from './requests.js';
import { failed, type ReadyResult } from './results.js';
import { createCurrentSession } from './session/current-session.js';
import { createRefresher } from './session/refresher.js';
import { createSessionStore, type Session, storageKeys } from './session/session-store.js';
import { createLadder } from './storage/ladder.js';
import { rungsFor } from './storage/rungs.js';

/** One player on one device. Two clients with storages of their own are two devices; with the same storage, two tabs. */
export interface Client {
  /**
   * Restores the stored session or enters as a guest, unless `autoLogin` is false. Never rejects; called again, it gives the
   * same promise. Without a network and without a stored session it fails with `network`, the state stays `starting`,
   * and `auth.asGuest` may be tried later.
   */
  init(): Promise<ReadyResult>;
  readonly auth: Auth;
  /** What leads to the account, what it has lost, and its end. */
  readonly account: Account;
  readonly profile: Profile;
  readonly events: Events<ClientEvents>;
  /** The open conflict, for those who listen late. */
  readonly conflict: Conflict | null;
  /**
   * Switches the network on or off. Off, every call that needs it fails with `network`, and the profile runs on this device
   * alone; on, the client enters as a guest where nobody is signed in yet, and what was saved meanwhile is sent.
   */
  setNetwork(network: 'on' | 'off'): Promise<ReadyResult>;
  /** The service's clock, ms since 1970; the device's until the service has first answered. */
  serverTime(): number;
  /** Ends timers, channels and listeners, and what is under way. The stored session stays. */
  dispose(): void;
}

/** Makes a client; nothing is read or sent before `init`. Throws TypeError, with the option's name, for a wrong configuration. */
export function createClient(config: ClientConfig): Client {
  return composeClient(config, createPlatform());
}

/** @internal */
export function composeClient(
  config: ClientConfig,
  platform: Platform,
  /** Another face, that hears what is raised as long as the client lives. */
  face?: Pick<EventSource<ClientEvents>, 'emit' | 'isHeard'>,
): Client {
  const settings = checkConfig(config);
  const { now, random, report, backOffMs } = platform;
  const { events, ...source } = createEvents<ClientEvents>(report);
  let also = face;
  const emit: typeof source.emit = (name, payload) => {
    source.emit(name, payload);
    also?.emit(name, payload);
  };
  const keys = storageKeys(settings.gameId, settings.environment);
  let network = settings.network ?? 'on';
  const sender = createSender({ fetch: settings.fetch, timeoutMs: settings.timeoutMs, now, random, backOffMs });
  const send: Sender = async (call) => {
    if (network === 'off') throw new NoAnswerError('network', 'The network is switched off.');
    return sender(call);
  };
  const requests = createRequests(settings, send);
  const climb = (prefers: 'localStorage' | 'indexedDB') =>
    createLadder(rungsFor(settings.storage, prefers), platform.lock, (step) => emit('storageDegraded', step));
  const ladder = climb('localStorage');
  let line: { tell(): void; close(): void } | null = null;
  const store = createSessionStore(ladder, keys, platform, () => line?.tell());
  let deviceId = settings.deviceId ?? '';
  let ready: Promise<ReadyResult> | null = null;

  const refresher = createRefresher({
    current: () => current,
    requests,
    platform,
    lockName: `${keys.session}:refresh`,
    deviceId: () => deviceId,
    renewSession: settings.renewSession,
  });
  const profileRoom = createProfile({
    // Saves want room, and the session wants to be there at once.
    ladder: settings.storage === undefined ? climb('indexedDB') : ladder,
    keyOf: keys.profile,
    requests,
    authorized: refresher.authorized,
    platform,
    player: {
      userId: () => current.session?.userId ?? null,
      isSwitching: () => current.isSwitching,
      isNew: () => current.state.name === 'starting',
      serverTime: () => current.serverTime(),
    },
    newDevice: () => newUuid().slice(0, 8),
    tell: () => line?.tell(),
    enter,
    statusChanged: (status, previous) => emit('syncChanged', { status, previous }),
  });
  // The player is not kept waiting, and where it fails the tokens end by themselves.
  const revoke = (session: Session): void => void requests.signOut(session).catch(() => {});
  const room = createAuth({
    settings,
    current: () => current,
    refresher,
    requests,
    profile: profileRoom,
    deviceId: () => deviceId,
    isConflictHeard: () => [source, face].some((one) => one?.isHeard('conflict')),
    emitConflict: (conflict) => emit('conflict', conflict),
    revoke,
    report,
  });
  const current = createCurrentSession(store, platform, emit, {
    closeConflict: room.closeConflict,
    raiseConflict: room.raiseConflict,
    reload: profileRoom.reload,
    changed: refresher.schedule,
    revoke,
  });

  async function wake(): Promise<void> {
    await current.sync();
    refresher.wake();
    await profileRoom.wake();
    // The first start found no network.
    if (current.state.name === 'starting') await enter();
  }

  /** Goes on where a start without a network stopped. */
  async function enter(): Promise<ReadyResult> {
    if (ready === null || network === 'off' || !settings.autoLogin || current.session !== null) {
      return { success: true, userId: current.session?.userId ?? null };
    }
    return room.auth.asGuest();
  }

  async function start(): Promise<ReadyResult> {
    let result: ReadyResult;
    try {
      await room.start(async (operation) => {
        deviceId = settings.deviceId ?? (await store.deviceId());
        const conflict = await current.open({ restore: settings.autoLogin });
        if (conflict !== null) await room.reopenConflict(conflict);
        if (current.session !== null) return;
        await profileRoom.reload();
        if (network === 'off') emit('initialized', { userId: null, reason: 'start' });
        else if (settings.autoLogin) await room.enterAsGuest(operation);
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
        line = platform.listen(keys.prefix, () => void wake().catch(report), profileRoom.hurry);
        ready = start();
      }
      return ready;
    },
    auth: room.auth,
    account: createAccount({ current: () => current, refresher, requests, profile: profileRoom }),
    profile: profileRoom.profile,
    events,
    get conflict() {
      return room.conflict;
    },
    serverTime: () => current.serverTime(),
    setNetwork: async (next) => {
      if (next !== 'on' && next !== 'off') throw new TypeError("network must be 'on' or 'off'");
      network = next;
      const result = await enter();
      await profileRoom.wake();
      return result;
    },
    dispose: () => {
      // First of all, so that a closed page is no choice: an open conflict stays stored.
      current.dispose();
      room.dispose();
      refresher.stop();
      profileRoom.dispose();
      line?.close();
      also = undefined;
    },
  };
}
