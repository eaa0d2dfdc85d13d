import fc from 'fast-check';
import type { Choice, Game } from './game.js';
import { gameOn, none, type Weighted } from './steps.js';
import type { World } from './world.js';

/** The player changes who plays here. */
function changing(game: Game, { identities }: World): Game {
  identities.change(game.page.device);
  return game;
}

/** What a player does with accounts. */
export const accountCommands: Weighted[] = [
  [2, gameOn('sign out', none, (game, _, world) => changing(game, world).signOut())],
  [
    5,
    gameOn(
      'sign in',
      fc.record({ username: fc.constantFrom('ada', 'ada', 'bob', null) }),
      (game, { username }, world) => changing(game, world).signIn(username),
    ),
  ],
  [
    6,
    gameOn(
      'choose',
      fc.record({ choice: fc.constantFrom<Choice>('local', 'cloud', 'cloud', 'merge', 'merge', 'cancel') }),
      (game, { choice }, world) => changing(game, world).choose(choice),
      ({ page }) => page.client.conflict !== null,
    ),
  ],
  [1, gameOn('undo', none, (game) => game.undo())],
  [
    1,
    gameOn(
      'delete',
      none,
      (game, _, { identities, devices }) => {
        // Every device that plays it is somebody else's then, or nobody's.
        for (const device of devices) identities.change(device);
        game.remove();
      },
      ({ page }) => page.client.auth.userId !== null && page.client.conflict === null,
    ),
  ],
  [
    1,
    gameOn('restore', none, (game, _, world) => {
      const [code] = world.removed.values();
      if (code !== undefined) changing(game, world).restore(code);
    }),
  ],
];
