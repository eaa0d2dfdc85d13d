import { type HttpHandler, HttpResponse, http } from 'msw';
import { baseAddress } from '../protocol/addresses.js';
import { isServicePath } from '../protocol/operations.js';
import type { Backend } from './create-backend.js';

/** At which addresses the handlers answer. */
export interface HandlerOptions {
  /** The address of the profile API, as clients are given it; it may have a path. */
  baseUrl: string;
  /** The address of authentication, as clients are given it; `baseUrl` by default. */
  authUrl?: string | undefined;
}

/**
 * Makes request handlers for MSW's `setupServer` or `setupWorker`. They answer the service's own paths below these
 * addresses (`/v2/…`, the published keys and the API document), and leave every other request to other handlers. A back
 * end lives in the page or process that made it: two pages do not share one. Throws TypeError naming the address that
 * is wrong.
 *
 * @example
 * setupServer(...createHandlers(createBackend({ games }), { baseUrl: 'https://saves.example' })).listen();
 */
export function createHandlers(backend: Pick<Backend, 'fetch'>, options: HandlerOptions): HttpHandler[] {
  if (typeof backend?.fetch !== 'function') throw new TypeError('backend must be what createBackend makes');
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  const base = baseAddress(options.baseUrl, 'baseUrl');
  const auth = options.authUrl === undefined ? base : baseAddress(options.authUrl, 'authUrl');
  return [...new Set([base, auth])].map((address) => {
    const below = new RegExp(`^${escaped(address)}(?=/)`);
    return http.all(below, async ({ request }) => {
      const path = new URL(request.url).pathname.slice(new URL(address).pathname.replace(/\/$/, '').length);
      if (!isServicePath(path)) return undefined;
      try {
        return await backend.fetch(await belowRoot(request, path));
      } catch {
        // The service rejects where there should be no answer, such as `control.fail({ with: 'offline' })`.
        return HttpResponse.error();
      }
    });
  });
}

/** The same request, but for the path that the service knows. */
async function belowRoot(request: Request, path: string): Promise<Request> {
  const url = new URL(request.url);
  if (url.pathname === path) return request;
  url.pathname = path;
  // The body is read: one that is a stream would need the option `duplex`, which a Request does not show.
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.arrayBuffer();
  const { method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
