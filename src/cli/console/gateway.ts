import type { RequestSource } from '../../backend/http/service-core.js';
import { Refusal } from '../../backend/refusal.js';
import { adminPathOf, askAdminApi } from './admin-api.js';
import { withCookies } from './cookies.js';
import type { ConsoleOptions, ConsoleRoute } from './options.js';
import { isSafe, requireSameOrigin } from './origins.js';
import { Forbidden, refusalAnswer } from './refusals.js';
import { isSameToken } from './sealed-sessions.js';
import { secured } from './security-headers.js';
import { createSessionDoors } from './session-doors.js';
import { createStaticFiles } from './static-files.js';
import type { Visitor } from './visitors.js';
import { wordsRoutes } from './words/words-routes.js';

/** The server's side of the operators' console: its page, its sessions, and its way to the service. */
export interface Console {
  /** Answers a request for the console; null for any other. */
  answer(request: Request, from: RequestSource): Promise<Response> | null;
}

const root = '/console/';
const api = '/console/api';
const passedMethods: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function createConsole(options: ConsoleOptions): Console {
  const { visitors, service, findOperator, peers } = options;
  const files = createStaticFiles(options.folder);
  const doors = createSessionDoors(options);
  const routes = { ...wordsRoutes, ...options.routes };

  /** The session of a request, which has to prove that the page has sent it. */
  async function requireVisitor(request: Request): Promise<Visitor> {
    requireSameOrigin(request);
    const visitor = await visitors.of(request);
    if (visitor === null) throw new Refusal('unauthorized');
    if (!isSafe(request) && !isSameToken(request.headers.get('Savepoint-Console'), visitor.csrf)) {
      throw new Forbidden('The header Savepoint-Console has to carry the token of the session.');
    }
    return visitor;
  }

  async function askApi(request: Request, url: URL, from: RequestSource): Promise<Response> {
    // Of all other methods no Request can be made (https://fetch.spec.whatwg.org/#forbidden-method).
    if (!passedMethods.includes(request.method)) {
      throw new Refusal('method_not_allowed', { allow: passedMethods.join(', ') });
    }
    const { key } = await requireVisitor(request);
    const path = adminPathOf(url, api);
    const answered = await askAdminApi(service, request, {
      path,
      key,
      address: peers.addressOf(request, from.address),
    });
    // The key was taken away, and the session with it.
    return answered.status === 401 ? withCookies(answered, visitors.forget(request)) : answered;
  }

  async function askRoute(request: Request, route: ConsoleRoute): Promise<Response> {
    const handler = methodOf(route, request);
    const visitor = await requireVisitor(request);
    const operator = await findOperator(visitor.key);
    if (operator === null)
      return withCookies(
        refusalAnswer(new Refusal('unauthorized'), () => {}),
        visitors.forget(request),
      );
    return handler({ request, visitor, operator, stillCounts: () => stillCounts(request) });
  }

  async function stillCounts(request: Request): Promise<boolean> {
    const visitor = await visitors.of(request);
    return visitor !== null && (await findOperator(visitor.key)) !== null;
  }

  async function answer(request: Request, url: URL, from: RequestSource): Promise<Response> {
    options.checkHost(request);
    if (url.pathname === '/console') return new Response(null, { status: 308, headers: { Location: root } });
    if (url.pathname.startsWith(`${api}/`)) return askApi(request, url, from);
    const path = url.pathname.slice(root.length);
    const door = ownOf(doors, path);
    if (door !== undefined) return methodOf(door, request)(request, from);
    const route = ownOf(routes, path);
    if (route !== undefined) return askRoute(request, route);
    if (!isSafe(request)) throw new Refusal('method_not_allowed', { allow: 'GET, HEAD' });
    return files.answer(path, request.headers.get('Accept-Encoding'));
  }

  return {
    answer(request, from) {
      const url = new URL(request.url);
      if (url.pathname !== '/console' && !url.pathname.startsWith(root)) return null;
      return answer(request, url, from)
        .catch((error: unknown) => refusalAnswer(error, options.report))
        .then(secured)
        .then((response) => (request.method === 'HEAD' ? withoutBody(response) : response));
    },
  };
}

function ownOf<Value>(table: { readonly [name: string]: Value }, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function methodOf<Handler>(methods: { readonly [method: string]: Handler }, { method }: Request): Handler {
  const handler = ownOf(methods, method === 'HEAD' ? 'GET' : method);
  if (handler === undefined) throw new Refusal('method_not_allowed', { allow: Object.keys(methods).join(', ') });
  return handler;
}

function withoutBody(response: Response): Response {
  void response.body?.cancel();
  return new Response(null, response);
}
