import type { BackendLimits, ServiceLimits } from '../../backend/index.js';
import type { PortLimits } from '../../backend/port-limits.js';
import type { PostgresLimits } from '../../backend/stores/postgres/limits.js';
import { nearest } from '../nearest.js';
import { UsageError } from '../usage-error.js';

/** What each limit bounds. */
export const limitOwners: { readonly [name in keyof Required<ServiceLimits>]: 'service' | 'port' | 'postgres' } = {
  valueBytes: 'service',
  requestBytes: 'service',
  mergeRequestBytes: 'service',
  noncesPerGame: 'service',
  webhookEventsPerGame: 'service',
  quotas: 'service',
  rates: 'service',
  verifierMs: 'service',
  countryMs: 'service',
  tokenChecksAtOnce: 'service',
  tokenChecksAtOncePerAddress: 'service',
  recentAuthenticationMs: 'service',
  connections: 'port',
  connectionsPerAddress: 'port',
  headerBytes: 'port',
  headersMs: 'port',
  requestMs: 'port',
  keepAliveMs: 'port',
  writeMs: 'port',
  unreadBytes: 'port',
  arrivingBytes: 'port',
  pipelined: 'port',
  maxConnections: 'postgres',
  connectTimeoutMs: 'postgres',
  statementTimeoutMs: 'postgres',
};

export interface OwnedLimits {
  service: BackendLimits;
  port: PortLimits;
  postgres: PostgresLimits;
}

/** The limits by what they bound. */
export function ownedLimits(limits: ServiceLimits = {}): OwnedLimits {
  const of = (owner: (typeof limitOwners)[keyof ServiceLimits]): object =>
    Object.fromEntries(Object.entries(limits).filter(([name]) => limitOwners[name as keyof ServiceLimits] === owner));
  return { service: of('service'), port: of('port'), postgres: of('postgres') };
}

/** `writeMs=15000`, of the command line or the environment. */
export function limitOf(text: string): [name: string, limit: number] {
  const [, name = '', number] = /^(\w+)=([1-9]\d{0,14})$/.exec(text.trim()) ?? [];
  if (number === undefined) throw new UsageError('a limit must be as in writeMs=15000, a whole number from 1 up');
  if (name === 'rates') throw new UsageError('rates are given by --rate, as in --rate readsPerAccount=3000/60');
  if (name === 'quotas') throw new UsageError('quotas are given in the file: limits: { quotas: { entries: 5_000 } }');
  if (!Object.hasOwn(limitOwners, name)) {
    const meant = nearest(name, Object.keys(limitOwners));
    throw new UsageError(`there is no limit ${name}${meant === null ? '' : `; did you mean ${meant}?`}`);
  }
  return [name, Number(number)];
}
