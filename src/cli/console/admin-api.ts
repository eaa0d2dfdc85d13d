import { toResponse } from '../../backend/http/answers.js';
import type { App } from '../../backend/http/app.js';
import { Refusal } from '../../backend/refusal.js';
import * as names from '../../protocol/headers.js';

/** All that the page may reach of the service. */
const reachable = '/v2/admin/';

/** What the service is told of the page's headers: who asks and from where comes from the gateway alone. */
const passedOn = [names.contentType, 'Accept', 'Accept-Language', names.ifNoneMatch, names.idempotencyKey] as const;

/** Headers of one connection alone (RFC 9110, 7.6.1), and those that would let another page read the answer. */
const keptBack =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|set-cookie|access-control-.*|vary)$/i;

/**
 * The path of the service that an address below `/console/api` stands for. Refuses with
 * `not_found` all but the operators'.
 */
export function adminPathOf(url: URL, prefix: string): string {
  const target = new URL('http://localhost');
  target.pathname = url.pathname.slice(prefix.length);
  // The URL has taken every dot segment out by now, escaped ones too.
  if (!target.pathname.startsWith(reachable)) throw new Refusal('not_found');
  return target.pathname + url.search;
}

/** Asks the service itself, as the operator whose key this is, and gives its answer as it is. */
export async function askAdminApi(
  answer: App,
  request: Request,
  { path, key, address }: { path: string; key: string; address: string | undefined },
): Promise<Response> {
  const headers = new Headers({ [names.authorization]: `Bearer ${key}` });
  for (const name of passedOn) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const { method, signal } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD' && request.body !== null;
  const body = hasBody ? { body: request.body, duplex: 'half' } : {};
  const asked = new Request(`http://localhost${path}`, { method, headers, signal, ...body } as RequestInit);
  const answered = toResponse(await answer(asked, { address, isOfConsole: true }));
  for (const name of [...answered.headers.keys()]) if (keptBack.test(name)) answered.headers.delete(name);
  return answered;
}
