import type { Client, ClientConfig, Conflict, SdkError, StoragePort } from 'savepoint';
import type { Backend, BackendLimits, Delivery, GameOptions } from 'savepoint/backend';
import { vi } from 'vitest';
import { composeClient } from '../../src/client/create-client.js';
import type { Platform } from '../../src/client/platform/platform.js';
import type { TabMessage } from '../../src/client/platform/tabs.js';
import { createServiceWithPlatforms } from '../support/platforms.js';
import type { TestService } from '../support/service.js';

/** A service, and devices that reach it; clock and waiting are in the test's hands. */
export interface World {
  service: TestService;
  backend: Backend;
  /** What listeners and callbacks threw. */
  reported: unknown[];
  platform: Platform;
  /** What the game was to deliver. */
  delivered: Delivery[];
  /** What crossed the wire, with its secrets. */
  sent: { path: string; body: string; authorization: string | null; keepalive: boolean }[];
  config(options?: Partial<ClientConfig>): ClientConfig;
  /** A client on a device of its own, or on the storage given: a tab. */
  client(options?: Partial<ClientConfig>): Client;
  /** The same, initialised. */
  player(options?: Partial<ClientConfig>): Promise<Client>;
  /** Ends all clients. */
  end(): void;
}

export function createWorld(game: Partial<GameOptions> = {}, limits: BackendLimits = {}): World {
  const delivered: Delivery[] = [];
  const service = createServiceWithPlatforms({
    clock: () => Date.now(),
    game,
    limits,
    deliver: (delivery) => void delivered.push(delivery),
  });
  const { backend, gameId, baseUrl } = service;
  const reported: unknown[] = [];
  const sent: World['sent'] = [];
  const clients: Client[] = [];
  const platform = createTestPlatform(reported);

  const config: World['config'] = (options = {}) => ({
    gameId,
    environment: 0,
    baseUrl,
    storage: createMemoryStorage(),
    fetch: async (request) => {
      sent.push({
        path: new URL(request.url).pathname,
        body: await request.clone().text(),
        authorization: request.headers.get('authorization'),
        keepalive: request.keepalive,
      });
      inFlight += 1;
      try {
        return await backend.fetch(request);
      } finally {
        inFlight -= 1;
      }
    },
    ...options,
  });
  const client: World['client'] = (options) => {
    const made = composeClient(config(options), platform);
    clients.push(made);
    return made;
  };
  return {
    service,
    backend,
    reported,
    platform,
    delivered,
    sent,
    config,
    client,
    player: async (options) => {
      const made = client(options);
      await made.init();
      return made;
    },
    end: () => {
      for (const one of clients) one.dispose();
    },
  };
}

function createTestPlatform(reported: unknown[]): Platform {
  const queues = new Map<string, Promise<unknown>>();
  const channels = new Map<string, Set<(message: TabMessage) => void>>();
  return {
    now: () => Date.now(),
    random: () => 0.5,
    backOffMs: () => 0,
    report: (error) => void reported.push(error),
    lock: (name, task) => {
      const mine = (queues.get(name) ?? Promise.resolve()).then(task, task);
      queues.set(name, mine);
      return mine;
    },
    tabs: (prefix) => {
      const pages = channels.get(prefix) ?? new Set();
      channels.set(prefix, pages);
      let own = (_: TabMessage): void => {};
      const tell = (message: TabMessage): void => {
        for (const other of pages) if (other !== own) queueMicrotask(() => other(message));
      };
      return {
        listen: ({ heard }) => {
          own = heard;
          pages.add(heard);
        },
        notify: (key) => tell({ keys: [key] }),
        pause: (pauseMs) => tell({ pauseMs }),
        close: () => void pages.delete(own),
      };
    },
  };
}

export function createMemoryStorage(values = new Map<string, string>()): StoragePort & { values: Map<string, string> } {
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/**
 * Timers and the clock stand still until the test moves them; the service's clock moves with them. A pause of 0 ms, as between
 * the tries of a request here, needs no time and passes by itself.
 */
export function holdTime(now?: number): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], ...(now === undefined ? {} : { now }) });
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const passing = new Set<unknown>();
  const setHeld = (task: () => void, ms?: number) => {
    if (ms !== 0) return set(task, ms);
    const pause = setImmediate(() => {
      if (passing.delete(pause)) task();
    });
    passing.add(pause);
    return pause;
  };
  const clearHeld = (timer: unknown): void => void (passing.delete(timer) || clear(timer as number));
  // The fake ones carry marks by which the real ones are put back.
  globalThis.setTimeout = Object.defineProperties(setHeld, Object.getOwnPropertyDescriptors(set)) as typeof setTimeout;
  globalThis.clearTimeout = Object.defineProperties(clearHeld, Object.getOwnPropertyDescriptors(clear));
}

/** Waits until something has come about; the bound is for what never does, in real time: a busy machine only takes longer. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (performance.now() < end) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never came about: ${holds}`);
}

let inFlight = 0;

/** Of the platform, whatever a test does with its time: a pause of 0 ms takes it a moment. */
const setRealTimeout = globalThis.setTimeout;

/** Lets everything run that needs no clock; a request that is held is given up on, after a while of real time. */
export async function quiet(): Promise<void> {
  const end = performance.now() + 250;
  for (let calm = 0; calm < 60 && performance.now() < end; ) {
    calm = inFlight === 0 ? calm + 1 : 0;
    await new Promise((resolve) => (calm % 20 === 19 ? setRealTimeout(resolve, 1) : setImmediate(resolve)));
  }
}

/** Moves clock and timers, and lets what each timer started come to its end before the next one rings. */
export async function pass(ms: number): Promise<void> {
  let over = false;
  const stop = setTimeout(() => {
    over = true;
  }, ms);
  while (!over) {
    await vi.advanceTimersToNextTimerAsync();
    await quiet();
  }
  clearTimeout(stop);
}

/** What a client raised, in order. */
export function record(
  client: Client,
  ...names: ('initialized' | 'stateChanged' | 'sessionExpired' | 'storageDegraded' | 'storageRestored')[]
) {
  const events: [string, unknown][] = [];
  for (const name of names) client.events.on(name, (payload: unknown) => void events.push([name, payload]));
  return events;
}

export function ok<T extends { success: boolean }>(result: T): Extract<T, { success: true }> {
  if (!result.success) throw (result as unknown as { error: Error }).error;
  return result as Extract<T, { success: true }>;
}

export function errorOf(result: { success: true } | { success: false; error: SdkError }): SdkError {
  if (result.success) throw new Error('expected a failure');
  return result.error;
}

export function codeOf(result: { success: true } | { success: false; error: SdkError }): string | undefined {
  return result.success ? undefined : result.error.code;
}

/** Chooses in the conflict that is open. */
export function resolve(client: Client, choice: Parameters<Conflict['resolve']>[0]) {
  if (client.conflict === null) throw new Error('no conflict is open');
  return client.conflict.resolve(choice);
}

/** Two devices; the name `ada` belongs to the first one's account, and the second asks for it. */
export async function meetConflict(world: World, options: Partial<ClientConfig> = {}) {
  const first = await world.player();
  ok(await first.auth.withName('ada', 'correct horse'));
  await first.profile.collection('progress').set('main', { level: 7 });
  await first.profile.flush();
  const storage = createMemoryStorage();
  const second = await world.player({ storage, ...options });
  const own = second.auth.userId as string;
  await second.profile.collection('progress').set('main', { level: 2 });
  await second.profile.flush();
  const events = record(second, 'initialized', 'stateChanged');
  const heard = new Promise<Conflict>((resolve) => second.events.on('conflict', resolve));
  const stop = new AbortController();
  const pending = second.auth.withName('ada', 'correct horse', { signal: stop.signal });
  const conflict = await heard;
  return { first, second, storage, own, owner: first.auth.userId as string, events, pending, conflict, stop };
}
