/** How the console's cookie travels. */
export interface CookieKind {
  name: string;
  attributes: string;
}

/**
 * With `__Host-` no other host, sub-domain or plain-http page can have set it (RFC 6265bis, 4.1.3.2), which
 * browsers take over https alone.
 */
export const secureCookie: CookieKind = {
  name: '__Host-savepoint-console',
  attributes: 'Path=/; HttpOnly; Secure; SameSite=Strict',
};

/** On this machine and in a developer's own network, where there is no https. */
export const plainCookie: CookieKind = {
  name: 'savepoint-console',
  attributes: 'Path=/console/; HttpOnly; SameSite=Strict',
};

/**
 * What a request carries under a name, without the white space that RFC 6265 knows: with more of it another
 * name would count as this one, which a sub-domain may set. Null where it is not there, or there twice: one of
 * both is somebody else's.
 */
export function cookieOf(request: Request, name: string): string | null {
  const pairs = (request.headers.get('Cookie') ?? '').split(';').map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''));
  const [value, ...more] = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return value === undefined || more.length > 0 ? null : value;
}

export function withCookies(response: Response, cookies: readonly string[]): Response {
  for (const cookie of cookies) response.headers.append('Set-Cookie', cookie);
  return response;
}

export function setCookie({ name, attributes }: CookieKind, value: string, maxAgeMs: number): string {
  return `${name}=${value}; Max-Age=${Math.floor(maxAgeMs / 1000)}; ${attributes}`;
}
