import { conflicts, farewell } from './areas/conflicts.js';
import { devices } from './areas/devices.js';
import { badRequests, entries } from './areas/entries.js';
import { fullAccount } from './areas/full-account.js';
import { health } from './areas/health.js';
import { inFlight } from './areas/in-flight.js';
import { namedWrites } from './areas/named-writes.js';
import { pages, pagesOf } from './areas/pages.js';
import { passwordReset, passwordResetNotAsked } from './areas/password-reset.js';
import { players } from './areas/players.js';
import { oneTooMany, quotas } from './areas/quotas.js';
import { rateLimits } from './areas/rate-limits.js';
import { forgottenPasswords, names } from './areas/refusals.js';
import { lateSessions, sessions } from './areas/sessions.js';
import { signedIds } from './areas/signed-ids.js';
import { signedRequests } from './areas/signed-requests.js';
import { snapshotBytes } from './areas/snapshot-bytes.js';
import { copiedToken, recentAuthentication, snapshots, waysIn } from './areas/ways-in.js';
import type { Area, Check } from './contract.js';

interface Chosen {
  origin: string | null;
  isQuick: boolean;
  /** Whether limits are reached on purpose. */
  withRates: boolean;
  hasOperatorKey: boolean;
}

/** The whole contract, in an order in which each part finds what it builds on. */
export function contractAreas({ origin, isQuick, withRates, hasOperatorKey }: Chosen): Area[] {
  const named = origin === null ? [] : [pagesOf(origin)];
  const all = [
    health,
    players,
    names,
    forgottenPasswords,
    sessions,
    entries,
    namedWrites,
    badRequests,
    signedRequests,
    signedIds,
    quotas,
    inFlight,
    waysIn,
    devices,
    copiedToken,
    snapshots,
    pages,
    ...named,
    conflicts,
    oneTooMany,
    snapshotBytes,
    lateSessions,
    recentAuthentication,
    hasOperatorKey ? passwordReset : passwordResetNotAsked,
    farewell,
    // What an address may try is used up by them.
    ...(withRates ? [rateLimits, fullAccount] : []),
  ];
  const isAsked = ({ isSlow = false, isTry = false }: Check): boolean => !(isQuick && isSlow) && !(withRates && isTry);
  return all
    .map((area) => ({ ...area, checks: area.checks.filter(isAsked) }))
    .filter(({ checks }) => checks.length > 0);
}
