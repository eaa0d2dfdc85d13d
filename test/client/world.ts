import type { Client, ClientConfig, StoragePort } from 'savepoint';
import { type Backend, createBackend, type GameOptions } from 'savepoint/backend';
import { vi } from 'vitest';
import { composeClient } from '../../src/client/create-client.js';
import type { Runtime } from '../../src/client/runtime.js';

export const gameId = '7f0c9c54-9d2e-4f0b-8a43-6b1c2d3e4f50';
export const baseUrl = 'https://saves.example.com';
export const privateKey = 'a-private-key-of-the-game';

/** A service, and devices that reach it; clock and waiting are in the test's hands. */
export interface World {
  backend: Backend;
  /** What listeners and callbacks threw. */
  reported: unknown[];
  runtime: Runtime;
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

export function createWorld(game: Partial<GameOptions> = {}): World {
  const backend = createBackend({
    games: [{ id: gameId, privateKeys: [privateKey], ...game }],
    insecureFastPasswordsForTests: true,
  });
  const reported: unknown[] = [];
  const sent: World['sent'] = [];
  const clients: Client[] = [];
  const runtime = createTestRuntime(reported);

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
      return backend.fetch(request);
    },
    ...options,
  });
  const client: World['client'] = (options) => {
    const made = composeClient(config(options), runtime);
    clients.push(made);
    return made;
  };
  return {
    backend,
    reported,
    runtime,
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

export function createTestRuntime(reported: unknown[]): Runtime {
  const queues = new Map<string, Promise<unknown>>();
  const lines = new Map<string, Set<() => void>>();
  return {
    now: Date.now,
    random: () => 0.5,
    wait: async () => {},
    report: (error) => void reported.push(error),
    lock: (name, task) => {
      const mine = (queues.get(name) ?? Promise.resolve()).then(task, task);
      queues.set(name, mine);
      return mine;
    },
    listen: (key, wake) => {
      const line = lines.get(key) ?? new Set();
      lines.set(key, line.add(wake));
      return {
        tell: () => {
          for (const other of line) if (other !== wake) queueMicrotask(other);
        },
        close: () => void line.delete(wake),
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

/** Timers and the clock stand still until the test moves them; the service's clock moves with them. */
export function holdTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
}

/** Waits, without a clock, until something has come about. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never came about: ${holds}`);
}

/** Lets everything run that needs no clock. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What a client raised, in order. */
export function record(
  client: Client,
  ...names: ('initialized' | 'stateChanged' | 'sessionExpired' | 'storageDegraded')[]
) {
  const events: [string, unknown][] = [];
  for (const name of names) client.events.on(name, (payload: unknown) => void events.push([name, payload]));
  return events;
}

export function ok<T extends { success: boolean }>(result: T): Extract<T, { success: true }> {
  if (!result.success) throw (result as unknown as { error: Error }).error;
  return result as Extract<T, { success: true }>;
}

export function codeOf(result: { success: boolean; error?: { code: string } }): string | undefined {
  return result.error?.code;
}
