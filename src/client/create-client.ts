import { createSender } from '../http/sender.js';
import { createServiceClock } from '../http/service-clock.js';
import { timeouts } from '../protocol/gaps/timeouts.js';
import { newUuid } from '../protocol/ids.js';
import { type Account, createAccount } from './account.js';
import { type Auth, createAuth } from './auth/auth.js';
import { callAborted } from './auth/auth-errors.js';
import type { Conflict } from './auth/conflict.js';
import { createCurrentConflict } from './auth/current-conflict.js';
import { createGuest } from './auth/guest.js';
import { createOperationQueue } from './auth/operation-queue.js';
import { createChoiceMaker } from './auth/resolve-conflict.js';
import { createSignIn } from './auth/sign-in.js';
import { type ClientEventSource, type ClientEvents, createClientEvents } from './client-events.js';
import { type ClientConfig, checkConfig, type Settings } from './config.js';
import type { EventSource, Events } from './events.js';
import { createNetwork } from './network.js';
import { createPlatform, type Platform } from './platform/platform.js';
import type { Profile } from './profile/collection.js';
import { createProfile } from './profile/profile.js';
import { createRequests } from './requests.js';
import type { ReadyResult } from './results.js';
import { createAuthorized } from './session/authorized-requests.js';
import { createCurrentSession } from './session/current-session.js';
import { createRefresher } from './session/refresher.js';
import { createSessionStore, type Session, storageKeys } from './session/session-store.js';
import { createStart } from './start.js';
import { createLadder } from './storage/ladder.js';
import { rungsFor } from './storage/rungs.js';

/**
 * One player on one device. Two clients with storages of their own are two devices; with the same storage, two tabs.
 */
export interface Client {
  /**
   * Restores the stored session or signs in as a guest, unless `autoLogin` is false. Never rejects; called again, it
   * gives the same promise. Without a network and without a stored session it fails with `network`, the state stays
   * `starting`, and the client signs in by itself once there is a network.
   */
  init(): Promise<ReadyResult>;
  /** Who the player is, and what leads to the account. */
  readonly auth: Auth;
  /** The account that is signed in: its methods, its snapshots, its end. */
  readonly account: Account;
  /** The player's saves. */
  readonly profile: Profile;
  /** What the client raises. */
  readonly events: Events<ClientEvents>;
  /** The open conflict, for those who listen late; null where none is open. */
  readonly conflict: Conflict | null;
  /**
   * Switches the network on or off. While it is off, every call that needs it fails with `network`, and the profile
   * runs on this device alone. When it is switched on, the client signs in as a guest where nobody is signed in yet,
   * and sends what was saved meanwhile. Never rejects for want of a network; rejects with TypeError for another
   * argument.
   */
  setNetwork(network: 'on' | 'off'): Promise<ReadyResult>;
  /** The service's clock, ms since 1970; the device's until the service has first answered. */
  serverTime(): number;
  /**
   * Ends timers, channels between tabs, and what is under way: calls that wait fail with `aborted`. The stored
   * session and an open conflict stay for the next start.
   */
  dispose(): void;
}

/**
 * Makes a client. Nothing is read or sent before `init`. Throws TypeError, with the option's name first, for a wrong
 * configuration.
 *
 * @example
 * ```ts
 * const client = createClient({ gameId, environment: 0, baseUrl: 'https://saves.example.com' });
 * const ready = await client.init();
 * if (ready.success) console.log('signed in as', ready.userId);
 * ```
 */
export function createClient(config: ClientConfig): Client {
  return composeClient(config, createPlatform());
}

/**
 * Builds a client on a platform. `relay` hears every event too, as long as the client lives: the interface's own
 * spelling.
 *
 * @internal
 */
export function composeClient(
  config: ClientConfig,
  platform: Platform,
  relay?: Pick<EventSource<ClientEvents>, 'emit' | 'hasListener'>,
): Client {
  const settings = checkConfig(config);
  const { report } = platform;
  const events = createClientEvents(report, relay);
  const parts = createParts(settings, platform, events);
  const { network, tabs, currentSession, operations, guest, refresher, profile, currentConflict, auth, account } =
    parts;
  const start = createStart({ ...parts, settings, emit: events.emit, report });
  let ready: Promise<ReadyResult> | null = null;

  async function wake(): Promise<void> {
    await currentSession.sync();
    refresher.refreshIfDue();
    await profile.wake();
    // The first start found no network.
    if (currentSession.state.name === 'starting') await guest.resume();
  }

  return {
    init: () => {
      if (ready === null) {
        tabs.listen({ wake: () => void wake().catch(report), hide: profile.sendOnHide });
        ready = start();
      }
      return ready;
    },
    auth,
    account,
    profile: profile.profile,
    events: events.events,
    get conflict() {
      return currentConflict.conflict;
    },
    serverTime: currentSession.serverTime,
    setNetwork: async (next) => {
      if (next !== 'on' && next !== 'off') throw new TypeError("network must be 'on' or 'off'");
      network.switchTo(next);
      const result = ready === null ? ({ success: true, userId: null } as const) : await guest.resume();
      await profile.wake();
      return result;
    },
    dispose: () => {
      // First of all, so that a closed page is no choice: an open conflict stays stored.
      currentSession.dispose();
      currentConflict.cancel();
      operations.close(callAborted('The client was disposed.'));
      refresher.stop();
      profile.dispose();
      tabs.close();
      events.stopRelay();
    },
  };
}

/**
 * The parts of a client, each built from those above it, so that nothing is used before it is there. A part that has
 * to act when the session changes subscribes to it.
 */
function createParts(settings: Settings, platform: Platform, events: ClientEventSource) {
  const { now, random, report, backOffMs } = platform;
  const { emit } = events;

  const clock = createServiceClock(now);
  const { fetch, timeoutMs } = settings;
  const sender = createSender({ fetch, timeoutMs, now, serverTime: clock.now, random, backOffMs });
  const network = createNetwork(settings.network, sender);
  const requests = createRequests(settings, network.send);

  const keys = storageKeys(settings.gameId, settings.environment);
  const tabs = platform.tabs(keys.prefix);
  const openLadder = (prefers: 'localStorage' | 'indexedDB') =>
    createLadder(rungsFor(settings.storage, prefers), platform.lock, (step) => emit('storageDegraded', step));
  const sessionLadder = openLadder('localStorage');
  // Saves want room, and the session wants to be there at once.
  const profileLadder = settings.storage === undefined ? openLadder('indexedDB') : sessionLadder;

  // The player is not kept waiting for it. Where it fails, the tokens end by themselves.
  const revoke = (session: Session): void => void requests.signOut(session).catch(() => {});
  const store = createSessionStore(sessionLadder, keys, platform, tabs.notify);
  const currentSession = createCurrentSession({ store, clock, emit, revoke, deviceId: settings.deviceId });
  const operations = createOperationQueue(Math.max(timeouts.callMs, settings.timeoutMs ?? 0));
  const guest = createGuest({ settings, currentSession, operations, requests, network });
  const lockName = `${keys.session}:refresh`;
  const { renewSession } = settings;
  const refresher = createRefresher({ currentSession, requests, platform, lockName, renewSession });
  const authorized = createAuthorized(currentSession, refresher);

  const profile = createProfile({
    ladder: profileLadder,
    keyOf: keys.profile,
    requests,
    authorized,
    platform,
    session: currentSession,
    newDevice: () => newUuid().slice(0, 8),
    notifyTabs: tabs.notify,
    signInAsGuest: guest.resume,
    statusChanged: (status, previous) => emit('syncChanged', { status, previous }),
  });
  currentSession.subscribe({ reload: profile.reload });

  const carryOut = createChoiceMaker({ currentSession, requests, profile, report });
  const hasConflictListener = (): boolean => events.hasListener('conflict');
  const currentConflict = createCurrentConflict({ currentSession, operations, profile, hasConflictListener, carryOut });
  const signIn = createSignIn({ settings, currentSession, currentConflict, requests, authorized, profile, revoke });
  const account = createAccount({ currentSession, requests, authorized, profile });
  const auth = createAuth({
    settings,
    currentSession,
    currentConflict,
    operations,
    guest,
    signIn,
    authorized,
    profile,
  });

  return { network, tabs, currentSession, operations, guest, refresher, profile, currentConflict, auth, account };
}
