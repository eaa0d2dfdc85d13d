import { type Environment, isEnvironment } from '../../src/protocol/environments.js';
import type { Place } from './context.js';
import { keep, kept } from './kept.js';
import type { Route } from './route.js';

/** The place that the address names; else the one of the last visit; else the first game, in Development or Production. */
export function placeOf({ query }: Route, games: readonly string[], usual: Environment): Place {
  const [keptGame, keptEnvironment] = (kept('place') ?? '').split(' ');
  const gameId = [query['game'], keptGame, games[0]].find((id) => id !== undefined && games.includes(id)) ?? '';
  const environment = [query['env'], keptEnvironment]
    .filter((text) => text !== undefined && text !== '')
    .map(Number)
    .find(isEnvironment);
  return { gameId, environment: environment ?? usual };
}

export function keepPlace({ gameId, environment }: Place): void {
  keep('place', `${gameId} ${environment}`);
}
