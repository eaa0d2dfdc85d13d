import { type HttpHandler, HttpResponse, http } from 'msw';
import { baseAddress } from '../protocol/addresses.js';
import { isServicePath } from '../protocol/operations.js';
import type { Backend } from './create-backend.js';

export interface HandlerOptions {
  /** The address of the profile API; it may have a path. */
  baseUrl: string;
  /** The address of authentication; `baseUrl` by default. */
  authUrl?: string | undefined;
}

/**
 * Makes request handlers for MSW's `setupServer` or `setupWorker`, which answer what is the service's under these
 * addresses (`/v2/…` and the published keys) and leave everything else alone.
 * Each page, and each process, has a service of its own. Throws TypeError for an address that is none.
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

/** The same request for the path that the service knows. */
async function belowRoot(request: Request, path: string): Promise<Request> {
  const url = new URL(request.url);
  if (url.pathname === path) return request;
  url.pathname = path;
  // A stream as a body would need `duplex`, which a Request does not give back.
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.arrayBuffer();
  const { method, headers, signal } = request;
  return new Request(url, { method, headers, signal, body });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
