import type { Backend, Log } from '../../backend/index.js';
import { failures } from '../../protocol/failures.js';
import * as names from '../../protocol/headers.js';
import { mediaTypes } from '../../protocol/headers.js';
import { newUuid } from '../../protocol/uuid-form.js';

const healthPath = '/health';
const retryAfterMs = 1_000;

export interface Front extends Pick<Backend, 'fetch'> {
  /**
   * Says at once at `/health` that it ends, and takes nothing new after the notice. Settles when nothing runs any more, at
   * the latest `maxMs` after the notice.
   */
  drain(times: { noticeMs: number; maxMs: number }): Promise<void>;
  /** How many requests run. */
  running(): number;
}

export interface FrontOptions {
  backend: Pick<Backend, 'fetch'>;
  isStoreThere(): Promise<boolean>;
  log: Log;
  now(): number;
  wait(ms: number): Promise<void>;
}

/** Stands before the service: answers `/health`, counts what runs, and turns away what comes while it drains. */
export function createFront({ backend, isStoreThere, log, now, wait }: FrontOptions): Front {
  let running = 0;
  let isEnding = false;
  let isClosed = false;
  let settled = (): void => {};

  async function health(): Promise<Response> {
    const isThere = await isStoreThere();
    const status = isEnding ? 'draining' : isThere ? 'ok' : 'unavailable';
    const body = { status, store: isThere ? 'reachable' : 'unreachable' };
    return Response.json(body, { status: status === 'ok' ? 200 : 503, headers: { 'Cache-Control': 'no-store' } });
  }

  function turnAway(request: Request): Response {
    const requestId = newUuid(crypto.getRandomValues(new Uint8Array(16)));
    const code = 'unavailable';
    const { status, title } = failures[code];
    const body = { type: 'about:blank', title, status, code, retryAfterMs, requestId };
    const response = new Response(JSON.stringify(body), {
      status,
      headers: {
        [names.contentType]: mediaTypes.problem,
        [names.requestId]: requestId,
        [names.retryAfter]: String(retryAfterMs / 1000),
        'Cache-Control': 'no-store',
        Connection: 'close',
      },
    });
    const { method } = request;
    log({ kind: 'request', time: now(), requestId, method, route: null, status, code, ms: 0 });
    return response;
  }

  return {
    running: () => running,

    async fetch(request, from) {
      if (new URL(request.url).pathname === healthPath && ['GET', 'HEAD'].includes(request.method)) return health();
      if (isClosed) return turnAway(request);
      running += 1;
      try {
        return await backend.fetch(request, from);
      } finally {
        running -= 1;
        if (running === 0) settled();
      }
    },

    async drain({ noticeMs, maxMs }) {
      isEnding = true;
      await wait(noticeMs);
      isClosed = true;
      if (running === 0) return;
      const done = new Promise<void>((resolve) => {
        settled = resolve;
      });
      await Promise.race([done, wait(maxMs)]);
    },
  };
}
