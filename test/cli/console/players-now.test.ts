import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPlayersNow, playersOf } from '../../../src/cli/console/players-now.js';

const minute = 60_000;
/** What the log would call a player. */
const named = (name: string): string => createHash('sha256').update(name).digest('base64url').slice(0, 16);

function watched() {
  let time = Date.parse('2026-11-24T08:00:00Z');
  const players = createPlayersNow(() => time);
  return {
    players,
    ask: (user: string | null, game: string | null = 'chess', route: string | null = '/v2/cl/games/:game') =>
      players.take({ game, user: user === null ? null : named(user), route }),
    count: () => playersOf([players.marks()]),
    pass(ms: number) {
      time += ms;
    },
  };
}

it('each player who asks counts once in each game, and nobody who is not known', () => {
  const { ask, count } = watched();
  for (const user of ['ada', 'ada', 'grace', null]) ask(user);
  ask('ada', 'go');
  ask('linus', null);
  expect(count()).toEqual({ chess: 2, go: 1 });
});

it('what a back end asks of a player is no sign of the player', () => {
  const { ask, count } = watched();
  ask('ada', 'chess', '/v2/pr/games/:game/saves/:user/usage');
  expect(count()).toEqual({});
});

it('a player who asks nothing for five minutes is gone, and so is one of a clock that was put back', () => {
  const { ask, count, pass } = watched();
  ask('ada');
  pass(3 * minute);
  ask('grace');
  pass(2 * minute - 1);
  expect(count()).toEqual({ chess: 2 });
  pass(1);
  expect(count()).toEqual({ chess: 1 });
  pass(-4 * minute);
  expect(count()).toEqual({});
});

it('a player whom several processes have met counts once, and a crowd to within a percent', () => {
  const [one, other] = [watched(), watched()];
  for (let index = 0; index < 60_000; index += 1) one.ask(`player ${index}`);
  for (let index = 20_000; index < 80_000; index += 1) other.ask(`player ${index}`);
  const { chess = 0 } = playersOf([one.players.marks(), other.players.marks()]);
  expect(Math.abs(chess - 80_000)).toBeLessThan(800);
});

it('more players than there are marks are many, and no error', () => {
  const marks = { chess: Array.from({ length: 2 ** 16 }, (_, index) => index) };
  expect(playersOf([marks])['chess']).toBeGreaterThan(500_000);
});
