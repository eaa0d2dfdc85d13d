import type { Client, StoragePort } from 'savepoint';
import { composeClient } from '../../../../src/client/create-client.js';
import type { WatchedService } from './service.js';
import type { Turns } from './turns.js';

/**
 * `lost`: carried out, and the answer never comes. `busy`: 503. `held`: not before the net is another one, when the client may
 * have given up long ago.
 */
export type Net = 'on' | 'off' | 'lost' | 'busy' | 'held';

/** What dies after so many operations of its storage: the last one done, or not. */
export interface Fuse {
  operations: number;
  isLastDone: boolean;
}

/** A page that can stop dead: then it stores, asks and hears nothing more, and none of its promises settles. */
export interface Page {
  readonly device: Device;
  readonly client: Client;
  readonly isAlive: boolean;
  readonly reported: unknown[];
  fuse: Fuse | null;
  /** The page may be gone the next moment. */
  hide(): void;
  /** With `isCut`, what it has asked and is not yet carried out never will be, unless it was to outlive the page. */
  kill(isCut?: boolean): void;
}

/** A storage, the pages that share it, and a network. */
export interface Device {
  readonly name: string;
  net: Net;
  readonly pages: (Page | undefined)[];
  /** What is stored under a key, whoever asks. */
  stored(key: string): string | undefined;
  keys(): string[];
  open(tab: number): Page;
  setNet(net: Net): void;
}

const never = new Promise<never>(() => {});

export function createDevice(name: string, isAsync: boolean, service: WatchedService, turns: Turns): Device {
  const values = new Map<string, string>();
  const locks = new Map<string, Promise<unknown>>();
  const wakes = new Map<Page, () => void>();
  const held: (() => void)[] = [];

  function storageOf(page: () => Page): StoragePort {
    const operate = <T>(act: () => T): T => {
      const { fuse } = page();
      if (!page().isAlive) return never as T;
      if (fuse === null) return act();
      fuse.operations -= 1;
      if (fuse.operations > 0) return act();
      if (fuse.isLastDone) act();
      page().kill();
      return never as T;
    };
    const operation = <T>(act: () => T): T | Promise<T> =>
      isAsync
        ? new Promise((resolve) => {
            turns.later(() => resolve(operate(act)));
          })
        : operate(act);
    return {
      getItem: (key) => operation(() => values.get(key) ?? null),
      setItem: (key, value) => operation(() => void values.set(key, value)),
      removeItem: (key) => operation(() => void values.delete(key)),
    };
  }

  function open(tab: number): Page {
    let isAlive = true;
    let isCut = false;
    let release = (): void => {};
    const death = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hide = (): void => {};
    const reported: unknown[] = [];

    const fetch = (request: Request): Promise<Response> =>
      new Promise((resolve, reject) => {
        // The platform takes the body when it is asked; a caller that gives up takes the request back.
        const body = request.text();
        const lose = (): void => reject(new TypeError('Failed to fetch'));
        const carryOut = async (answered: (answer: Response) => void): Promise<void> => {
          if (isCut && !request.keepalive) return;
          const answer = await service.answer(request, await body);
          if (isAlive) answered(answer);
        };
        const arrive = (): unknown => {
          switch (device.net) {
            case 'off':
              return lose();
            case 'busy':
              return resolve(new Response('', { status: 503 }));
            case 'lost':
              return carryOut(lose);
            case 'held':
              return void held.push(() => turns.later(arrive));
            default:
              return carryOut(resolve);
          }
        };
        if (isAlive) turns.later(arrive);
      });

    const client = composeClient(
      {
        gameId: service.test.gameId,
        environment: 0,
        baseUrl: service.test.baseUrl,
        storage: storageOf(() => page),
        fetch,
      },
      {
        now: () => Date.now(),
        random: () => 0.5,
        backOffMs: () => 0,
        report: (error) => void (isAlive && reported.push(error)),
        lock: (key, task) => {
          const mine = (locks.get(key) ?? Promise.resolve()).then(() => (isAlive ? task() : never));
          // A lock ends with its page.
          locks.set(key, Promise.race([mine.catch(() => {}), death]));
          return mine;
        },
        tabs: () => ({
          listen: (handlers) => {
            wakes.set(page, handlers.wake);
            hide = handlers.hide;
          },
          notify: () => {
            for (const [other] of wakes) if (other !== page) turns.later(() => wakes.get(other)?.());
          },
          pause: () => {},
          close: () => void wakes.delete(page),
        }),
      },
    );

    const page: Page = {
      device,
      client,
      get isAlive() {
        return isAlive;
      },
      reported,
      fuse: null,
      hide: () => hide(),
      kill: (cut = false) => {
        if (!isAlive) return;
        isAlive = false;
        isCut = cut;
        wakes.delete(page);
        release();
        if (device.pages[tab] === page) device.pages[tab] = undefined;
        // Only so that no timer is left; whatever it still does reaches nothing.
        turns.later(() => client.dispose());
      },
    };
    device.pages[tab] = page;
    return page;
  }

  const device: Device = {
    name,
    net: 'on',
    pages: [undefined, undefined],
    stored: (key) => values.get(key),
    keys: () => [...values.keys()],
    open,
    setNet: (net) => {
      device.net = net;
      if (net !== 'held') for (const go of held.splice(0)) go();
      // The browser says so.
      if (net === 'on') for (const [, wake] of wakes) turns.later(wake);
    },
  };
  return device;
}
