import { type RequestJsonOptions, requestJson, UnusableAnswer } from '../../http/request-json.js';
import { playerId } from './signed-token-verifier.js';
import type { SocialContext, SocialVerifier } from './social.js';

/** A request to a network about one token. */
export interface NetworkRequest {
  /** The token belongs here only where the network takes it nowhere else: addresses end up in the logs of others. */
  url: string | URL;
  method?: 'GET' | 'POST';
  headers?: { readonly [name: string]: string };
  body?: string | URLSearchParams;
}

export interface RequestVerifierOptions extends RequestJsonOptions {
  /** Asked with GET and the token as Bearer; or a function that says how else. */
  request: string | URL | ((token: string, context: SocialContext) => NetworkRequest);
  /**
   * The player's id from the network's answer; null where that says that the token does not hold. It must look whose app
   * the token was made for: with a token that another app got, that app could sign in as its players here.
   */
  player(answer: unknown, context: SocialContext): string | number | null | undefined;
  /** Statuses by which the network says that the token does not hold; 400, 401 and 403 by default. */
  refusals?: readonly number[];
}

const usualRefusals = [400, 401, 403];

/**
 * Makes a verifier that asks a network over HTTP. Where it cannot be asked, answers late, or answers anything but 2xx and
 * the refusals, the token is neither right nor wrong. Throws TypeError naming the option that is wrong.
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
