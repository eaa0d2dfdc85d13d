import { conflicts, farewell } from './areas/conflicts.js';
import { badRequests, entries } from './areas/entries.js';
import { namedWrites } from './areas/named-writes.js';
import { pages, pagesOf } from './areas/pages.js';
import { players } from './areas/players.js';
import { lateSessions, sessions } from './areas/sessions.js';
import { signedRequests } from './areas/signed-requests.js';
import type { Area } from './contract.js';

/** The whole contract, in an order in which each part finds what it builds on. */
export function contractAreas({ origin, isQuick }: { origin: string | null; isQuick: boolean }): Area[] {
  const named = origin === null ? [] : [pagesOf(origin)];
  const all = [
    players,
    sessions,
    entries,
    namedWrites,
    badRequests,
    signedRequests,
    pages,
    ...named,
    conflicts,
    lateSessions,
    farewell,
  ];
  return all
    .map((area) => ({ ...area, checks: area.checks.filter(({ isSlow }) => !(isQuick && isSlow === true)) }))
    .filter(({ checks }) => checks.length > 0);
}
