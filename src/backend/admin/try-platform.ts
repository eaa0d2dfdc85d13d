import type { PlatformTrial } from '../../protocol/admin-platforms.js';
import type { Game } from '../game.js';
import type { CheckStep, Explanation, PlatformCheck } from '../platforms/preset.js';
import { askOutside, NoAnswerInTime } from '../providers/ask-outside.js';
import { type IdentityProvider, verifyIdentity } from '../providers/identity-tokens.js';
import type { SocialContext } from '../providers/social.js';
import { Refusal } from '../refusal.js';
import type { PreparedPlatform } from '../registry/prepare.js';
import type { Service } from '../service.js';
import type { Scope } from '../stores/records.js';
import { prepareGiven, presetOf, type WantedPlatform } from './platforms.js';

/** Who tries what. */
export interface Trial {
  scope: Scope;
  name: string;
  token: string;
  /** What is tried without being saved; the platform as it is where there is none. */
  unsaved: Pick<WantedPlatform, 'preset' | 'settings'> | null;
  address: string | undefined;
  signal: AbortSignal;
}

type Explain = PlatformCheck['explain'];

/**
 * Checks a token as a player's is checked, and tells of each step. Nothing is changed, and nobody is signed in. It has
 * places of its own, so that whoever tries takes none of a player's.
 */
export async function tryPlatform(service: Service, game: Game, trial: Trial): Promise<PlatformTrial> {
  const { scope, token, address, signal } = trial;
  const explain = await explainerOf(service, game, trial);
  return service.tokenChecks.run({ asks: `tried:${scope.gameId}`, address, signal }, async () => {
    const now = service.now();
    try {
      return await askOutside(service.verifierMs, (asked) => explain(token, { ...scope, now, signal: asked }));
    } catch (error) {
      service.report('A platform could not be tried.', error);
      const detail = error instanceof NoAnswerInTime ? 'It took too long.' : 'It failed.';
      return failed('The platform can be asked', detail);
    }
  });
}

async function explainerOf(service: Service, game: Game, { scope, name, unsaved }: Trial): Promise<Explain> {
  const known = (await service.registry.latest(scope)).find(({ record }) => record.name === name) ?? null;
  if (unsaved !== null) {
    const given = { given: unsaved.settings, before: known };
    const { check } = prepareGiven(service, presetOf(service, unsaved.preset), given);
    return (token, context) => check.explain(token, context);
  }
  const configured = game.configured.get(name);
  if (configured !== undefined) return (token, context) => configured.check.explain(token, context);
  const verifier = game.socialPlatforms.get(name);
  if (verifier !== undefined) return byOneStep(async (token, context) => verifier(token, context));
  const provider = game.identityProviders.find(({ issuer }) => issuer === name);
  if (provider !== undefined) return byOneStep((token) => identityPlayer(service, provider, token));
  if (known === null) throw new Refusal('not_found', { detail: 'There is no such platform.' });
  return explainerOfKnown(known);
}

function explainerOfKnown({ check, problem }: PreparedPlatform): Explain {
  if (check !== null) return (token, context) => check.explain(token, context);
  return async () => failed('The platform can be used as it is registered', `It cannot: ${problem}.`);
}

/** Code of the configuration tells no more than whose token it is. */
function byOneStep(verify: (token: string, context: SocialContext) => Promise<Explanation['player']>): Explain {
  const step = 'The code of the configuration accepts the token';
  return async (token, context) => {
    const player = await verify(token, context);
    const isPlayer = typeof player?.id === 'string' && player.id !== '';
    if (!isPlayer) return failed(step, 'It does not.');
    const { id, issuer } = player;
    return { player: { id, ...(issuer === undefined ? {} : { issuer }) }, steps: [{ step, result: 'passed' }] };
  };
}

async function identityPlayer(
  service: Service,
  provider: IdentityProvider,
  token: string,
): Promise<Explanation['player']> {
  try {
    const { issuer, subject } = await verifyIdentity(service, [provider], token);
    return { id: subject, issuer };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'invalid_credentials') return null;
    throw error;
  }
}

function failed(step: string, detail: string): { player: null; steps: CheckStep[] } {
  return { player: null, steps: [{ step, result: 'failed', detail }] };
}
