import type { Scope } from '../backend/stores/records.js';
import { isEnvironment } from '../protocol/environments.js';
import { isUuid } from '../protocol/ids.js';
import { UsageError } from './usage-error.js';

export const scopeOptions = { 'game-id': { type: 'string' }, environment: { type: 'string' } } as const;

/** What `--game-id` and `--environment` name; undefined where they were left out. */
export function readScope(values: {
  'game-id'?: string | undefined;
  environment?: string | undefined;
}): Partial<Scope> {
  const { 'game-id': gameId, environment: text } = values;
  if (gameId !== undefined && !isUuid(gameId)) throw new UsageError('give the game: --game-id <uuid>');
  const environment = text === undefined ? undefined : Number(text);
  if (environment !== undefined && !isEnvironment(environment)) {
    throw new UsageError('give the environment: --environment 0, 1 or 2');
  }
  return {
    ...(gameId === undefined ? {} : { gameId: gameId.toLowerCase() }),
    ...(environment === undefined ? {} : { environment }),
  };
}
