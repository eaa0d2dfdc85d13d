import { StateError } from '../../errors.js';
import type { ClientConfig } from '../config.js';
import { type Client, composeClient } from '../create-client.js';
import { createPlatform } from '../platform/platform.js';
import type { AppConfig } from './app-config.js';
import { runWithCallback } from './callbacks.js';
import { specRelay } from './events.js';
import { initialisedClient, requireClient, setClient } from './initialised-client.js';
import type { ReadyResult } from './results.js';
import { toCamelCase, toPascalCase } from './spelling.js';

/** Starts and ends the one client behind `Main`, `Auth`, `Profile` and `Events`. docs/interface.md#client-operations */
export interface Main {
  /**
   * Initialises the client: restores the stored session, or signs in as the device's guest, unless `AutoLogin` is
   * false. Never rejects. Called again with the same values it gives the same promise, unless that has failed: then it
   * tries again, or says who is here by now.
   *
   * Codes: `invalid_argument` for a wrong option, which the message begins with; `already_initialised` for
   * another configuration before `Dispose`; `unsupported_platform` where the runtime lacks what the client is
   * built on; `network`, `timeout` and others where nobody could be signed in: the client does so by itself
   * once there is a network.
   *
   * @example
   * ```ts
   * const ready = await Main.Init({ GameId: gameId, Environment: 0, BaseUrl: 'https://saves.example.com' });
   * if (ready.Success) console.log('signed in as', ready.UserId);
   * ```
   */
  Init(config: AppConfig): Promise<ReadyResult>;
  /**
   * Ends timers, channels between tabs, and what is under way: calls that wait fail with `aborted`. The stored
   * session stays, subscriptions of `Events` stay, and `Init` may be called again.
   */
  Dispose(): void;
  /**
   * The client behind these names, for what the interface has no name for: `Main.Client().account.snapshots()`.
   * Throws an `SdkError` `not_initialised` before `Init`.
   */
  Client(): Client;
  /** The service's clock, in ms since 1970; the device's until the service has first answered. */
  GetServerTime(): number;
}

/** What `Init` was called with, the start of the client that it rests on, and what it gave. */
let started: {
  fingerprint: string;
  callback: unknown;
  begun: ReturnType<Client['init']>;
  ready: Promise<ReadyResult>;
} | null = null;

/** Starts and ends the one client behind `Main`, `Auth`, `Profile` and `Events`. */
export const Main: Main = {
  Init(config) {
    const { OnReadyCallback: callback, ...rest } = config ?? {};
    const fingerprint = fingerprintOf(rest);
    const first = started;
    if (first !== null && first.fingerprint === fingerprint) {
      // The client knows whether its start has failed: then this is another one.
      const begun = requireClient().init();
      if (begun === first.begun) {
        return callback === first.callback ? first.ready : runWithCallback(() => first.ready, callback);
      }
      const ready = runWithCallback(async () => toPascalCase(await begun), callback);
      started = { fingerprint, callback, begun, ready };
      return ready;
    }
    const ready = runWithCallback(async () => {
      if (first !== null) {
        throw new StateError('already_initialised', 'Init was called with another configuration: Dispose comes first.');
      }
      const client = composeClient(toCamelCase(rest) as unknown as ClientConfig, createPlatform(), specRelay);
      setClient(client);
      return toPascalCase(await client.init());
    }, callback);
    const client = initialisedClient();
    if (first === null && client !== null) started = { fingerprint, callback, begun: client.init(), ready };
    return ready;
  },
  Dispose() {
    initialisedClient()?.dispose();
    setClient(null);
    started = null;
  },
  Client: requireClient,
  GetServerTime: () => initialisedClient()?.serverTime() ?? Date.now(),
};

/**
 * Tells configurations apart by their values: two with the same ones are the same, whatever functions and storage
 * they hold.
 */
function fingerprintOf(config: object): string {
  const values = Object.entries(config).filter(([name, value]) => name !== 'Storage' && typeof value !== 'function');
  return JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}
