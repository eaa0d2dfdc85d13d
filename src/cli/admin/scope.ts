import { type Environment, environments } from '../../protocol/environments.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

/** The game that the command line or the environment names. */
export function gameOf({ game }: { game?: string | undefined }, { env }: Io): string {
  const found = game ?? env['SAVEPOINT_GAME_ID'];
  if (found === undefined)
    throw new UsageError('say which game: --game <uuid>, or SAVEPOINT_GAME_ID (savepoint games lists them)');
  return found;
}

/** By name or by number; it has no default, so that nobody takes one for the other. */
export function environmentOf({ env }: { env?: string | undefined }, io: Io): Environment {
  const text = env ?? io.env['SAVEPOINT_ENV'];
  const named = Object.entries(environments).find(
    ([name, number]) => text !== undefined && (name.toLowerCase() === text.toLowerCase() || String(number) === text),
  );
  if (named !== undefined) return named[1];
  throw new UsageError('say which environment: --env production, stage or development (or SAVEPOINT_ENV)');
}
