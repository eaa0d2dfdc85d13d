import * as jose from 'jose';
import type { Game } from '../game.js';
import type { PlatformCheck, PlatformPlayer } from '../platforms/preset.js';
import { askOutside, limitOfCheck } from '../providers/ask-outside.js';
import { makesTokensOf, verifyIdentity } from '../providers/identity-tokens.js';
import type { SocialVerifier } from '../providers/social.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { Scope } from '../stores/records.js';
import type { PreparedPlatform } from './prepare.js';

/** A platform that operators have registered cannot be used at the moment: `savepoint platforms list` says why. */
class PlatformUnusable extends Error {
  constructor() {
    super('The platform cannot be used as it is registered.');
    this.name = 'PlatformUnusable';
  }
}

/**
 * The social platforms that players may sign in with, by name: those of the configuration, and those that operators
 * have registered and switched on. Where a name is in both, the configuration's counts.
 */
export async function socialPlatformsOf(
  { registry }: Service,
  game: Game,
  scope: Scope,
): Promise<ReadonlyMap<string, SocialVerifier>> {
  const registered = (await registry.platforms(scope)).filter(
    (platform) => platform.record.isOn && kindOf(platform) === 'social' && !isOverridden(game, platform),
  );
  return new Map([
    ...game.socialPlatforms,
    ...registered.map(({ record, check }) => [record.name, verifierOf(check)] as const),
  ]);
}

/** A check that is under way goes on with what it began with: it holds the check, and not its name. */
function verifierOf(check: PlatformCheck | null): PlatformCheck['verify'] {
  return async (token, context) => {
    if (check === null) throw new PlatformUnusable();
    return check.verify(token, context);
  };
}

/** Of a preset that the service does not know only the record says what it was. */
export function kindOf({ preset, record }: Pick<PreparedPlatform, 'preset' | 'record'>): 'social' | 'identity' {
  return preset?.kind ?? (record.issuer === null ? 'social' : 'identity');
}

/** An identity provider that may have made a token. */
interface Candidate {
  name: string;
  check: PlatformCheck | null;
}

/**
 * Checks an ID token: by the provider of the configuration that has its issuer, or else by the one that operators have
 * registered and switched on. Refuses with `invalid_credentials` and, where nobody could find out, with `unavailable`.
 */
export async function identifyPlayer(
  service: Service,
  game: Game,
  scope: Scope,
  { token, address, signal }: { token: string; address: string | undefined; signal: AbortSignal },
): Promise<{ issuer: string; subject: string }> {
  const { tokenChecks } = service;
  const issuer = issuerOf(token);
  const isConfigured = game.identityProviders.some((provider) => issuer !== null && makesTokensOf(provider, issuer));
  const candidates = issuer === null || isConfigured ? [] : await candidatesFor(service, game, { scope, issuer });
  const [first] = candidates;
  if (first === undefined || issuer === null) {
    // It asks for keys alone, and once for all who wait.
    return tokenChecks.run({ asks: null, address }, () => verifyIdentity(service, game.identityProviders, token));
  }
  return tokenChecks.run({ asks: `${scope.gameId} ${first.name}`, address, signal }, async () => {
    const player = await firstPlayer(service, candidates, { scope, token });
    if (player === null) throw new Refusal('invalid_credentials');
    return { issuer: player.issuer ?? issuer, subject: player.id };
  });
}

function issuerOf(token: string): string | null {
  try {
    return jose.decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}

/** Those whose tokens have this issuer; where nobody's have, those that do not say which ones theirs have. */
async function candidatesFor(
  { registry }: Service,
  game: Game,
  { scope, issuer }: { scope: Scope; issuer: string },
): Promise<Candidate[]> {
  const configured = [...game.configured.values()].filter(({ preset }) => preset.kind === 'identity');
  const registered = (await registry.platforms(scope)).filter(
    (platform) => platform.record.isOn && kindOf(platform) === 'identity' && !isOverridden(game, platform),
  );
  const all = [
    ...configured.map(({ name, check }) => ({ name, check, issuers: check.issuers ?? null })),
    ...registered.map(({ record, check }) => {
      const known = check === null ? [record.issuer] : (check.issuers ?? null);
      return { name: record.name, check, issuers: known };
    }),
  ];
  const named = all.filter(({ issuers }) => issuers?.includes(issuer));
  return named.length > 0 ? named : all.filter(({ issuers }) => issuers === null);
}

/** Whether the configuration has a platform of the same name or with the same issuer, which counts instead. */
export function isOverridden(game: Game, { record, check }: Pick<PreparedPlatform, 'record' | 'check'>): boolean {
  if (game.configured.has(record.name) || game.socialPlatforms.has(record.name)) return true;
  return (check?.issuers ?? [record.issuer]).some((issuer) => issuer !== null && hasIssuer(game, issuer));
}

/** Whether a provider of the configuration has this issuer. */
export function hasIssuer({ identityProviders, configured }: Game, issuer: string): boolean {
  const isConfigured = [...configured.values()].some(({ check }) => check.issuers?.includes(issuer));
  return isConfigured || identityProviders.some((provider) => makesTokensOf(provider, issuer));
}

async function firstPlayer(
  service: Service,
  candidates: readonly Candidate[],
  { scope, token }: { scope: Scope; token: string },
): Promise<PlatformPlayer | null> {
  let failure: { limitName?: 'verifierMs' } | null = null;
  for (const { name, check } of candidates) {
    try {
      const now = service.now();
      const player = await askOutside(
        service.verifierMs,
        (signal) => verifierOf(check)(token, { ...scope, now, signal }),
        'verifierMs',
      );
      if (typeof player?.id === 'string' && player.id !== '') return player;
    } catch (error) {
      failure = limitOfCheck(error);
      service.report(`The check of the identity provider "${name}" failed.`, error);
    }
  }
  if (failure !== null) {
    throw new Refusal('unavailable', { detail: 'The identity provider could not be asked.', ...failure });
  }
  return null;
}
