import { RegExpRouter } from 'hono/router/reg-exp-router';
import type { FailureCode } from '../../protocol/failures.js';
import * as names from '../../protocol/headers.js';
import type { HttpMethod, OperationName, OperationPath } from '../../protocol/operations.js';
import { type Fault, plannedRefusal, type RecordedRequest, redactBody, type ServiceControl } from '../control.js';
import type { Log } from '../log.js';
import { Refusal } from '../refusal.js';
import { account } from '../routes/account.js';
import { auth } from '../routes/auth.js';
import { entries } from '../routes/entries.js';
import { game } from '../routes/game.js';
import { service } from '../routes/service.js';
import type { Service } from '../service.js';
import { isStoreUnavailable } from '../stores/unavailable.js';
import { type Answer, problem } from './answers.js';
import { type Body, type RawBody, type ReadBytes, readBody } from './body.js';
import type { Cors } from './cors.js';
import type { Exchange, Handler } from './exchange.js';
import { isForPages, type Methods, methodsOfPath } from './routes.js';

/** When a store that cannot be reached is worth another try. */
const storeRetryMs = 1_000;

/** The handler of each operation. */
const handlers: { readonly [operation in OperationName]: Handler } = {
  ...auth,
  ...account,
  ...entries,
  ...game,
  ...service,
};

export interface AppOptions {
  service: Service;
  serviceControl: ServiceControl;
  cors: Cors;
  log: Log;
  /** Who asks, from the socket's address and what a proxy says. */
  addressOf(request: Request, socketAddress: string | undefined): string | undefined;
}

/** What a door knows of a request besides. */
export interface Arrival {
  /** The peer's address. */
  address?: string | undefined;
  read?: ReadBytes | undefined;
}

export type App = (request: Request, arrival: Arrival) => Promise<Answer>;

/** The service's addresses over its domain. Whatever comes in goes through `answer`, and nowhere else. */
export function createApp({ service, serviceControl, cors, log, addressOf }: AppOptions): App {
  const router = new RegExpRouter<OperationPath>();
  for (const pattern of methodsOfPath.keys()) router.add('ALL', pattern, pattern);

  return async (request, arrival) => {
    const url = new URL(request.url);
    const [[found] = []] = router.match('ALL', pathOf(url));
    const answered = await answer(request, { url, arrival, pattern: found?.[0] ?? null });
    // HEAD is GET without the body.
    return request.method === 'HEAD' ? { ...answered, body: null } : answered;
  };

  async function answer(
    request: Request,
    { url, arrival, pattern }: { url: URL; arrival: Arrival; pattern: OperationPath | null },
  ): Promise<Answer> {
    const path = pathOf(url);
    const startedAt = service.now();
    const requestId = service.newId();
    const { method } = request;
    const offered: Methods = (pattern && methodsOfPath.get(pattern)) ?? {};
    const operation = offered[(method === 'HEAD' ? 'GET' : method) as HttpMethod] ?? null;
    const record: RecordedRequest = {
      method,
      path: url.pathname + url.search,
      route: pattern,
      status: null,
      code: null,
    };
    const isPages = isForPages(path);

    try {
      if (isPages && method === 'OPTIONS') return finish(cors.preflight(request, Object.keys(offered)));
      serviceControl.record(record);
      const fault = serviceControl.takeFault({ path: pattern, operation });
      const response = await carryOut(fault);
      if (fault === 'lost-answer') throw new NoAnswer();
      return finish(response);
    } finally {
      const { status, code } = record;
      const time = service.now();
      log({ kind: 'request', time, requestId, method, route: pattern, status, code, ms: time - startedAt });
    }

    async function carryOut(fault: Fault | null): Promise<Answer> {
      if (fault === 'offline') throw new NoAnswer();
      if (fault === 'slow') await serviceControl.hold(request.signal);
      if (fault === 'malformed') return portalPage();
      try {
        if (typeof fault === 'object' && fault !== null) return fail(plannedRefusal(fault), fault.status);
        return await handlerOf()(exchangeOf());
      } catch (error) {
        if (error instanceof Refusal) return fail(error);
        log(errorRecord(error, service.now(), requestId));
        // Spec gap: 503 says that nothing was done, so that even a forced write may be sent again; 500 leaves it open.
        if (isStoreUnavailable(error)) return fail(new Refusal('unavailable', { retryAfterMs: storeRetryMs }));
        return fail(new Refusal('internal'));
      }
    }

    function handlerOf(): Handler {
      if (pattern === null) throw new Refusal('not_found');
      if (operation === null) throw new Refusal('method_not_allowed', { allow: Object.keys(offered).join(', ') });
      return handlers[operation];
    }

    function exchangeOf(): Exchange {
      let raw: Promise<RawBody> | undefined;
      const rawBody = (): Promise<RawBody> => {
        // Spec gap: 256 KiB, and 4 MiB for what may carry a whole profile.
        const { mergeRequestBytes, requestBytes } = service.sizes;
        raw ??= readBody(request, operation === 'resolveConflict' ? mergeRequestBytes : requestBytes, arrival.read);
        return raw;
      };
      return {
        service,
        request,
        url,
        params: parametersOf(pattern, path),
        address: addressOf(request, arrival.address),
        rawBody,
        body: async () => remember((await rawBody()).parse()),
      };
    }

    function remember(body: Body): Body {
      const shown = redactBody(body);
      if (shown !== undefined) record.body = shown;
      return body;
    }

    function fail(refusal: { code: FailureCode; details: Refusal['details'] }, status?: number): Answer {
      record.code = refusal.code;
      return problem(refusal, requestId, status);
    }

    function finish(response: Answer): Answer {
      record.status = response.status;
      response.headers.set(names.requestId, requestId);
      if (!response.headers.has('Cache-Control')) response.headers.set('Cache-Control', 'no-store');
      if (isPages) cors.apply(request, response);
      return response;
    }
  }
}

/** What a lost connection looks like to `fetch`. */
class NoAnswer extends TypeError {
  constructor() {
    super('fetch failed');
  }
}

/** The path as it was sent, so that an encoded slash stays in its segment; one trailing slash is accepted. */
function pathOf({ pathname }: URL): string {
  return pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}

/** Which segments of each path vary, and their names. */
const variable = new Map(
  [...methodsOfPath.keys()].map((pattern) => {
    const parts = pattern
      .split('/')
      .map((part, index) => ({ name: part.slice(1), index, varies: part.startsWith(':') }));
    return [pattern, parts.filter(({ varies }) => varies)] as const;
  }),
);

function parametersOf(pattern: OperationPath | null, path: string): { [name: string]: string } {
  const parameters: { [name: string]: string } = {};
  const found = (pattern && variable.get(pattern)) ?? [];
  if (found.length === 0) return parameters;
  const segments = path.split('/');
  for (const { name, index } of found) parameters[name] = decodeSegment(segments[index] ?? '');
  return parameters;
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Refusal('invalid_key', { detail: 'The address has a bad escape.' });
  }
}

function portalPage(): Answer {
  const headers = new Map<string, string>([[names.contentType, 'text/html']]);
  return { status: 200, headers, body: '<!doctype html><title>Welcome</title>' };
}

function errorRecord(error: unknown, time: number, requestId: string) {
  const { name, message, stack } = error instanceof Error ? error : new Error('Something that is no Error was thrown.');
  return { kind: 'error' as const, time, requestId, name, message, stack: stack ?? null };
}
