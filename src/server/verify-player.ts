import { errors, type JWTPayload, jwtVerify } from 'jose';
import { isSdkError, SdkError } from '../errors.js';
import { untilAborted } from '../http/until-aborted.js';
import type { Environment } from '../protocol/environments.js';
import { tokenDefaults } from '../protocol/gaps/tokens.js';
import { accessClaims } from '../protocol/player-messages.js';
import { objectNamed, type Settings, signalNamed } from './options.js';
import type { FindKey } from './published-keys.js';
import type { ServiceClock } from './service-clock.js';

/** Who holds an access token. */
export interface VerifiedPlayer {
  userId: string;
  gameId: string;
  environment: Environment;
  sessionId: string;
  /** Ms since 1970. */
  expiresAt: number;
}

/**
 * Verifies access tokens by the service's public keys (Spec gap: the tokens' form is ours). Only ES256 counts, and
 * only tokens that say they are access tokens.
 */
export function createVerifyPlayer(settings: Settings, findKey: FindKey, clock: ServiceClock) {
  return async function verifyPlayer(
    accessToken: string,
    options: { signal?: AbortSignal | undefined } = {},
  ): Promise<VerifiedPlayer> {
    if (typeof accessToken !== 'string') throw new TypeError('accessToken must be a string');
    const signal = signalNamed(objectNamed(options, 'options').signal, 'signal');
    return readClaims(await untilAborted(verifiedPayload(accessToken), signal), settings);
  };

  async function verifiedPayload(accessToken: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(
        accessToken,
        async (header, token) => {
          const key = await findKey(header, token);
          if (key === null) throw unauthorized();
          return key;
        },
        {
          algorithms: [tokenDefaults.accessAlgorithm],
          typ: tokenDefaults.accessType,
          currentDate: new Date(clock.now()),
        },
      );
      return payload;
    } catch (error) {
      if (isSdkError(error)) throw error;
      // What jose throws stays here: it can carry what the token says.
      if (error instanceof errors.JWTExpired) throw new SdkError('token_expired', 'The access token has expired.');
      throw unauthorized();
    }
  }
}

function readClaims(payload: JWTPayload, settings: Settings): VerifiedPlayer {
  const claims = accessClaims.safeParse(payload);
  if (!claims.success) throw unauthorized();
  const { aud, env, sub, sid, exp } = claims.data;
  if (aud.toLowerCase() !== settings.gameId.toLowerCase()) {
    throw new SdkError('wrong_game', 'The access token is for another game.');
  }
  if (env !== settings.environment) throw new SdkError('wrong_env', 'The access token is for another environment.');
  return { userId: sub, gameId: aud, environment: env, sessionId: sid, expiresAt: exp * 1000 };
}

function unauthorized(): SdkError {
  return new SdkError('unauthorized', 'This is no access token of the service.');
}
