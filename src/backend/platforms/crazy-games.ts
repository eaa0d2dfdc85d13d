import type { JSONWebKeySet } from 'jose';
import { requestJson } from '../../http/request-json.js';
import { createSignedTokenCheck } from '../providers/signed-token-verifier.js';
import type { SocialVerifier } from '../providers/social.js';
import { textAt } from './ask.js';
import { UnknownAnswer } from './check.js';
import type { PlatformField, PlatformPreset, PlatformSurroundings } from './preset.js';
import { jwkOfRsaPem } from './rsa-pem.js';
import { readSettings, verifierFrom } from './settings.js';
import { createTokenCheck, tokenSteps } from './token-check.js';

/** The game at CrazyGames. */
export interface CrazyGamesOptions extends PlatformSurroundings {
  /** The game's id there, as `gameId` of its players' tokens has it. */
  gameId: string;
  /** The algorithm that its tokens are signed by; `RS256` by default. */
  algorithm?: (typeof algorithms)[number];
}

/** Those of an RSA key, as the published one is. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const;

const keyAddress = new URL('https://sdk.crazygames.com/publicKey.json');

const fields = [
  {
    name: 'gameId',
    label: 'Game id',
    help: 'The `gameId` in a token that `SDK.user.getUserToken()` gives in your own game. CrazyGames signs the tokens of all games with one key, so without it another game could sign in here as its players.',
    kind: 'text',
    isRequired: true,
    example: '20267',
  },
  {
    name: 'algorithm',
    label: 'Algorithm',
    help: 'By which its tokens are signed; no page of CrazyGames says. RS256 if left out, as verifiers in use have it.',
    kind: 'choice',
    choices: algorithms,
    isRequired: false,
  },
] as const satisfies readonly PlatformField[];

const { form, algorithm, key, signature, time, player } = tokenSteps;
const steps = { form, algorithm, key, signature, time, claims: 'It was made for this game (gameId)', player };

/**
 * Checks the token by the one key that CrazyGames publishes, as PEM in JSON. The key may change, and tokens need not
 * name it: it is got again where a signature is wrong.
 *
 * @see https://docs.crazygames.com/sdk/user/
 */
export const crazyGamesPreset: PlatformPreset = {
  name: 'crazyGames',
  title: 'CrazyGames',
  kind: 'social',
  documentation: 'https://docs.crazygames.com/sdk/user/',
  help: 'The page gets the token by `SDK.user.getUserToken()` each time it signs in, and gives it to WithSocialToken.',
  fields,
  create(given, surroundings) {
    const { gameId, algorithm: accepted = 'RS256' } = readSettings(fields, given);
    const verify = createSignedTokenCheck({
      ...surroundings,
      keys: () => fetchKey(surroundings),
      claims: { gameId },
      subjectClaim: 'userId',
      algorithms: [accepted],
    });
    return createTokenCheck('CrazyGames', steps, verify);
  },
};

async function fetchKey(surroundings: PlatformSurroundings): Promise<JSONWebKeySet> {
  const pem = textAt(await requestJson(keyAddress, {}, surroundings), 'publicKey');
  try {
    return { keys: [await jwkOfRsaPem(pem)] };
  } catch {
    throw new UnknownAnswer('The published key cannot be read.');
  }
}

/**
 * Checks the user tokens of CrazyGames, for `socialPlatforms` of `createBackend`. What it checks and what is in doubt:
 * docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function crazyGames(options: CrazyGamesOptions): SocialVerifier {
  return verifierFrom(crazyGamesPreset, options);
}
