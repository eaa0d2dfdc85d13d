import { errors, type JWTPayload, jwtVerify } from 'jose';
import { isSdkError, SdkError } from '../errors.js';
import type { ServiceClock } from '../http/service-clock.js';
import { untilAborted } from '../http/until-aborted.js';
import type { Environment } from '../protocol/environments.js';
import { tokenDefaults } from '../protocol/gaps/tokens.js';
import { accessClaims } from '../protocol/player-messages.js';
import { readObject, readSignal, type Settings } from './options.js';
import type { FindKey } from './published-keys.js';

/**
 * The player that an access token belongs to.
 *
 * @see docs/interface.md#client-authentication
 */
export interface VerifiedPlayer {
  /** The player's user id, a UUID. */
  userId: string;
  /** The game's id, as the token has it. It is the client's own, but may be written in another case. */
  gameId: string;
  /** The environment of the client and the token. */
  environment: Environment;
  /** The id of the session that the token was made for: one for each sign-in on a device. */
  sessionId: string;
  /** When the token expires, by the service's clock in ms since 1970. */
  expiresAt: number;
}

/** How `verifyPlayer` is called. */
export interface VerifyPlayerOptions {
  /** Aborts the call, which then fails with `aborted`. */
  signal?: AbortSignal | undefined;
}

/**
 * Verifies access tokens by the service's public keys. Spec gap: the tokens' form is ours. A token counts only if it is
 * signed with ES256 and its header says that it is an access token.
 */
export function createVerifyPlayer(settings: Settings, findKey: FindKey, clock: ServiceClock) {
  return async function verifyPlayer(accessToken: string, options: VerifyPlayerOptions = {}): Promise<VerifiedPlayer> {
    if (typeof accessToken !== 'string') throw new TypeError('accessToken must be a string');
    const signal = readSignal(readObject(options, 'options').signal, 'signal');
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
      // jose's errors can carry the token's claims, so they never leave this function.
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
