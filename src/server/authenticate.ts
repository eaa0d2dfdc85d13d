import { isFailure } from '../errors.js';
import type { Sender } from '../http/sender.js';
import type { ServiceClock } from '../http/service-clock.js';
import { checkAuthAnswer } from '../protocol/answer-checks.js';
import { serviceSizes } from '../protocol/gaps/service-sizes.js';
import { signedHeaders } from '../protocol/headers.js';
import { type AuthAnswer, lengthOf, type ServerAuthRequest } from '../protocol/messages.js';
import { gameOperations } from '../protocol/operations.js';
import { readAddress, readObject, readSignal, type Settings } from './options.js';
import { createSigner } from './signed-request.js';

/**
 * Which player `authenticate` signs in.
 *
 * @see docs/interface.md#server-authentication-request
 */
export interface AuthenticateOptions {
  /** The player's id in the game's own system, 1 to 128 characters. It decides which account the player gets. */
  customUserId: string;
  /**
   * The id of the player's device, 1 to 128 characters. A `customUserId` that is new to the service is linked to the
   * account of this device, so that a guest keeps the progress. If that account has a name, a provider's or a network's
   * login, or another `customUserId`, it is somebody's, and the player gets a new one. Whoever shows this id as a guest
   * is this player, so that it has to be a secret; one with less than 6 characters opens nothing as a guest.
   */
  deviceId: string;
  /** The player's address, IPv4 or IPv6: not that of a proxy. The service finds the country by it. */
  ip: string;
  /** Aborts the call, which then fails with `aborted`; the player may have been authenticated all the same. */
  signal?: AbortSignal | undefined;
}

/**
 * Authenticates players by signed requests (docs/interface.md#signed-requests). The service takes a nonce once, so each
 * try is signed anew. A request may be repeated, because the custom user id decides the account.
 *
 * Spec gap: where the service finds our clock too far from its own, the function corrects its clock by the answer and
 * signs the request again, once.
 */
export function createAuthenticate(settings: Settings, send: Sender, clock: ServiceClock) {
  const sign = createSigner(settings.privateKey, settings.signatureEncoding);

  return async function authenticate(options: AuthenticateOptions): Promise<AuthAnswer> {
    const { customUserId, deviceId } = readObject(options, 'options');
    const ip = readAddress(options.ip, 'ip');
    const signal = readSignal(options.signal, 'signal');
    const body = JSON.stringify({
      custom_user_id: readText(customUserId, 'customUserId', serviceSizes.signedIdLength),
      device_id: readText(deviceId, 'deviceId', serviceSizes.signedIdLength),
      game_id: settings.gameId,
      env: settings.environment,
    } satisfies ServerAuthRequest);

    const attempt = (): Promise<AuthAnswer> =>
      send({
        method: 'POST',
        url: settings.authUrl + gameOperations.authenticate.path,
        headers: async () => ({ ...(await sign(body, clock.now())), [signedHeaders.forwardedFor]: ip }),
        body,
        answer: checkAuthAnswer,
        signal,
      });

    try {
      return await attempt();
    } catch (error) {
      if (!isFailure(error, 'timestamp_out_of_window') || error.serverTime === undefined) throw error;
      clock.correct(error.serverTime);
      return await attempt();
    }
  };
}

function readText(value: unknown, name: string, bounds: { min: number; max: number }): string {
  const parsed = lengthOf(bounds).safeParse(value);
  if (!parsed.success) throw new TypeError(`${name} must be a text of ${bounds.min} to ${bounds.max} characters`);
  return parsed.data;
}
