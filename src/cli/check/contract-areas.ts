import { conflicts, farewell } from './areas/conflicts.js';
import { devices } from './areas/devices.js';
import { badRequests, entries } from './areas/entries.js';
import { namedWrites } from './areas/named-writes.js';
import { pages, pagesOf } from './areas/pages.js';
import { players } from './areas/players.js';
import { rateLimits } from './areas/rate-limits.js';
import { lateSessions, sessions } from './areas/sessions.js';
import { signedRequests } from './areas/signed-requests.js';
import { copiedToken, recentAuthentication, snapshots, waysIn } from './areas/ways-in.js';
import type { Area } from './contract.js';

interface Chosen {
  origin: string | null;
  isQuick: boolean;
  /** Whether limits are reached on purpose. */
  withRates: boolean;
}

/** The whole contract, in an order in which each part finds what it builds on. */
export function contractAreas({ origin, isQuick, withRates }: Chosen): Area[] {
  const named = origin === null ? [] : [pagesOf(origin)];
  const all = [
    players,
    sessions,
    entries,
    namedWrites,
    badRequests,
    signedRequests,
    waysIn,
    devices,
    copiedToken,
    snapshots,
    pages,
    ...named,
    conflicts,
    lateSessions,
    recentAuthentication,
    farewell,
    // What an address may try is used up by them.
    ...(withRates ? [rateLimits] : []),
  ];
  return all
    .map((area) => ({ ...area, checks: area.checks.filter(({ isSlow }) => !(isQuick && isSlow === true)) }))
    .filter(({ checks }) => checks.length > 0);
}
