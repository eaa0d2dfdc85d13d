import { randomUUID } from 'node:crypto';
import type { FaultPlan, SeenRequest, Session } from '../../console/src/wire/messages.js';
import { serveFiles } from '../../scripts/game-files.mjs';
import type { Backend } from '../../src/backend/index.js';
import { german } from '../../src/cli/console/words/german.js';
import type { OperatorScope } from '../../src/protocol/admin-messages.js';
import { failures } from '../../src/protocol/failures.js';

/** What the page's policy allows: nothing of another origin, and nothing that is written into the page itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export interface DoubleOptions {
  backend: Backend;
  files: string;
  mode: 'dev' | 'serve';
  /** The keys that may sign in, each with its scope; the first one is signed in already in `dev`. */
  operators: readonly { key: string; name: string; scope: OperatorScope }[];
  games: readonly string[];
  seeded?: readonly { username: string; password: string }[];
}

/** A double of the console's gateway: the same wire, in a few lines, for the tests of the page. */
export interface GatewayDouble {
  fallback(request: Request): Promise<Response>;
  /** Tells the feed of a request. */
  tell(request: SeenRequest): void;
  /** Ends all sessions, as a restart of the service does. */
  forgetSessions(): void;
  /** Ends all feeds, as a proxy does. */
  endFeeds(): void;
  /** Lets one more operator sign in. */
  admit(operator: DoubleOptions['operators'][number]): void;
  readonly plans: readonly FaultPlan[];
  /** What was asked below `/console`, as `GET /console/session`. */
  readonly asked: string[];
}

/** What the settings of its service say. */
const limits = {
  set: [
    { of: 'service', name: 'valueBytes', value: '20000' },
    { of: 'rate', name: 'readsPerAccount', value: '9/60' },
  ],
  unused: ['PostgreSQL'],
};

const cookieName = 'savepoint-console';

export function createGatewayDouble({
  backend,
  files,
  mode,
  operators,
  games,
  seeded = [],
}: DoubleOptions): GatewayDouble {
  const sessions = new Map<string, { key: string; csrf: string }>();
  const told: SeenRequest[] = [];
  const listeners = new Set<(request: SeenRequest) => void>();
  const feeds = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const page = serveFiles(files);
  const asked: string[] = [];
  const admitted = [...operators];
  let plans: FaultPlan[] = [];
  let offsetMs = 0;

  const sessionOf = (request: Request) => {
    const id = new RegExp(`${cookieName}=([^;]+)`).exec(request.headers.get('Cookie') ?? '')?.[1] ?? '';
    return sessions.get(id);
  };
  const operatorOf = (key: string | undefined) => admitted.find((operator) => operator.key === key);
  const said = (session: { key: string; csrf: string } | undefined, origin: string): Session => {
    const operator = operatorOf(session?.key);
    return {
      mode,
      operator: operator === undefined ? null : { name: operator.name, scope: operator.scope },
      csrf: session?.csrf ?? null,
      games: [...games],
      expiresAt: null,
      dev:
        mode === 'dev'
          ? {
              url: origin,
              lanUrls: ['http://192.168.1.20:4873'],
              gameId: games[0] ?? '',
              privateKey: 'demo-private-key',
              store: 'memory',
              seeded: [...seeded],
              faults: null,
            }
          : null,
    };
  };
  const open = (key: string, origin: string): Response => {
    const id = randomUUID();
    const session = { key, csrf: randomUUID() };
    sessions.set(id, session);
    const cookie = `${cookieName}=${id}; HttpOnly; SameSite=Strict; Path=/console`;
    return Response.json(said(session, origin), { headers: { 'Set-Cookie': cookie } });
  };

  async function answerSession(request: Request, origin: string): Promise<Response> {
    const session = sessionOf(request);
    if (request.method === 'GET') {
      // Whoever develops on this machine is signed in.
      if (session === undefined && mode === 'dev') return open(operators[0]?.key ?? '', origin);
      return Response.json(said(session, origin));
    }
    if (request.method === 'DELETE') {
      sessions.clear();
      return new Response(null, { status: 204 });
    }
    const { key } = (await request.json()) as { key?: string };
    return operatorOf(key) === undefined ? problem(401, 'invalid_credentials') : open(key as string, origin);
  }

  function feed(signal: AbortSignal): Response {
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        const send = (request: SeenRequest): void =>
          controller.enqueue(encoder.encode(`event: request\ndata: ${JSON.stringify(request)}\n\n`));
        controller.enqueue(encoder.encode(': open\n\n'));
        for (const request of told) send(request);
        listeners.add(send);
        feeds.add(controller);
        signal.addEventListener('abort', () => listeners.delete(send) && feeds.delete(controller));
      },
      cancel() {},
    });
    return new Response(stream, { headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' } });
  }

  function overview(): Response {
    const now = Math.floor(Date.now() / 10_000) * 10_000;
    return Response.json({
      storeKind: 'memory',
      storeBytes: 1_250_000,
      processes: { told: 2, of: 3 },
      uptimeMs: 4_200_000,
      memoryBytes: 92_000_000,
      version: '0.1.0',
      players: { [games[0] ?? '']: 38 },
      requests: Array.from({ length: 180 }, (_, index) => ({
        time: now - (179 - index) * 10_000,
        count: Math.round(40 + 30 * Math.sin(index / 12) + (index % 7) * 2),
        errors: index % 41 === 0 ? 3 : 0,
        p50: 2 + (index % 5) / 4,
        p99: 14 + (index % 11),
      })),
    });
  }

  async function answerDev(request: Request, path: string): Promise<Response> {
    const body = request.method === 'GET' ? null : ((await request.json()) as { plans?: FaultPlan[]; moveMs?: number });
    if (path === 'faults') {
      plans = body?.plans ?? plans;
      return Response.json({ plans, codes: Object.keys(failures) });
    }
    if (path === 'clock') {
      offsetMs += body?.moveMs ?? 0;
      if (body?.moveMs !== undefined) backend.control.advance(body.moveMs);
      return Response.json({ now: backend.control.now(), offsetMs });
    }
    return new Response(null, { status: 204 });
  }

  async function asOperator(request: Request, url: URL, key: string): Promise<Response> {
    const headers = new Headers(request.headers);
    headers.set('Authorization', `Bearer ${key}`);
    headers.delete('Cookie');
    // A page's header, which the service itself would take for a request of another origin.
    headers.delete('Origin');
    const body = ['GET', 'HEAD'].includes(request.method) ? null : await request.arrayBuffer();
    const address = `${url.origin}${url.pathname.slice('/console/api'.length)}${url.search}`;
    return backend.fetch(new Request(address, { method: request.method, headers, body }));
  }

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const { pathname: path, origin } = url;
    if (!/^\/console\/(session|api|requests|overview|limits|words|dev)/.test(path)) {
      const file = await page(new Request(`${origin}${path.replace(/^\/console/, '')}`));
      const headers = new Headers(file.headers);
      headers.set('Content-Security-Policy', policy);
      return new Response(file.body, { status: file.status, headers });
    }
    asked.push(`${request.method} ${path}`);
    if (path.startsWith('/console/session')) return answerSession(request, origin);
    const session = sessionOf(request);
    if (session === undefined) return problem(401, 'unauthorized');
    if (request.method !== 'GET' && request.headers.get('Savepoint-Console') !== session.csrf) {
      return problem(403, 'forbidden');
    }
    if (path.startsWith('/console/api/')) return asOperator(request, url, session.key);
    if (path === '/console/requests') return feed(request.signal);
    if (path === '/console/overview') return overview();
    if (path === '/console/limits') return Response.json(limits);
    if (path === '/console/words/de') return Response.json(german);
    return mode === 'dev' ? answerDev(request, path.slice('/console/dev/'.length)) : problem(404, 'not_found');
  }

  return {
    fallback: answer,
    tell(request) {
      told.push(request);
      for (const listener of listeners) listener(request);
    },
    forgetSessions: () => sessions.clear(),
    endFeeds() {
      for (const feed of feeds) feed.close();
      listeners.clear();
      feeds.clear();
    },
    admit: (operator) => void admitted.push(operator),
    get plans() {
      return plans;
    },
    asked,
  };
}

function problem(status: number, code: string): Response {
  const body = { type: 'about:blank', title: `refused: ${code}`, status, code, requestId: 'request-of-the-double' };
  return Response.json(body, { status, headers: { 'Content-Type': 'application/problem+json' } });
}
