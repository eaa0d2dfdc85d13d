import * as names from '../../protocol/headers.js';
import { Refusal } from '../refusal.js';
import { type Answer, empty } from './answers.js';

/**
 * Which pages may call the player's endpoints: a list of origins, each as a browser sends it (`https://game.example`,
 * without a slash at its end), or a function that decides for each origin. `https://*.itch.zone` is every sub-domain of
 * one level, `null` every sandboxed frame of anybody.
 */
export type AllowedOrigins = readonly string[] | ((origin: string) => boolean);

/** Says to browsers which pages may read an answer. It belongs to the service, so that every port answers alike. */
export interface Cors {
  /**
   * Adds the CORS headers to an answer; to failures too, so that a page can read why. Where the game is known that the
   * request was for, the origin must be one of its pages or one of the service's own. Gives what `wayIn` does.
   */
  apply(request: Request, answer: Answer, gameId: string | null): string | null;
  /** How to let a page in of another origin, which asks and may not read the answer; null of any other request. */
  wayIn(request: Request, gameId: string | null): string | null;
  /**
   * Where there is nothing at an address, all methods are allowed, so that the page can read the 404. Refuses with
   * `origin_not_allowed`.
   */
  preflight(request: Request, methods: readonly string[]): Answer;
}

/** Whether a list or function allows an origin. */
export function allowsOrigin(allowed: AllowedOrigins, origin: string): boolean {
  if (typeof allowed === 'function') return allowed(origin);
  return allowed.some((entry) => (wildcard.test(entry) ? matchesWildcard(entry, origin) : entry === origin));
}

/** An origin as browsers send it, `null`, or one with a wildcard: one written in another way would match no page. */
export function isOriginEntry(text: string): boolean {
  return text === 'null' || wildcard.test(text) || /^[a-z][a-z\d+.-]*:\/\/[^/?#\s*A-Z]+$/.test(text);
}

/** A star for the first label; what follows has two at least, for nobody owns `*.com`. */
const wildcard = /^(https?:\/\/)\*((?:\.[a-z\d-]+){2,}(?::\d+)?)$/;

function matchesWildcard(entry: string, origin: string): boolean {
  const [, scheme, rest] = wildcard.exec(entry) ?? [];
  if (scheme === undefined || rest === undefined || !origin.startsWith(scheme) || !origin.endsWith(rest)) return false;
  return /^[a-z\d_-]+$/.test(origin.slice(scheme.length, -rest.length));
}

/** Hosts are compared alone: in front of the service a proxy may speak https. */
function isOfAnotherOrigin(request: Request): boolean {
  const origin = request.headers.get('Origin');
  if (origin === null) return false;
  return !URL.canParse(origin) || new URL(origin).host !== new URL(request.url).host;
}

const howToAllow =
  'No page of this origin may read the answer: list it in allowedOrigins, or start the service with --allowed-origin.';
const maxAgeSeconds = 600;
const allowedHeaders = [names.authorization, names.contentType, names.ifNoneMatch, names.idempotencyKey].join(', ');
const allMethods = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Which pages belong to all games, and which to one alone. */
export interface OriginsByGame {
  every: AllowedOrigins;
  /** By the game's id, in lower case. */
  of: ReadonlyMap<string, AllowedOrigins>;
}

/**
 * A preflight does not say which game it is for: the pages of all games may send the request, and read only
 * their own game's answers.
 */
export function createCors({ every, of }: OriginsByGame): Cors {
  function allowedOrigin(request: Request, gameId: string | null): string | null {
    const origin = request.headers.get('Origin');
    if (origin === null) return null;
    const lists = gameId === null ? [...of.values()] : [of.get(gameId) ?? []];
    return [every, ...lists].some((list) => allowsOrigin(list, origin)) ? origin : null;
  }

  /** For a request whose origin is not allowed. */
  const wayInOf = (request: Request): string | null => (isOfAnotherOrigin(request) ? howToAllow : null);

  return {
    apply(request, { headers }, gameId) {
      headers.set('Vary', 'Origin');
      const origin = allowedOrigin(request, gameId);
      if (origin === null) return wayInOf(request);
      headers.set('Access-Control-Allow-Origin', origin);
      headers.set('Access-Control-Expose-Headers', `${names.requestId}, ${names.retryAfter}`);
      return null;
    },
    wayIn: (request, gameId) => (allowedOrigin(request, gameId) === null ? wayInOf(request) : null),
    preflight(request, methods) {
      const answer = empty();
      if (!request.headers.has('Origin')) return answer;
      if (allowedOrigin(request, null) === null) throw new Refusal('origin_not_allowed', { detail: howToAllow });
      answer.headers.set('Access-Control-Allow-Methods', (methods.length === 0 ? allMethods : methods).join(', '));
      answer.headers.set('Access-Control-Allow-Headers', allowedHeaders);
      answer.headers.set('Access-Control-Max-Age', String(maxAgeSeconds));
      return answer;
    },
  };
}
