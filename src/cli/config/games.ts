import type { GameConfig, GameOptions, ServiceConfig } from '../../backend/index.js';
import { demoGame } from '../demo.js';
import type { Io } from '../io.js';
import { findSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import { resolvedPlatforms } from './platforms.js';
import { referenced, unresolved } from './references.js';

/** Notes what is missing, with the ways to give it. */
export type Missing = (problem: string) => null;

export interface GameArguments {
  'game-id'?: string | undefined;
  'private-key-file'?: string | undefined;
}

/** The games with their keys; null where there is none, which `missing` has been told. */
export async function readGames(
  given: GameArguments,
  config: ServiceConfig,
  io: Io,
  missing: Missing,
): Promise<GameOptions[] | null> {
  const id = given['game-id'] ?? io.env['SAVEPOINT_GAME_ID'];
  const key = await findSecret(io, {
    what: 'the private key',
    option: 'private-key-file',
    file: given['private-key-file'],
    variable: 'SAVEPOINT_PRIVATE_KEY',
  });
  const listed = config.games ?? [];
  if (listed.length > 0 && given['game-id'] !== undefined) {
    throw new UsageError('the games are in the configuration already: leave --game-id out');
  }
  if (listed.length === 0) {
    const game =
      id === undefined
        ? missing('No game: give --game-id <uuid>, SAVEPOINT_GAME_ID, or games in savepoint.config.*')
        : { id };
    const keys =
      key === null
        ? missing(
            'No private key of the game: give --private-key-file <file>, SAVEPOINT_PRIVATE_KEY or SAVEPOINT_PRIVATE_KEY_FILE (savepoint new-key private makes one)',
          )
        : [known(key, missing)];
    return game === null || keys === null ? null : [{ ...game, privateKeys: keys }];
  }
  const alone = listed.filter(({ privateKeys }) => privateKeys === undefined).length === 1;
  return Promise.all(
    listed.map(async (game, index) => {
      const keys = game.privateKeys ?? (alone && key !== null ? [key] : []);
      if (keys.length === 0) {
        missing(
          `No private key of games[${index}]: give privateKeys: [{ env: 'NAME' }] or [{ file: 'path' }], or SAVEPOINT_PRIVATE_KEY where only one game has none`,
        );
      }
      const { platforms, ...others } = game;
      return {
        ...others,
        ...(await resolvedPlatforms(platforms, `games[${index}].platforms`, { io, missing })),
        privateKeys: (await resolvedKeys(keys, `games[${index}].privateKeys`, io, missing)).map((key) =>
          known(key, missing),
        ),
      };
    }),
  );
}

/** Keys as they are given, or as what they refer to holds. */
export async function resolvedKeys(
  keys: NonNullable<GameConfig['privateKeys']>,
  at: string,
  io: Io,
  missing: Missing,
): Promise<string[]> {
  const found = await Promise.all(
    keys.map(async (key) =>
      typeof key === 'string' ? key : ((await referenced(key, at, io)) ?? missing(unresolved(key, at))),
    ),
  );
  return found.filter((key) => key !== null);
}

/** A key that everybody knows protects nothing. */
function known(key: string, missing: Missing): string {
  if (key === demoGame.privateKey) {
    missing(
      'The private key is the one of savepoint dev, which everybody knows: make one with savepoint new-key private',
    );
  }
  return key;
}
