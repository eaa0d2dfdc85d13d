import { vi } from 'vitest';
import { storageKeys } from '../../../../src/client/session/session-store.js';
import { testStart } from '../../../support/service.js';
import { createDevice, type Device } from './device.js';
import { type Game, openGame } from './game.js';
import { watchService } from './service.js';
import { createTruth, type Truth } from './truth.js';
import { createTurns, type Turns } from './turns.js';
import { collections, key } from './values.js';

/** Devices with two tabs each, one service, and the truth about both. */
export interface World {
  readonly turns: Turns;
  readonly truth: Truth;
  readonly devices: readonly Device[];
  /** Those whose pages live. */
  games(): Game[];
  open(device: number, tab: number): Game;
  /** Moves the clock; what was due rings late, as on a page that slept. */
  pass(ms: number): Promise<void>;
  /** Everything that must hold at any time. */
  check(): void;
  /** The network comes back, every owed entry is sent, and all must be where it belongs. */
  end(): Promise<void>;
  dispose(): void;
}

const usernames = ['ada', 'bob'];

export function createModelWorld(): World {
  vi.setSystemTime(testStart);
  const turns = createTurns();
  const service = watchService();
  const keys = storageKeys(service.test.gameId, 0);
  const truth = createTruth(service, keys.profile);
  // Storages that answer at once, and one that takes its time.
  const devices = [false, true, false].map((isAsync, index) =>
    createDevice(`device ${index}`, isAsync, service, turns),
  );
  const games: Game[] = [];
  const alive = (): Game[] => games.filter(({ page }) => page.isAlive);

  function open(device: number, tab: number): Game {
    const game = openGame(devices[device] as Device, tab, { truth, turns });
    games.push(game);
    return game;
  }

  async function pass(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    for (let part = 0; part < 3; part += 1) {
      // A storage that does not answer for long is given up, and this is none.
      await turns.rest();
      vi.advanceTimersByTime(Math.min(ms, 25_000));
    }
  }

  /** Time for everything that waits for time. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      await turns.rest();
      vi.advanceTimersByTime(31_000);
    }
    await turns.rest();
  }

  async function end(): Promise<void> {
    for (const device of devices) device.setNet('on');
    await settle();
    for (const game of alive()) game.choose('cancel');
    await settle();
    for (const game of alive()) for (const call of game.waiting()) truth.wrong(`never settles: ${call}`);
    truth.check();
    for (const { page } of alive()) page.kill();
    const lost = new Set<string>();
    for (const [index, device] of devices.entries())
      for (const account of await bringHome(index, device)) lost.add(account);
    truth.checkEnd(lost);
    await agree();
  }

  /** Starts once more, and signs in as whoever owes something here; gives the accounts that nothing leads to any more. */
  async function bringHome(index: number, device: Device): Promise<string[]> {
    const game = open(index, 0);
    await settle();
    const owners = device
      .keys()
      .map((name) => name.slice(keys.profile(null).length))
      .filter((account) => device.stored(keys.profile(account))?.includes('"local"') === true && account !== '');
    const left: string[] = [];
    for (const account of owners) {
      for (const username of [null, ...usernames.filter((name) => service.ownerOf(name) === account)]) {
        if (game.page.client.auth.userId === account) break;
        game.signOut();
        await turns.rest();
        game.signIn(username);
        await settle();
      }
      game.flush();
      await settle();
      if (game.page.client.auth.userId !== account) left.push(account);
    }
    for (const call of game.waiting()) truth.wrong(`never settles: ${call}`);
    return left;
  }

  /** Every device shows what the service has. */
  async function agree(): Promise<void> {
    for (const game of alive()) {
      const { client, device } = game.page;
      game.load();
      await settle();
      game.look();
      for (const name of collections) {
        const [shown, stored] = [client.profile.collection(name).get(key), valueAt(client.auth.userId, name)];
        if (JSON.stringify(shown) !== JSON.stringify(stored)) {
          truth.wrong(
            `${device.name} shows ${JSON.stringify(shown)} in ${name}, and the service has ${JSON.stringify(stored)}`,
          );
        }
      }
      if (client.profile.status !== 'synced') truth.wrong(`${device.name} is ${client.profile.status} in the end`);
    }
    truth.check();
  }

  function valueAt(account: string | null, name: string): unknown {
    if (account === null) return undefined;
    const { $savepoint: _, ...value } = service.value(account, name, key) ?? {};
    return Object.keys(value).length === 0 ? undefined : value;
  }

  return {
    turns,
    truth,
    devices,
    games: alive,
    open,
    pass,
    check: () => {
      for (const game of alive()) game.look();
      truth.check();
    },
    end,
    dispose: () => {
      for (const { page } of alive()) page.kill();
      vi.clearAllTimers();
    },
  };
}
