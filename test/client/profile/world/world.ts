import { createMemoryStore } from 'savepoint/backend';
import type { Store } from '../../../../src/backend/stores/store.js';
import { tries } from '../../../../src/protocol/gaps/request-timeouts.js';
import { type BackEnd, createBackEnd } from './back-end.js';
import { holdNavigator } from './browser.js';
import { holdDate } from './clock.js';
import type { DatabaseMaker } from './databases.js';
import { createDevice, type Device, type DeviceKind, type Page, workerTab } from './device.js';
import { holdBodies, holdRejections, traceOf } from './engine.js';
import { type Game, openGame } from './game.js';
import type { GameWorld } from './game-parts.js';
import { createIdentities, type Identities } from './identities.js';
import { doubles } from './indexed-db.js';
import { holdRandomness, restartRandomness } from './randomness.js';
import { prepareSigningKey, type WatchedService, watchService } from './service.js';
import { createTruth, type Truth } from './truth.js';
import { activeTurns, createTurns, holdPageTimers, type Turns } from './turns.js';
import { names as allNames, type Name } from './values.js';

/** Devices with their pages, one service, a back end, and the truth about all. */
export interface World {
  /** The collections that its games have. */
  readonly names: readonly Name[];
  readonly turns: Turns;
  readonly truth: Truth;
  readonly service: WatchedService;
  readonly backEnd: BackEnd;
  readonly devices: readonly Device[];
  readonly identities: Identities;
  /** What rejected, and nobody handled. */
  readonly unhandled: unknown[];
  /** Accounts that are being deleted, each with the code that takes it back. */
  readonly removed: Map<string, string>;
  /** Those whose pages live. */
  games(): Game[];
  /** Those that players can do something on. */
  playable(): Game[];
  open(device: number, tab: number): Game;
  /** Everything that must hold at any time. */
  /** Looks what devices have noted of those whose saves they have given to somebody else. */
  lookForHeirs(): void;
  check(): void;
  /** Everything that must hold where nothing is under way. */
  checkAtRest(): void;
}

export function createModelWorld(
  kinds: readonly DeviceKind[],
  names: readonly Name[] = allNames,
  store: Store = createMemoryStore(),
  databases: DatabaseMaker = doubles,
): World {
  restartRandomness();
  const turns = createTurns();
  const service = watchService(store, turns);
  const truth = createTruth(service);
  const devices = kinds.map((kind, index) => createDevice(`device ${index}`, kind, { service, turns, databases }));
  const games: Game[] = [];
  const removed = new Map<string, string>();
  const alive = (): Game[] => games.filter(({ page }) => page.isAlive);
  const playable = (): Game[] => alive().filter(({ isDisposed, page }) => !isDisposed && page.waiting === null);
  const identities = createIdentities(devices, { alive, playable }, truth, service);
  const gameWorld: GameWorld = {
    names,
    turns,
    truth,
    service,
    removed: (account, code) => void removed.set(account, code),
    expired: identities.change,
  };

  function lookForHeirs(): void {
    for (const { databases } of devices) {
      for (const [key, heir] of databases.entries()) {
        const [, guest] = key.split(':heir:');
        if (guest !== undefined) service.united(guest, heir);
      }
    }
  }

  function check(): void {
    lookForHeirs();
    for (const game of alive()) if (!game.isDisposed) game.look();
    for (const { network, name } of devices) {
      for (const complaint of network.complaints.splice(0)) truth.wrong(`${name} ${complaint}`);
    }
    for (const error of unhandled.splice(0)) truth.wrong(`nobody handles ${traceOf(error)}`);
    truth.check();
  }

  return {
    names,
    turns,
    truth,
    service,
    backEnd: createBackEnd(service, truth),
    devices,
    identities,
    unhandled,
    removed,
    games: alive,
    playable,
    open: (device, tab) => {
      // A page that starts has heard of no pause: it asks once, and tries that as often as any call.
      devices[device]?.network.allow(tries);
      const game = openGame(devices[device] as Device, tab, gameWorld);
      games.push(game);
      return game;
    },
    lookForHeirs,
    check,
    checkAtRest: () => {
      for (const game of playable()) if (game.calls.waiting().length === 0) game.lookAtRest();
      identities.look();
      check();
    },
  };
}

/** What rejected, and nobody cared. */
const unhandled: unknown[] = [];

/** Makes the platform the model's own, for all worlds of a test file. */
export async function holdPlatform(databases: DatabaseMaker = doubles): Promise<() => void> {
  await prepareSigningKey();
  const ends = [
    holdDate(),
    holdRandomness(),
    holdPageTimers(),
    await databases.hold(activeTurns),
    holdNavigator(() => {
      const page = activeTurns()?.runner as Page | null | undefined;
      return page == null ? null : { value: page.device.origin.navigator(page) };
    }),
    holdBodies(),
    holdRejections((error) => unhandled.push(error)),
  ];
  return () => {
    for (const end of ends.reverse()) end();
  };
}

export { workerTab };
