import fc from 'fast-check';
import { accountCommands } from './account-commands.js';
import type { Death } from './device.js';
import type { Game } from './game.js';
import { outerCommands } from './outer-commands.js';
import { type Command, gameOn, isWanted, nameOf, none, onDevice, pauses, step, type Weighted, which } from './steps.js';
import { storageCommands } from './storage-commands.js';
import { keysOf, type Name } from './values.js';
import { type World, workerTab } from './world.js';

/** What a game does with its saves. */
const gameCommands: Weighted[] = [
  [
    24,
    gameOn(
      'write',
      fc.record({ which, at: fc.nat({ max: 4 }), amount: fc.integer({ min: 1, max: 9 }), isUpdate: fc.boolean() }),
      (game, { which: index, at, amount, isUpdate }, world) => {
        const name = nameOf(world, index);
        const keys = keysOf(name);
        game.write(name, { key: keys[at % keys.length] as string, amount, isUpdate });
        return name;
      },
    ),
  ],
  [
    1,
    gameOn('set again', fc.record({ which }), (game, { which: index }, world) => {
      game.writeAgain(nameOf(world, index));
      return nameOf(world, index);
    }),
  ],
  [5, gameOn('flush', none, (game) => asked(game).flush())],
  [2, gameOn('load', none, (game) => game.load())],
  [
    2,
    gameOn('network', fc.record({ network: fc.constantFrom('off', 'on', 'on') }), (game, { network }) =>
      game.switchNetwork(network as 'on'),
    ),
  ],
];

/** What was asked for by hand may be sent, whatever the service has asked for. */
function asked(game: Game): Game {
  game.page.device.network.allow(12);
  return game;
}

/** A page that is hidden may be gone the next moment. So it sends all that it has, whatever the service has asked for. */
const hidden = asked;

const anyDeath = fc.record({ isCut: fc.boolean(), isLastDone: fc.boolean() });

/** The page hears that it goes, and lives on for so many turns. */
async function closed(game: Game, { after, death }: { after: number; death: Death }, { turns }: World): Promise<void> {
  const { page } = hidden(game);
  page.raise('pagehide');
  page.show(false);
  await turns.turn(1 + after);
  page.kill(death);
}

/** What happens to a page. */
const pageCommands: Weighted[] = [
  [1, gameOn('hide', none, (game) => hidden(game).page.show(false))],
  [1, gameOn('show', none, ({ page }) => page.show(true))],
  [2, gameOn('kill', anyDeath, ({ page }, death) => page.kill(death))],
  [2, gameOn('close', fc.record({ after: fc.constantFrom(0, 0, 1, 2, 3, 6), death: anyDeath }), closed)],
  [
    2,
    gameOn(
      'end in',
      fc.record({ operations: fc.integer({ min: 1, max: 8 }), isLastDone: fc.boolean() }),
      ({ page }, fuse) => {
        page.fuse = { ...fuse };
      },
    ),
  ],
  [1, gameOn('dispose', fc.record({ which }), (game, { which: index }, world) => disposed(game, nameOf(world, index)))],
  [
    1,
    gameOn(
      'freeze',
      none,
      (game) => hidden(game).page.freeze(),
      ({ page }) => page.device.kind.storage !== 'in promises',
    ),
  ],
  [
    1,
    onDevice('thaw', none, ({ pages }) => {
      for (const page of pages) if (page?.waiting != null) page.thaw();
    }),
  ],
  [4, restart()],
  [1, restartElsewhere()],
  [6, open()],
  [1, openWorker()],
];

/** The page goes on without its client; what the game sets then is not kept, and says so. */
function disposed(game: Game, name: Name): Name {
  const { pages } = game.page.device;
  pages[pages.indexOf(game.page)] = undefined;
  game.write(name);
  game.dispose();
  game.write(name);
  return name;
}

function open(): fc.Arbitrary<Command> {
  return fc
    .tuple(fc.constantFrom(0, 0, 1, 1, 2), fc.constantFrom(0, 0, 1, 1, 2, 3), pauses)
    .map(([device, tab, after]) =>
      step(`open (${device}/${tab})`, after, (world) => void world.open(device, tab), isFree(device, tab)),
    );
}

/** The page is gone, and the game starts again, maybe where it cannot reach one of the browser's storages for once. */
function restart(): fc.Arbitrary<Command> {
  return gameOn(
    'restart',
    fc.record({ without: fc.constantFrom(null, null, 'shelf', 'localShelf'), death: anyDeath }),
    ({ page }, { without, death }, world) => {
      const { device } = page;
      const tab = device.pages.indexOf(page);
      page.kill(death);
      device.mend();
      if (without !== null && device.kind.storage === 'browser') device[without as 'shelf'].isBlocked = true;
      world.open(world.devices.indexOf(device), tab);
    },
    ({ page }) => !page.isWorker && page.device.pages.includes(page),
  );
}

/**
 * The game starts again where IndexedDB refuses again and again, and nothing says any more that it was the home: then
 * localStorage becomes one as well, until IndexedDB is back.
 */
function restartElsewhere(): fc.Arbitrary<Command> {
  return gameOn(
    'restart elsewhere',
    anyDeath,
    async ({ page }, death, world) => {
      const { device } = page;
      const tab = device.pages.indexOf(page);
      page.kill(death);
      device.mend();
      device.loseRecord();
      device.shelf.isBlocked = true;
      world.identities.change(device);
      world.open(world.devices.indexOf(device), tab);
      // It has refused three times by then.
      await world.turns.pass(1_000);
    },
    ({ page: { device, isWorker } }) =>
      device.kind.storage === 'browser' &&
      !isWorker &&
      !device.isElsewhere &&
      device.pages.filter(Boolean).length === 1,
  );
}

/** A worker works beside a page that has started. */
function openWorker(): fc.Arbitrary<Command> {
  const isBesidePage = ({ devices }: World, index: number): boolean => {
    const device = devices[index];
    const hasPage = device?.pages[0]?.client.auth.userId != null;
    // It finds IndexedDB alone, so that has to be what the page has found too.
    return hasPage && device.isWell && !device.isElsewhere && device.databases.entries().length > 0;
  };
  return fc.tuple(fc.constantFrom(0, 1, 2), pauses).map(([device, after]) =>
    step(
      `worker (${device})`,
      after,
      (world) => void world.open(device, workerTab),
      (world) => isFree(device, workerTab)(world) && isBesidePage(world, device),
    ),
  );
}

function isFree(device: number, tab: number): (world: World) => boolean {
  return ({ devices }) => devices[device]?.pages[tab] === undefined;
}

/** As often as games and players do them, or a little more often where it hurts. */
export const anyCommand: fc.Arbitrary<Command>[] = [
  ...gameCommands,
  ...pageCommands,
  ...outerCommands,
  ...accountCommands,
  ...storageCommands,
]
  .filter(([, command]) => isWanted(command))
  .flatMap(([weight, command]) => Array.from({ length: weight }, () => command));
