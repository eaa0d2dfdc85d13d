import { type RequestJsonOptions, requestJson, UnusableAnswer } from '../../http/request-json.js';
import { playerId } from './signed-token.js';
import type { SocialContext, SocialVerifier } from './social.js';

/** A request to a social network about one token. */
export interface NetworkRequest {
  /** The network's address. Put no token in it, unless the network takes it nowhere else: addresses end up in logs. */
  url: string | URL;
  /** GET by default. */
  method?: 'GET' | 'POST';
  /** The headers to send; the token usually belongs here, or in the body. */
  headers?: { readonly [name: string]: string };
  /** The body to send; none by default. */
  body?: string | URLSearchParams;
}

/** How a social network is asked about a token, and what its answer means. */
export interface RequestVerifierOptions extends RequestJsonOptions {
  /** The address to ask, by GET with the token as Bearer; or a function that makes another request of the token. */
  request: string | URL | ((token: string, context: SocialContext) => NetworkRequest);
  /**
   * Reads the player's id from the network's answer, JSON of 256 KiB at most; null where the answer says that the token
   * does not hold. It must check for which app the token was made: otherwise another app could sign in here as its own
   * players, with the tokens that they gave to it.
   */
  player(answer: unknown, context: SocialContext): string | number | null | undefined;
  /** The statuses by which the network says that the token does not hold; 400, 401 and 403 by default. */
  refusals?: readonly number[];
}

const usualRefusals = [400, 401, 403];

/**
 * Makes a verifier that asks a social network over HTTP whether a token holds. Where the network cannot be reached,
 * answers late, or answers with a status that is neither 2xx nor one of `refusals`, the player is refused with
 * `unavailable` and may try again. Throws TypeError naming the option that is wrong.
 */
export function createRequestVerifier(options: RequestVerifierOptions): SocialVerifier {
  const { request, player, refusals = usualRefusals } = options;
  const isAddress = request instanceof URL || (typeof request === 'string' && URL.canParse(request));
  if (!isAddress && typeof request !== 'function') throw new TypeError('request must be an address or a function');
  if (typeof player !== 'function') throw new TypeError('player must be a function');
  const requestFor = typeof request === 'function' ? request : (token: string) => bearerRequest(request, token);

  return async (token, context) => {
    // No header can carry it, so no network gave it out.
    if (typeof request !== 'function' && !/^[\x21-\x7e]+$/.test(token)) return null;
    let answer: unknown;
    try {
      const { url, ...init } = requestFor(token, context);
      answer = await requestJson(new URL(url), init, options);
    } catch (error) {
      if (error instanceof UnusableAnswer && refusals.includes(error.status)) return null;
      // What is thrown may hold the address, and that the token: it stays here.
      throw new NetworkUnavailable();
    }
    const id = playerId(player(answer, context));
    return id === null ? null : { id };
  };
}

class NetworkUnavailable extends Error {
  constructor() {
    super('The network could not be asked.');
    this.name = 'NetworkUnavailable';
  }
}

function bearerRequest(url: string | URL, token: string): NetworkRequest {
  return { url, headers: { Accept: 'application/json', Authorization: `Bearer ${token}` } };
}
