import type {
  PlatformRecord,
  PlatformsRecord,
  RemovePlatformOutcome,
  RemovePlatformRequest,
  SavePlatformOutcome,
  SavePlatformRequest,
} from '../platform-requests.js';
import type { Scope } from '../records.js';
import { decideRemoval, decideSave, noPlatforms } from '../rules/platforms.js';
import { firstRow, integerOf, rows, type SqlRow, type Steps, textOf } from './statement.js';

/** `Store.readPlatformsRevision`. */
export function* readPlatformsRevision({ gameId, environment }: Scope): Steps<number> {
  const text = 'SELECT revision FROM @platforms WHERE game_id = $1 AND environment = $2';
  const row = yield* firstRow(text, gameId, environment);
  return row === null ? noPlatforms.revision : integerOf(row, 'revision');
}

/** `Store.readPlatforms`. One row has all of them, so that they are always of the same moment. */
export function* readPlatforms({ gameId, environment }: Scope): Steps<PlatformsRecord> {
  const text = 'SELECT revision, body, former FROM @platforms WHERE game_id = $1 AND environment = $2';
  const row = yield* firstRow(text, gameId, environment);
  return row === null ? noPlatforms : fromRow(row);
}

export function* savePlatform(request: SavePlatformRequest): Steps<SavePlatformOutcome> {
  const { outcome, next } = decideSave(yield* lockPlatforms(request.scope), request);
  yield* keep(request.scope, next);
  return outcome;
}

export function* removePlatform(request: RemovePlatformRequest): Steps<RemovePlatformOutcome> {
  const { outcome, next } = decideRemoval(yield* lockPlatforms(request.scope), request);
  yield* keep(request.scope, next);
  return outcome;
}

/**
 * Keeps everybody else from changing a game's platforms until the transaction ends. It makes the
 * row where there is none.
 */
function* lockPlatforms({ gameId, environment }: Scope): Steps<PlatformsRecord> {
  const row = yield* firstRow(
    `INSERT INTO @platforms AS p (game_id, environment, revision, body) VALUES ($1, $2, $3, '[]')
      ON CONFLICT (game_id, environment) DO UPDATE SET revision = p.revision RETURNING revision, body, former`,
    gameId,
    environment,
    noPlatforms.revision,
  );
  return row === null ? noPlatforms : fromRow(row);
}

function* keep({ gameId, environment }: Scope, next: PlatformsRecord | null): Steps<void> {
  if (next === null) return;
  yield* rows(
    'UPDATE @platforms SET revision = $3, body = $4, former = $5 WHERE game_id = $1 AND environment = $2',
    gameId,
    environment,
    next.revision,
    JSON.stringify(next.platforms),
    JSON.stringify(next.former),
  );
}

function fromRow(row: SqlRow): PlatformsRecord {
  return {
    revision: integerOf(row, 'revision'),
    platforms: JSON.parse(textOf(row, 'body')) as PlatformRecord[],
    former: JSON.parse(textOf(row, 'former')) as PlatformsRecord['former'],
  };
}
