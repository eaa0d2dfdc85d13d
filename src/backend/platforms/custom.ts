import { providerDefaults } from '../../protocol/gaps/providers.js';
import { askOutside } from '../providers/ask-outside.js';
import { playerId } from '../providers/signed-token.js';
import type { SocialVerifier } from '../providers/social.js';
import { createCheck, DoesNotHold } from './check.js';
import type { PlatformCheck, PlatformSurroundings } from './preset.js';
import { requireField } from './settings.js';

const steps = {
  verify: 'The game’s own function lets the token in',
  player: 'It names the player',
} as const;

/**
 * Makes a check of a game's own function, so that a token can be tried with it as with a preset. What the function
 * throws is not shown, since it may hold the token, and one that takes longer than `timeoutMs` (8,000 by default) could
 * not find out. A form cannot make one: it is no preset.
 */
export function custom(
  verify: SocialVerifier,
  { timeoutMs = providerDefaults.verifierMs }: Pick<PlatformSurroundings, 'timeoutMs'> = {},
): PlatformCheck {
  requireField(typeof verify === 'function', 'verify', 'a function');
  return createCheck('The game’s own function', steps, async (token, context, at) => {
    at('verify');
    const player: unknown = await askOutside(timeoutMs, (signal) => verify(token, { ...context, signal }));
    if (player === null || typeof player !== 'object') throw new DoesNotHold('The function knows no such player.');
    at('player');
    const { id } = player as { id?: unknown };
    if (typeof id !== 'string' || playerId(id) === null) throw new DoesNotHold('The function gave no id.');
    return { id };
  });
}
