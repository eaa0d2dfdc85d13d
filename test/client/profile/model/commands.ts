import fc from 'fast-check';
import type { Net } from './device.js';
import type { Choice, Game } from './game.js';
import { type CollectionName, collections } from './values.js';
import type { World } from './world.js';

type Command = fc.AsyncCommand<World, World>;

const deviceIndex = fc.constantFrom(0, 0, 1, 1, 2);
const tabIndex = fc.constantFrom(0, 0, 1);
const place = fc.record({ device: deviceIndex, tab: tabIndex });
type Place = { device: number; tab: number };

/** How long the next step waits: not at all, a little, or until nothing is under way. */
const pause = fc.constantFrom(0, 0, 1, 2, 3, 6, 'rest' as const);
type Pause = number | 'rest';

/** After each step everything must hold that holds at any time. */
function step(words: string, after: Pause, run: (world: World) => unknown, check = (_: World) => true): Command {
  return {
    check,
    run: async (_, world) => {
      await run(world);
      await (after === 'rest' ? world.turns.rest() : world.turns.turn(after));
      world.check();
    },
    toString: () => `${words}${after === 0 ? '' : `, ${after}`}`,
  };
}

/** On one of the pages that it may be done on, whichever there are. */
function onPage<T extends object>(
  name: string,
  details: fc.Arbitrary<T>,
  run: (game: Game, details: T, world: World) => unknown,
  may: (game: Game) => boolean = () => true,
): fc.Arbitrary<Command> {
  const open = (world: World): Game[] => world.games().filter(may);
  return fc.tuple(fc.nat({ max: 5 }), details, pause).map(([which, given, after]) =>
    step(
      `${[name, ...Object.values(given).map((one) => JSON.stringify(one))].join(' ')} (page ${which})`,
      after,
      (world) => run(open(world)[which % open(world).length] as Game, given, world),
      (world) => open(world).length > 0,
    ),
  );
}

const none = fc.constant({});

const write = onPage(
  'write',
  fc.record({ name: fc.constantFrom<CollectionName>(...collections, 'tally'), amount: fc.integer({ min: 1, max: 9 }) }),
  (game, { name, amount }) => game.write(name, amount),
);
const writeAgain = onPage(
  'write again',
  fc.record({ name: fc.constantFrom<CollectionName>(...collections) }),
  (game, { name }) => game.writeAgain(name),
);
const flush = onPage('flush', none, (game) => game.flush());
const load = onPage('load', none, (game) => game.load());
const hide = onPage('hide', none, (game) => game.page.hide());
const kill = onPage('kill', fc.record({ isCut: fc.boolean() }), (game, { isCut }) => game.page.kill(isCut));
const fuse = onPage(
  'kill in',
  fc.record({ operations: fc.integer({ min: 1, max: 8 }), isLastDone: fc.boolean() }),
  (game, lit) => {
    game.page.fuse = lit;
  },
);
const signOut = onPage('sign out', none, (game) => game.signOut());
const signIn = onPage(
  'sign in',
  fc.record({ username: fc.constantFrom('ada', 'ada', 'bob', null) }),
  (game, { username }) => game.signIn(username),
);
const choose = onPage(
  'choose',
  fc.record({ choice: fc.constantFrom<Choice>('local', 'cloud', 'cloud', 'merge', 'merge', 'cancel') }),
  (game, { choice }) => game.choose(choice),
  ({ page }) => page.client.conflict !== null,
);
const undo = onPage('undo', none, (game) => game.undo());
const open = fc.tuple(place, pause).map(([{ device, tab }, after]: [Place, Pause]) =>
  step(
    `open (${device}/${tab})`,
    after,
    (world) => void world.open(device, tab),
    ({ devices }) => devices[device]?.pages[tab] === undefined,
  ),
);
const net = fc
  .tuple(deviceIndex, fc.constantFrom<Net>('on', 'on', 'off', 'lost', 'busy', 'held'), pause)
  .map(([device, mode, after]) =>
    step(
      `net ${mode} (${device})`,
      after,
      ({ devices }) => devices[device]?.setNet(mode),
      ({ devices }) => devices[device]?.net !== mode,
    ),
  );
const pass = fc
  .tuple(fc.constantFrom(250, 250, 2_000, 30_000, 700_000, 7_200_000), pause)
  .map(([ms, after]) => step(`pass ${ms} ms`, after, (world) => world.pass(ms)));

/** As often as games and players do them, or a little more often where it hurts. */
const weights: [number, fc.Arbitrary<Command>][] = [
  [16, write],
  [1, writeAgain],
  [5, flush],
  [2, load],
  [1, hide],
  [2, kill],
  [2, fuse],
  [6, open],
  [4, net],
  [5, pass],
  [1, signOut],
  [4, signIn],
  [6, choose],
  [1, undo],
];

export const anyCommand: fc.Arbitrary<Command>[] = weights.flatMap(([weight, command]) =>
  Array.from({ length: weight }, () => command),
);
