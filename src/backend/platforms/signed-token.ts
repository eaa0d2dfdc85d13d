import { publicKeyAlgorithms, type TokenPart } from '../providers/signed-token.js';
import { createSignedTokenCheck } from '../providers/signed-token-verifier.js';
import type { SocialVerifier } from '../providers/social.js';
import type { Steps } from './check.js';
import type { PlatformField, PlatformPreset, PlatformSurroundings } from './preset.js';
import { readSettings, requireField, type SettingsOf, verifierFrom } from './settings.js';
import { createTokenCheck, tokenSteps } from './token-check.js';

/** A portal that signs a token (JWT) for each player, and publishes its keys. */
export interface SignedTokenPlatform extends PlatformSurroundings {
  /** The address of the portal's public keys, a JWK Set: https, or http on this machine. */
  keys: string;
  /** What a token's `iss` must be; not checked if left out. */
  issuer?: string;
  /** What a token's `aud` must be, or hold one of. Either this or `claim` must say that a token is for this game. */
  audience?: string | readonly string[];
  /** A claim that says for which game a token is, and what it must say. */
  claim?: string;
  /** What `claim` must say, as text. A claim that is no text never does. */
  claimValue?: string;
  /** The claim that holds the player's id; `sub` by default. */
  playerClaim?: string;
  /** The algorithms to accept; by default all with a public key that are in use. */
  algorithms?: string | readonly string[];
}

const fields = [
  {
    name: 'keys',
    label: 'Address of the keys',
    help: 'Where the portal publishes its public keys as a JWK Set (often called JWKS).',
    kind: 'address',
    isRequired: true,
    example: 'https://portal.example/.well-known/jwks.json',
  },
  {
    name: 'issuer',
    label: 'Issuer',
    help: 'What `iss` must be, letter for letter; not checked if left out.',
    kind: 'text',
    isRequired: false,
    example: 'https://portal.example',
  },
  {
    name: 'audience',
    label: 'Audience',
    help: 'What `aud` must be, or hold one of. Give this, or the claim that says for which game a token is.',
    kind: 'list',
    isRequired: false,
    example: 'my-game',
  },
  {
    name: 'claim',
    label: 'Claim for the game',
    help: 'The claim that says for which game a token is, where `aud` does not.',
    kind: 'text',
    isRequired: false,
    example: 'gameId',
  },
  {
    name: 'claimValue',
    label: 'Its value',
    help: 'What that claim must say for this game.',
    kind: 'text',
    isRequired: false,
    example: '20267',
  },
  {
    name: 'playerClaim',
    label: 'Claim for the player',
    help: 'The claim that holds the player’s id; `sub` if left out.',
    kind: 'text',
    isRequired: false,
    example: 'userId',
  },
  {
    name: 'algorithms',
    label: 'Algorithms',
    help: `Some of ${publicKeyAlgorithms.join(', ')}; all of them if left out.`,
    kind: 'list',
    isRequired: false,
    example: 'RS256',
  },
] as const satisfies readonly PlatformField[];

/** What is not asked for is no step: it would show as passed. */
function stepsOf({ issuer, audience, claim }: SettingsOf<typeof fields>): Partial<Steps<TokenPart>> {
  const { form, algorithm, key, signature, time, player } = tokenSteps;
  return {
    ...{ form, algorithm, key, signature },
    ...(issuer === undefined ? {} : { issuer: tokenSteps.issuer }),
    ...(audience === undefined ? {} : { audience: tokenSteps.audience }),
    time,
    ...(claim === undefined ? {} : { claims: 'It was made for this game, which its own claim says' }),
    player,
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc7519 and https://www.rfc-editor.org/rfc/rfc8725 */
export const signedTokenPreset: PlatformPreset = {
  name: 'signedToken',
  title: 'Signed token',
  kind: 'social',
  documentation: 'https://www.rfc-editor.org/rfc/rfc7519',
  help: 'For a portal that signs a token (JWT) for each player and publishes its keys. Its documentation says where the keys are, and which claims name the game and the player.',
  fields,
  create(given, surroundings) {
    const settings = readSettings(fields, given);
    const { claim, claimValue, audience: expected } = settings;
    requireField((claim === undefined) === (claimValue === undefined), 'claimValue', 'given together with claim');
    requireField(
      expected !== undefined || claim !== undefined,
      'audience',
      'given, or claim: which game a token is for',
    );
    const { algorithms = publicKeyAlgorithms } = settings;
    const areKnown = algorithms.every((name) => publicKeyAlgorithms.includes(name));
    requireField(areKnown, 'algorithms', `some of ${publicKeyAlgorithms.join(', ')}`);
    const verify = createSignedTokenCheck({
      ...surroundings,
      keys: settings.keys,
      algorithms,
      ...(settings.issuer === undefined ? {} : { issuer: settings.issuer }),
      ...(expected === undefined ? {} : { audience: expected }),
      ...(claim === undefined ? {} : { claims: { [claim]: claimValue ?? '' } }),
      ...(settings.playerClaim === undefined ? {} : { subjectClaim: settings.playerClaim }),
    });
    return createTokenCheck('Signed token', stepsOf(settings), verify);
  },
};

/**
 * Checks the tokens (JWT) of a portal by its published keys, for `socialPlatforms` of `createBackend`; what
 * `createSignedTokenVerifier` does, with settings of text alone. Throws TypeError naming the option that is wrong.
 */
export function signedToken(options: SignedTokenPlatform): SocialVerifier {
  return verifierFrom(signedTokenPreset, options);
}
