import type { Client, Collection, CollectionOptions, JsonObject } from 'savepoint';
import type { BackEnd } from '../world/back-end.js';
import type { Device, DeviceKind, Page } from '../world/device.js';
import type { WatchedService } from '../world/service.js';
import type { Turns } from '../world/turns.js';
import { createModelWorld, workerTab } from '../world/world.js';

export { holdStage } from '../held-platform.js';

/** A call that was made in a page. */
export interface Made<T> {
  readonly isSettled: boolean;
  readonly value: T | undefined;
  readonly error: (Error & { code?: string }) | undefined;
}

/** Devices and a service, as the model has them, for one case at a time. */
export interface Stage {
  readonly turns: Turns;
  readonly service: WatchedService;
  readonly devices: readonly Device[];
  readonly backEnd: BackEnd;
  /** What rejected, and nobody handled. */
  readonly unhandled: readonly unknown[];
  /** Starts the game on a device; what its start gives comes with time. */
  start(device: number, tab?: number): Promise<Page>;
  /** The same, without waiting for anything. */
  startSoon(device: number, tab: number): Page;
  startWorker(device: number): Promise<Page>;
  /** Makes a call in a page, and waits for it where it needs no time. */
  make<T>(page: Page, call: (client: Client) => Promise<T>): Promise<Made<T>>;
  /** The same for a call that has to succeed. */
  run<T>(page: Page, call: (client: Client) => Promise<T>): Promise<T>;
  signIn(page: Page, username?: string): Promise<string>;
  set(page: Page, value: JsonObject, place?: { key?: string; collection?: string }): Promise<Made<void>>;
  /** What a page shows. */
  get(page: Page, place?: { key?: string; collection?: string }): unknown;
  /** What the service has of the account of a page, or of another one. */
  stored(of: Page | string, place?: { key?: string; collection?: string }): Promise<JsonObject | undefined>;
}

const collection = 'progress';
const key = 'main';

export const browser: DeviceKind = { storage: 'browser', hasLocks: true, hasChannel: true };
export const custom: DeviceKind = { storage: 'at once', hasLocks: true, hasChannel: true };

/** `open` declares the collections of each page that starts. */
export function createStage(
  kinds: readonly DeviceKind[],
  options: { [collection: string]: CollectionOptions<JsonObject, JsonObject> } = { progress: {} },
): Stage {
  const world = createModelWorld(kinds, []);
  const { turns, service, devices } = world;
  const roomOf = (page: Page, name = collection): Collection => page.client.profile.collection(name);

  async function make<T>(page: Page, call: (client: Client) => Promise<T>): Promise<Made<T>> {
    const made = { isSettled: false, value: undefined as T | undefined, error: undefined as Made<T>['error'] };
    turns.act(page, () => {
      call(page.client).then(
        (value) => Object.assign(made, { isSettled: true, value }),
        (error) => Object.assign(made, { isSettled: true, error }),
      );
    });
    await turns.rest();
    return made;
  }

  async function run<T>(page: Page, call: (client: Client) => Promise<T>): Promise<T> {
    const made = await make(page, call);
    for (let rounds = 0; rounds < 4 && !made.isSettled; rounds += 1) await turns.pass(1_000);
    if (!made.isSettled) throw new Error('The call does not settle.');
    if (made.error !== undefined) throw made.error;
    const result = made.value as T & { success?: boolean; error?: Error };
    if (result?.success === false) throw result.error;
    return result;
  }

  function startSoon(device: number, tab: number): Page {
    const { page } = world.open(device, tab);
    turns.read(page, () => {
      for (const [name, declared] of Object.entries(options)) page.client.profile.collection(name, declared);
    });
    return page;
  }

  async function start(device: number, tab = 0): Promise<Page> {
    const page = startSoon(device, tab);
    await turns.rest();
    return page;
  }

  return {
    turns,
    service,
    devices,
    backEnd: world.backEnd,
    unhandled: world.unhandled,
    start,
    startSoon,
    startWorker: (device) => start(device, workerTab),
    make,
    run,
    signIn: async (page, username = 'ada') => {
      const result = await run(page, ({ auth }) => auth.withName(username, 'correct horse'));
      return (result as { userId: string }).userId;
    },
    set: (page, value, place) => make(page, () => roomOf(page, place?.collection).set(place?.key ?? key, value)),
    get: (page, place) => turns.read(page, () => roomOf(page, place?.collection).get(place?.key ?? key)),
    stored: async (of, place) => {
      const account = typeof of === 'string' ? of : of.client.auth.userId;
      return service.value(account as string, place?.collection ?? collection, place?.key ?? key);
    },
  };
}
