import type {
  PlatformsRecord,
  RemovePlatformOutcome,
  RemovePlatformRequest,
  SavePlatformOutcome,
  SavePlatformRequest,
} from '../platform-requests.js';
import type { Scope } from '../records.js';
import { decideRemoval, decideSave, noPlatforms } from '../rules/platforms.js';
import type { MemoryTables } from './tables.js';

export function scopeKey({ gameId, environment }: Scope): string {
  return `${gameId}/${environment}`;
}

/** `Store.readPlatforms`. */
export function readPlatforms(tables: MemoryTables, scope: Scope): PlatformsRecord {
  return structuredClone(tables.platforms.get(scopeKey(scope))?.record ?? noPlatforms);
}

export function savePlatform(tables: MemoryTables, request: SavePlatformRequest): SavePlatformOutcome {
  const { outcome, next } = decideSave(readPlatforms(tables, request.scope), structuredClone(request));
  keep(tables, request.scope, next);
  return outcome;
}

export function removePlatform(tables: MemoryTables, request: RemovePlatformRequest): RemovePlatformOutcome {
  const { outcome, next } = decideRemoval(readPlatforms(tables, request.scope), request);
  keep(tables, request.scope, next);
  return outcome;
}

function keep(tables: MemoryTables, { gameId, environment }: Scope, next: PlatformsRecord | null): void {
  if (next === null) return;
  const scope = { gameId, environment };
  tables.platforms.set(scopeKey(scope), { scope, record: structuredClone(next) });
}
