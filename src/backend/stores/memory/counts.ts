import type { CountKind, CountRecord, CountsRequest } from '../count-requests.js';
import type { Scope } from '../records.js';
import { dayOf } from '../rules/counts.js';
import type { MemoryTables } from './tables.js';

/** Counts what happens in a game, for its day. */
export function count(
  tables: MemoryTables,
  { gameId, environment }: Scope,
  now: number,
  kinds: readonly CountKind[],
): void {
  const day = dayOf(now);
  for (const kind of kinds) {
    const key = countKey({ gameId, environment, day, kind });
    const known = tables.counts.get(key);
    if (known === undefined) tables.counts.set(key, { gameId, environment, day, kind, n: 1 });
    else known.n += 1;
  }
}

export function countKey({ gameId, environment, day, kind }: Scope & Omit<CountRecord, 'n'>): string {
  return `${gameId}/${environment}/${day}/${kind}`;
}

/** `Store.readCounts`. */
export function readCounts(tables: MemoryTables, { scope, from, to }: CountsRequest): CountRecord[] {
  return [...tables.counts.values()]
    .filter(({ gameId, environment }) => gameId === scope.gameId && environment === scope.environment)
    .filter(({ day }) => day >= from && day <= to)
    .sort((one, other) => one.day - other.day || (one.kind < other.kind ? -1 : 1))
    .map(({ day, kind, n }) => ({ day, kind, n }));
}
