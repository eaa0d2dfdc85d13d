import type { BackendLimits, Rate } from '../../backend/index.js';
import type { PortLimits } from '../../backend/port-limits.js';
import type { PostgresLimits } from '../../backend/stores/postgres/limits.js';
import type { ConsoleRoute } from './options.js';

/** What a service runs with, as its configuration gives it. */
export interface GivenLimits {
  limits: BackendLimits | undefined;
  port: PortLimits;
  /** Null where the store is no PostgreSQL. */
  postgres: PostgresLimits | null;
  /** Null where the service ends at once. */
  drain: { noticeMs: number; maxMs: number } | null;
}

/** A limit that the configuration names: of what it is, and its value, both as docs/limits.md writes them. */
interface SetLimit {
  of: 'service' | 'account' | 'port' | 'PostgreSQL' | 'rate';
  name: string;
  value: string;
}

/**
 * The limits of a service that its configuration sets; all others have their defaults, but for
 * what is not in use at all.
 */
function limitsInUse({ limits = {}, port, postgres, drain }: GivenLimits): {
  set: SetLimit[];
  unused: SetLimit['of'][];
} {
  const { quotas = {}, rates = false, ...ofService } = limits;
  const drained = drain === null ? {} : { 'drain.noticeMs': drain.noticeMs, 'drain.maxMs': drain.maxMs };
  const unused: SetLimit['of'][] = [];
  if (rates === false) unused.push('rate');
  if (postgres === null) unused.push('PostgreSQL');
  return {
    set: [
      ...named('service', { ...ofService, ...drained }),
      ...named('account', quotas),
      ...named('port', port),
      ...named('PostgreSQL', postgres ?? {}),
      ...named('rate', typeof rates === 'object' ? rates : {}),
    ],
    unused,
  };
}

function named(of: SetLimit['of'], values: object): SetLimit[] {
  return Object.entries(values).flatMap(([name, value]: [string, number | Rate | undefined]) =>
    value === undefined ? [] : { of, name, value: written(value) },
  );
}

function written(value: number | Rate): string {
  return typeof value === 'number' ? String(value) : `${value.tries}/${value.windowMs / 1000}`;
}

/** The address at which the page reads them. */
export function limitsRoute(read: () => GivenLimits): { readonly [path: string]: ConsoleRoute } {
  return { limits: { GET: () => Response.json(limitsInUse(read())) } };
}
