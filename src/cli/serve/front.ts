import { type Answer, type BodyStream, isStream, json, problem } from '../../backend/http/answers.js';
import type { App } from '../../backend/http/app.js';
import { createServiceCore, type ServiceCore } from '../../backend/http/service-core.js';
import type { Log } from '../../backend/index.js';
import { busyRetryMs } from '../../protocol/gaps/retry-hints.js';
import * as names from '../../protocol/headers.js';
import { newUuid } from '../../protocol/ids.js';
import type { Health } from './health.js';

const healthPaths = ['/health', '/health/live', '/health/ready'] as const;

/** A service with its health before it: what a port is given. */
export interface Front {
  readonly fetch: ServiceCore['fetch'];
  readonly core: ServiceCore;
  /**
   * Says at once at `/health` and `/health/ready` that it ends, and takes nothing new after the notice. Settles when
   * nothing runs any more, at the latest `maxMs` after the notice.
   */
  drain(times: { noticeMs: number; maxMs: number }): Promise<void>;
  /** How many requests run. */
  running(): number;
  /** Whether it has been asked to end. */
  isDraining(): boolean;
}

export interface FrontOptions {
  /** The service that stands behind it. */
  service: ServiceCore;
  health: Health;
  /** The codes of what the service has warned of. */
  warnings(): readonly string[];
  log: Log;
  /** Told of a request that is refused because the service drains. */
  turnedAway?: (() => void) | undefined;
  now(): number;
  wait(ms: number): Promise<void>;
}

function untilClosed(body: BodyStream, closed: () => void): BodyStream {
  return {
    next: () => body.next(),
    close() {
      body.close();
      closed();
    },
  };
}

/** The address of a question for the service's health; null for any other request. */
function healthPathOf({ method, url }: Request): (typeof healthPaths)[number] | null {
  if (!url.includes('/health') || (method !== 'GET' && method !== 'HEAD')) return null;
  const { pathname } = new URL(url);
  return healthPaths.find((path) => path === pathname) ?? null;
}

function uncached(answer: Answer, status: number): Answer {
  answer.headers.set('Cache-Control', 'no-store');
  return { ...answer, status };
}

/** Stands before the service: answers how it is, counts what runs, and turns away what comes while it drains. */
export function createFront({ service, health, warnings, log, turnedAway, now, wait }: FrontOptions): Front {
  let running = 0;
  let isEnding = false;
  let isClosed = false;
  let settled = (): void => {};

  /** `/health/live`: whoever reads it knows that the process answers, and need not start it again. */
  function live(): Answer {
    return uncached(json({ status: 'ok' }), 200);
  }

  /** `/health/ready`: whether players may be sent here. A store that only reads still loads their saves. */
  async function ready(): Promise<Answer> {
    return status(await health.reads());
  }

  /** `/health`: whether all is well, for whoever watches. */
  async function overall(): Promise<Answer> {
    const warned = warnings();
    return status(await health.writes(), warned.length === 0 ? {} : { warnings: warned });
  }

  function status(isThere: boolean, more: { warnings?: readonly string[] } = {}): Answer {
    const name = isEnding ? 'draining' : isThere ? 'ok' : 'unavailable';
    const store = isThere ? 'reachable' : 'unreachable';
    return uncached(json({ status: name, store, ...more }), name === 'ok' ? 200 : 503);
  }

  const healthAnswers = { '/health': overall, '/health/live': live, '/health/ready': ready };

  function turnAway({ method }: Request): Answer {
    const requestId = newUuid(crypto.getRandomValues(new Uint8Array(16)));
    const code = 'unavailable';
    const answer = problem({ code, details: { retryAfterMs: busyRetryMs } }, requestId);
    answer.headers.set(names.requestId, requestId).set('Cache-Control', 'no-store').set('Connection', 'close');
    const { status } = answer;
    const nobody = { game: null, user: null };
    log({ kind: 'request', time: now(), requestId, method, route: null, ...nobody, status, code, ms: 0 });
    turnedAway?.();
    return answer;
  }

  const answer: App = async (request, arrival) => {
    const healthPath = healthPathOf(request);
    if (healthPath !== null) return healthAnswers[healthPath]();
    if (isClosed) return turnAway(request);
    running += 1;
    try {
      const given = await service.answer(request, arrival);
      if (!isStream(given.body)) return given;
      return { ...given, body: untilClosed(given.body, startSending()) };
    } finally {
      end();
    }
  };

  function end(): void {
    running -= 1;
    if (running === 0) settled();
  }

  /** An answer that is made while it is sent runs until then. */
  function startSending(): () => void {
    let isOver = false;
    running += 1;
    return () => {
      if (!isOver) end();
      isOver = true;
    };
  }

  const core = createServiceCore(answer, service.isTrusted);
  return {
    running: () => running,
    isDraining: () => isEnding,

    fetch: core.fetch,
    core,

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
