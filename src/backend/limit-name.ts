import type { RateLimits } from './rates.js';

/** Limits that refuse a request and are no rates: most of them for all who ask, some for an account or a game. */
export const refusingLimits = [
  'arrivingBytes',
  'checksWaiting',
  'connectTimeoutMs',
  'console.signInsPerAddress',
  'console.streamListeners',
  'deliveriesWaiting',
  'exportsAtOnce',
  'hashesWaiting',
  'noncesPerGame',
  'raceTries',
  'refreshRaces',
  'statementTimeoutMs',
  'verifierMs',
  'wholeReadsWaitMs',
  'wholeReadsWaiting',
] as const;

/**
 * Which limit refused a request, by the name under which docs/limits.md has it. It never depends on whether a name or an
 * account exists.
 */
export type LimitName = (typeof refusingLimits)[number] | Exclude<keyof RateLimits, 'lockMaxMs'>;
