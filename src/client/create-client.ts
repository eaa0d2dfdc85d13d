import type { SdkError } from '../errors.js';
import { createSender } from '../http/sender.js';
import { createServiceClock } from '../http/service-clock.js';
import * as timeouts from '../protocol/gaps/request-timeouts.js';
import { type Account, createAccount } from './account.js';
import { type Auth, createAuth } from './auth/auth.js';
import { callAborted } from './auth/auth-errors.js';
import type { Conflict } from './auth/conflict.js';
import { createCurrentConflict } from './auth/current-conflict.js';
import { createGuest } from './auth/guest.js';
import { createOperationQueue } from './auth/operation-queue.js';
import { createSignIn } from './auth/sign-in.js';
import { type ClientEventSource, type ClientEvents, createClientEvents } from './client-events.js';
import { type ClientConfig, checkConfig, type Settings } from './config.js';
import type { EventSource, Events } from './events.js';
import { createNetwork } from './network.js';
import { createPlatform, type Platform } from './platform/platform.js';
import type { TabMessage } from './platform/tabs.js';
import { checkWebApis } from './platform/web-apis.js';
import type { Profile } from './profile/collection.js';
import { readEarlierCopy } from './profile/earlier-copy.js';
import { createJournal, type Journal } from './profile/journal.js';
import { createUniteEntry } from './profile/other-copy.js';
import { createProfile } from './profile/profile.js';
import { createRequests } from './requests.js';
import { type ReadyResult, resultOf } from './results.js';
import { createAuthorized } from './session/authorized-requests.js';
import { createCurrentSession } from './session/current-session.js';
import { createRefresher } from './session/refresher.js';
import { chooseSession, createSessionStore, isLinked, type Session } from './session/session-store.js';
import { createStart } from './start.js';
import { type HomeKeys, homeKeys } from './storage/home-keys.js';
import { createHomeFinder } from './storage/open-home.js';
import { type ClientStorage, createPersistence } from './storage/persistence.js';
import { createSteadyHome, type SteadyHome } from './storage/steady-home.js';
import { type AccountSnapshot, createWatchedAccount, type WatchedAccount } from './watch-account.js';
import type { Watched } from './watched.js';

/**
 * One player on one device. Two clients with storages of their own are two devices; with the same storage, two tabs.
 */
export interface Client {
  /**
   * Restores the stored session or signs in as a guest, unless `autoLogin` is false. Never rejects; called again, it
   * gives the same promise, unless that has failed: then it tries again, or says who is here by now. After `dispose` it
   * fails with `aborted`: a new start takes a new client. Without a network and without a stored session it fails with
   * `network`, the state stays `starting`, and the client signs in by itself once there is a network.
   */
  init(): Promise<ReadyResult>;
  /** Who the player is, and what leads to the account. */
  readonly auth: Auth;
  /** The account that is signed in: its methods, its snapshots, its end. */
  readonly account: Account;
  /** The player's saves. */
  readonly profile: Profile;
  /** Who the player is, to be watched; each call gives the same object. */
  watchAccount(): Watched<AccountSnapshot>;
  /** Where the client keeps what is on this device, and how safe it is there. */
  readonly storage: ClientStorage;
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
 * configuration; an `SdkError` `unsupported_platform` where the runtime lacks what the client is built on.
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
  checkWebApis(config ?? {});
  const settings = checkConfig(config);
  const { report } = platform;
  const events = createClientEvents(report, relay);
  const parts = createParts(settings, platform, events);
  const { currentSession, currentConflict, guest, persistence, profile, refresher, tabs, watchedAccount } = parts;
  const start = createStart({ ...parts, settings, emit: events.emit, report });
  let ready: Promise<ReadyResult> | null = null;
  let isDisposed = false;

  /** Is what `init` gives until it has failed. */
  function begin(starting: Promise<ReadyResult>): void {
    watchedAccount.start = { isStarting: true, error: null };
    ready = starting;
    void starting.then((result) => {
      watchedAccount.start = startAfter(result, settings);
    });
  }

  /** What is stored may be another. `keys` are those that another tab has written; undefined for any. */
  async function look(keys?: readonly string[]): Promise<void> {
    if (keys === undefined || keys.includes(parts.keys.session)) {
      await currentSession.sync();
      refresher.refreshIfDue();
    }
    await profile.wake(keys);
  }

  async function hear({ keys, pauseMs }: TabMessage): Promise<void> {
    if (pauseMs !== undefined) profile.pause(pauseMs);
    else await look(keys);
  }

  async function wake(): Promise<void> {
    await look();
    await currentConflict.settleChoice();
    // The first start found no network.
    if (currentSession.state.name === 'starting') await guest.resume();
  }

  const reportUnlessDisposed = (error: unknown): void => {
    if (!isDisposed) report(error);
  };

  return {
    init: () => {
      // Its first promise may say that a player is here.
      if (isDisposed) return resultOf(() => Promise.reject(disposed()));
      if (ready === null) {
        tabs.listen({
          heard: (message) => void hear(message).catch(reportUnlessDisposed),
          wake: () => {
            profile.following.lookAgain();
            wake().catch(reportUnlessDisposed);
          },
          hide: profile.hide,
          seen: profile.following.seen,
        });
        persistence.start();
        begin(start());
      } else if (watchedAccount.start.error !== null && currentSession.state.name !== 'signedOut')
        begin(guest.resume());
      return ready as Promise<ReadyResult>;
    },
    auth: parts.auth,
    account: parts.account,
    profile: profile.profile,
    watchAccount: () => watchedAccount.watched,
    storage: persistence.storage,
    events: events.events,
    get conflict() {
      return currentConflict.conflict;
    },
    serverTime: currentSession.serverTime,
    setNetwork: async (next) => {
      if (next !== 'on' && next !== 'off') throw new TypeError("network must be 'on' or 'off'");
      parts.network.switchTo(next);
      const result = ready === null ? ({ success: true, userId: null } as const) : await guest.resume();
      await wake();
      return result;
    },
    dispose: () => {
      isDisposed = true;
      // First of all, so that a closed page is no choice: an open conflict stays stored.
      currentSession.dispose();
      currentConflict.cancel();
      parts.operations.close(disposed());
      refresher.stop();
      profile.dispose();
      parts.home.close();
      tabs.close();
      events.stopRelay();
    },
  };
}

/** How a start stands that has ended: without a network, whoever is to be signed in by itself still will be. */
function startAfter(result: ReadyResult, { autoLogin }: Settings): WatchedAccount['start'] {
  return result.success ? { isStarting: autoLogin, error: null } : { isStarting: false, error: result.error };
}

function disposed(): SdkError {
  return callAborted('The client was disposed: make another one.');
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

  const keys = homeKeys(settings.gameId, settings.environment);
  const tabs = platform.tabs(keys.prefix);
  const journal = createJournal(settings.storage ?? platform.storages, keys.journal);
  const { home, persistence } = createStorage(settings, platform, { keys, journal }, emit);

  // The player is not kept waiting for it. Where it fails, the tokens end by themselves.
  const revoke = (session: Session): void => void requests.signOut(session).catch(() => {});
  const store = createSessionStore(home, keys, () => tabs.notify(keys.session));
  const currentSession = createCurrentSession({ store, clock, emit, revoke, deviceId: settings.deviceId });
  const operations = createOperationQueue(Math.max(timeouts.callMs, settings.timeoutMs ?? 0));
  const guest = createGuest({ settings, currentSession, operations, requests, network });
  const lockName = `${keys.session}:refresh`;
  const { renewSession } = settings;
  const refresher = createRefresher({ currentSession, requests, platform, lockName, renewSession });
  const authorized = createAuthorized(currentSession, refresher);

  const profile = createProfile({
    home,
    journal,
    prefixOf: keys.entries,
    writer: currentSession.writer,
    requests,
    authorized,
    platform,
    session: currentSession,
    tabs,
    signInAsGuest: guest.resume,
    statusChanged: (status, previous) => {
      // From now on there is something to lose.
      if (currentSession.userId !== null) persistence.ask();
      emit('syncChanged', { status, previous });
    },
  });
  currentSession.subscribe({
    reload: profile.reload,
    sessionChanged: () => {
      if (isLinked(currentSession.session)) persistence.ask();
    },
  });

  const currentConflict = createCurrentConflict({
    currentSession,
    requests,
    profile,
    report,
    operations,
    hasListener: events.hasListener,
  });
  const signIn = createSignIn({ settings, currentSession, currentConflict, requests, authorized, profile, revoke });
  const account = createAccount({ settings, currentSession, requests, authorized, profile });
  const auth = createAuth({
    settings,
    currentSession,
    currentConflict,
    operations,
    guest,
    signIn,
    requests,
    authorized,
    profile,
  });

  return {
    keys,
    network,
    tabs,
    home,
    persistence,
    currentSession,
    operations,
    guest,
    refresher,
    profile,
    currentConflict,
    auth,
    account,
    watchedAccount: createWatchedAccount(currentSession, report),
  };
}

/**
 * Makes the device's one home, tells the game when it fails and when it works again, and asks the browser to keep it.
 */
function createStorage(
  settings: Settings,
  platform: Platform,
  { keys, journal }: { keys: HomeKeys; journal: Journal },
  emit: ClientEventSource['emit'],
) {
  const { storages } = platform;
  const find = createHomeFinder({
    keys,
    custom: settings.storage,
    storages,
    lock: platform.lock,
    chooseSession,
    readEarlierCopy,
    uniteEntry: createUniteEntry(keys.entries, journal),
    denied: () => emit('storageDegraded', { from: 'indexedDB', to: 'memory' }),
  });
  const home: SteadyHome = createSteadyHome(find);
  home.subscribe(() => {
    const kind = home.kind ?? (settings.storage === undefined ? 'indexedDB' : 'custom');
    if (home.isFailing) emit('storageDegraded', { from: kind, to: 'memory' });
    else emit('storageRestored', { to: kind });
  });
  return { home, persistence: createPersistence({ home, keys, platform }) };
}
