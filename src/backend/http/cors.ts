import * as names from '../../protocol/headers.js';
import { type Answer, empty } from './answers.js';

/**
 * Which pages may call the player's endpoints: a list of origins, each as a browser sends it (`https://game.example`,
 * without a slash at its end), or a function that decides for each origin.
 */
export type AllowedOrigins = readonly string[] | ((origin: string) => boolean);

/** Says to browsers which pages may read an answer. It belongs to the service, so that every port answers alike. */
export interface Cors {
  /**
   * Adds the CORS headers to an answer; to failures too, so that a page can read why. Where the game is known that the
   * request was for, the origin must be one of its pages or one of the service's own.
   */
  apply(request: Request, answer: Answer, gameId: string | null): void;
  /** Where there is nothing at an address, all methods are allowed, so that the page can read the 404. */
  preflight(request: Request, methods: readonly string[]): Answer;
}

const maxAgeSeconds = 600;
const allowedHeaders = [names.authorization, names.contentType, names.ifNoneMatch, names.idempotencyKey].join(', ');
const allMethods = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Which pages belong to all games, and which to one alone. */
export interface OriginsByGame {
  every: AllowedOrigins;
  /** By the game's id, in lower case. */
  of: ReadonlyMap<string, AllowedOrigins>;
}

/** A preflight does not say which game it is for: the pages of all games may send the request, and read only their own game's answers. */
export function createCors({ every, of }: OriginsByGame): Cors {
  const isIn = (list: AllowedOrigins, origin: string): boolean =>
    typeof list === 'function' ? list(origin) : list.includes(origin);

  function allowedOrigin(request: Request, gameId: string | null): string | null {
    const origin = request.headers.get('Origin');
    const lists = gameId === null ? [...of.values()] : [of.get(gameId) ?? []];
    return origin !== null && [every, ...lists].some((list) => isIn(list, origin)) ? origin : null;
  }

  return {
    apply(request, { headers }, gameId) {
      headers.set('Vary', 'Origin');
      const origin = allowedOrigin(request, gameId);
      if (origin === null) return;
      headers.set('Access-Control-Allow-Origin', origin);
      headers.set('Access-Control-Expose-Headers', `${names.requestId}, ${names.retryAfter}`);
    },
    preflight(request, methods) {
      const answer = empty();
      if (allowedOrigin(request, null) === null) return answer;
      answer.headers.set('Access-Control-Allow-Methods', (methods.length === 0 ? allMethods : methods).join(', '));
      answer.headers.set('Access-Control-Allow-Headers', allowedHeaders);
      answer.headers.set('Access-Control-Max-Age', String(maxAgeSeconds));
      return answer;
    },
  };
}
