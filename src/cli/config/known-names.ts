import type { GameConfig, ServiceConfig } from '../../backend/index.js';
import { nearest } from '../nearest.js';
import { UsageError } from '../usage-error.js';
import { limitOwners } from './limits.js';

type Names<Object> = { readonly [name in keyof Required<Object>]: true };

const config: Names<ServiceConfig> = {
  games: true,
  store: true,
  signingKey: true,
  formerSigningKeys: true,
  operatorKey: true,
  sealingKey: true,
  formerSealingKeys: true,
  platformPresets: true,
  platformFetch: true,
  allowPrivateAddresses: true,
  port: true,
  host: true,
  processes: true,
  metrics: true,
  drain: true,
  console: true,
  limits: true,
  resolveCountry: true,
  deliver: true,
  allowedOrigins: true,
  issuer: true,
  trustedProxies: true,
};

const game: Names<GameConfig> = {
  id: true,
  privateKeys: true,
  socialPlatforms: true,
  identityProviders: true,
  platforms: true,
  accountMerge: true,
  allowedOrigins: true,
  webhook: true,
};

const webhook: Names<NonNullable<GameConfig['webhook']>> = { url: true, events: true, fetch: true };
const metrics: Names<NonNullable<ServiceConfig['metrics']>> = { port: true, host: true };
const drain: Names<NonNullable<ServiceConfig['drain']>> = { noticeMs: true, maxMs: true };

/** Refuses a name that is none: what is spelled wrong would have no effect, and nobody would know. */
export function checkNames(given: ServiceConfig, file: string): void {
  check(given, config, '');
  check(given.limits, limitOwners, 'limits.');
  check(given.metrics, metrics, 'metrics.');
  check(given.drain, drain, 'drain.');
  const games: unknown = given.games;
  if (games !== undefined && !Array.isArray(games)) throw new UsageError(`${file}: games must be a list`);
  for (const [index, one] of (games ?? []).entries()) {
    if (typeof one !== 'object' || one === null) throw new UsageError(`${file}: games[${index}] must be a game`);
    check(one, game, `games[${index}].`);
    check(one.webhook, webhook, `games[${index}].webhook.`);
  }

  function check(value: unknown, known: { readonly [name: string]: unknown }, at: string): void {
    if (typeof value !== 'object' || value === null) return;
    for (const name of Object.keys(value)) {
      if (Object.hasOwn(known, name)) continue;
      const meant = nearest(name, Object.keys(known));
      const hint = meant === null ? '' : `; did you mean ${at}${meant}?`;
      throw new UsageError(`${file}: there is no ${at}${name}${hint}`);
    }
  }
}
