import fc from 'fast-check';
import type { Device } from './device.js';
import type { Game } from './game.js';
import { search } from './search.js';
import type { Name } from './values.js';
import type { World } from './world.js';

export type Command = fc.AsyncCommand<World, World>;
export type Weighted = readonly [weight: number, command: fc.Arbitrary<Command>];

/** How long the next step waits: not at all, a little, or until nothing is under way. */
export type Pause = number | 'rest';
export const pauses: fc.Arbitrary<Pause> = fc.constantFrom(0, 0, 1, 2, 3, 6, 'rest' as const, 'rest' as const);
export const none = fc.constant({});

/** Which collection of those that the game has. */
export const which = fc.nat({ max: 9 });
export const nameOf = ({ names }: World, index: number): Name => names[index % names.length] as Name;

/** The commands that are wanted, where not all are: to find out what it takes. */
const { only } = search;

const firstWord = (words: string): string => words.split(' ')[0] as string;

/** Whether any of the commands that an arbitrary makes can be wanted. */
export function isWanted(command: fc.Arbitrary<Command>): boolean {
  const [one] = fc.sample(command, 1);
  return only === undefined || only.some((name) => firstWord(name) === firstWord(String(one)));
}

/** After each step everything must hold that holds at any time. What `run` gives as a text is said besides. */
export function step(
  words: string,
  after: Pause,
  run: (world: World) => unknown,
  check = (_: World): boolean => true,
): Command {
  let more = '';
  const isFitting = only === undefined || only.some((name) => words.startsWith(name));
  return {
    check: (world) => isFitting && check(world),
    run: async (_, world) => {
      const said = await run(world);
      more = typeof said === 'string' ? ` ${said}` : '';
      if (after === 'rest') {
        await world.turns.rest();
        world.checkAtRest();
      } else {
        await world.turns.turn(after);
        world.check();
      }
    },
    toString: () => `${words}${more}${after === 0 ? '' : `, ${after}`}`,
  };
}

const said = (name: string, given: object): string =>
  [name, ...Object.values(given).map((one) => JSON.stringify(one))].join(' ');

/** On one of the pages that it may be done on, whichever there are. */
export function gameOn<T extends object>(
  name: string,
  details: fc.Arbitrary<T>,
  run: (game: Game, details: T, world: World) => unknown,
  may: (game: Game) => boolean = () => true,
): fc.Arbitrary<Command> {
  const open = (world: World): Game[] => world.playable().filter(may);
  return fc.tuple(fc.nat({ max: 5 }), details, pauses).map(([which, given, after]) =>
    step(
      `${said(name, given)} (page ${which})`,
      after,
      (world) => run(open(world)[which % open(world).length] as Game, given, world),
      (world) => open(world).length > 0,
    ),
  );
}

/** On one of the devices. */
export function onDevice<T extends object>(
  name: string,
  details: fc.Arbitrary<T>,
  run: (device: Device, details: T, world: World) => unknown,
  may: (device: Device, details: T) => boolean = () => true,
): fc.Arbitrary<Command> {
  return fc.tuple(fc.constantFrom(0, 0, 1, 1, 2), details, pauses).map(([which, given, after]) =>
    step(
      `${said(name, given)} (${which})`,
      after,
      (world) => run(world.devices[which] as Device, given, world),
      ({ devices }) => may(devices[which] as Device, given),
    ),
  );
}
