import { type CookieKind, cookieOf, plainCookie, secureCookie, setCookie } from './cookies.js';
import { isForLoopback, isOverHttps } from './origins.js';
import { Forbidden } from './refusals.js';
import type { OpenedSession, SealedSessions } from './sealed-sessions.js';
import type { SignedOut } from './signed-out.js';

/** Whoever asks with an operator's key, whether or not the service still takes that key. */
export interface Visitor {
  key: string;
  csrf: string;
  /** Null where nothing ends but with the program. */
  expiresAt: number | null;
}

/** Knows who sends a request to the console. */
export interface Visitors {
  /** Null where somebody has to sign in first. Rejects where the store does not say whether the session was signed out. */
  of(request: Request): Promise<Visitor | null>;
  /** A new session for an operator's key, and the header Set-Cookie that the browser keeps it by. */
  begin(request: Request, key: string, isProxyTrusted: boolean): { visitor: Visitor; cookie: string };
  /** Ends the session for whoever has its cookie. Rejects where that cannot be kept, and nothing has ended. */
  end(request: Request): Promise<void>;
  /** The headers Set-Cookie by which the browser forgets its session. */
  forget(request: Request): string[];
}

const sessionMs = 12 * 60 * 60 * 1000;

/** Everybody who can reach the port: `savepoint dev` for this machine alone. */
export function everybody(visitor: Pick<Visitor, 'key' | 'csrf'>): Visitors {
  const open = { ...visitor, expiresAt: null };
  return {
    of: async () => open,
    begin: () => {
      throw new Forbidden('Nobody has to sign in here.');
    },
    end: async () => {},
    forget: () => [],
  };
}

/**
 * Those who have signed in, by their cookie. `isPlainAllowed` says that a network without https will do, as in a
 * developer's own; otherwise only this machine may go without.
 */
export function signedIn(
  sessions: SealedSessions,
  { now, isPlainAllowed, signedOut }: { now(): number; isPlainAllowed: boolean; signedOut: SignedOut },
): Visitors {
  const kindsFor = (request: Request): CookieKind[] =>
    isPlainAllowed || isForLoopback(request) ? [secureCookie, plainCookie] : [secureCookie];

  function opened(request: Request, name: string): OpenedSession | null {
    const value = cookieOf(request, name);
    return value === null ? null : sessions.open(value, name);
  }

  const openedAll = (request: Request): OpenedSession[] =>
    kindsFor(request).flatMap(({ name }) => opened(request, name) ?? []);

  function kindOf(request: Request, isProxyTrusted: boolean): CookieKind {
    if (isOverHttps(request, isProxyTrusted)) return secureCookie;
    if (kindsFor(request).includes(plainCookie)) return plainCookie;
    throw new Forbidden('An operator signs in over https, or on the machine of the service.');
  }

  return {
    async of(request) {
      for (const session of openedAll(request)) if (!(await signedOut.hasEnded(session.id))) return session;
      return null;
    },

    begin(request, key, isProxyTrusted) {
      const kind = kindOf(request, isProxyTrusted);
      const value = sessions.seal({ key, expiresAt: now() + sessionMs }, kind.name);
      const visitor = sessions.open(value, kind.name);
      if (visitor === null) throw new Error('A session does not open that was just sealed.');
      return { visitor, cookie: setCookie(kind, value, sessionMs) };
    },

    async end(request) {
      for (const session of openedAll(request)) await signedOut.end(session);
    },

    forget: (request) =>
      kindsFor(request)
        .filter(({ name }) => (request.headers.get('Cookie') ?? '').includes(`${name}=`))
        .map((kind) => setCookie(kind, '', 0)),
  };
}
