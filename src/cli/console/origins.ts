import { isLoopbackOrigin } from '../demo.js';
import { Forbidden } from './refusals.js';

const safeMethods: readonly string[] = ['GET', 'HEAD'];

export function isSafe({ method }: Request): boolean {
  return safeMethods.includes(method);
}

/**
 * Refuses what a browser says another page has sent. Browsers say it of every request by Sec-Fetch-Site where the page
 * came over https or from this machine; elsewhere they name at least the origin of a change.
 */
export function requireSameOrigin(request: Request): void {
  const site = request.headers.get('Sec-Fetch-Site');
  // `none` is an address that somebody typed in, which changes nothing.
  if (site === 'same-origin' || (site === 'none' && isSafe(request))) return;
  if (site !== null) throw new Forbidden('Another page has sent it (Sec-Fetch-Site).');
  if (isSafe(request)) return;
  const origin = request.headers.get('Origin');
  if (origin === null || !isOfHost(origin, request.headers.get('Host'))) {
    throw new Forbidden('Its Origin is not the address of the console.');
  }
}

function isOfHost(origin: string, host: string | null): boolean {
  if (host === null || !URL.canParse(origin)) return false;
  const { protocol, host: named } = new URL(origin);
  const asked = `${protocol}//${host}`;
  return (protocol === 'http:' || protocol === 'https:') && URL.canParse(asked) && new URL(asked).host === named;
}

/** Whether a request names this machine itself as its host. */
export function isForLoopback(request: Request): boolean {
  const host = request.headers.get('Host');
  return host !== null && isLoopbackOrigin(`http://${host}`);
}

/**
 * Refuses a host that is not this machine's own with this port: a page of elsewhere whose name was made to lead here
 * (DNS rebinding) would be of the same origin as the console.
 */
export function requireLoopbackHost(request: Request, port: number): void {
  const host = request.headers.get('Host') ?? '';
  const isOurs = isForLoopback(request) && /^[^/?#@\\]+$/.test(host) && portOf(host) === port;
  if (!isOurs) throw new Forbidden('The console answers only at the address that savepoint dev prints (Host).');
}

function portOf(host: string): number {
  const { port } = new URL(`http://${host}`);
  return port === '' ? 80 : Number(port);
}

/** Whether the operator's browser speaks https with whoever stands before the service. */
export function isOverHttps(request: Request, isProxyTrusted: boolean): boolean {
  if (isProxyTrusted && request.headers.get('X-Forwarded-Proto')?.split(',')[0]?.trim() === 'https') return true;
  // A page cannot choose it, so that it says how the browser has loaded the console.
  return request.headers.get('Origin')?.startsWith('https://') ?? false;
}
