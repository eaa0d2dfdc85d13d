import { type FailureCode, failures } from '../protocol/failures.js';
import { isUuid } from '../protocol/ids.js';
import { type OperationName, type OperationPath, operations } from '../protocol/operations.js';
import type { Body } from './http/body.js';
import type { Route } from './http/routes.js';
import { redacted } from './redacted.js';
import { Refusal } from './refusal.js';

/** How a request is made to go wrong on purpose. */
export type Fault =
  /** The connection cannot be made: nothing is carried out, and `fetch` rejects with TypeError. */
  | 'offline'
  /** The request is carried out, and then its answer is lost: `fetch` rejects with TypeError. */
  | 'lost-answer'
  /** The request is held before it is carried out, until `release()`, or until it is aborted. */
  | 'slow'
  /** The request is held for so long before it is carried out, until `release()`, or until it is aborted. */
  | {
      /** How long, in ms; from 1 up. */
      slowMs: number;
    }
  /** Nothing is carried out, and the answer is an HTML page with status 200, as a captive portal gives. */
  | 'malformed'
  /** Nothing is carried out, and the request is refused. */
  | {
      /** The status of the answer, from 400 to 599. */
      status: number;
      /** The code in the answer; the usual one of the status if left out. */
      code?: FailureCode;
      /** In how many seconds the client may try again: the header Retry-After. None by default. */
      retryAfter?: number;
    };

/** Which requests fail, and how. */
export interface FaultPlan {
  /** Only requests for this operation, such as `updateEntry`, or for this path; every request if left out. */
  route?: Route;
  /**
   * Only requests with an access token of this player, and those of the game's back end for the player; a user id. A
   * request that signs the player in has no token yet.
   */
  player?: string;
  /**
   * Only this share of those requests, drawn for each; more than 0, at most 1, and all of them by default. Shares of
   * several plans for one request add up.
   */
  share?: number;
  /** How many requests fail; 1 by default, and with Infinity all of them until `restore()`. */
  times?: number;
  /** What happens to them. */
  with: Fault;
}

/** What the service was asked. It holds no credential: headers are left out, and secrets in the body are replaced. */
export interface RecordedRequest {
  /** The HTTP method, in capitals. */
  method: string;
  /** The path as it was sent, with its query. */
  path: string;
  /** The pattern of the path, such as `/v2/auth/peek/:method`; null where there is nothing at this address. */
  route: string | null;
  /** The status of the answer; null where none was given, or none yet. */
  status: number | null;
  /** The failure's code; null where the request did not fail. */
  code: string | null;
  /** The JSON body, with `[redacted]` in place of secrets; left out where there was none, or one of more than 4 KiB. */
  readonly body?: unknown;
}

/** Moves a service's clock, makes its requests fail and shows them, in tests and demos. */
export interface Control {
  /** Moves the service's clock forward, by ms. Throws TypeError for a number below 0. */
  advance(ms: number): void;
  /** The service's clock: ms since 1970. */
  now(): number;
  /**
   * Makes requests fail. Several plans for one request are used up in the order in which they were made. Throws
   * TypeError naming what is wrong with a plan.
   */
  fail(plan: FaultPlan): void;
  /** Lets all requests go on that the fault `slow` holds. */
  release(): void;
  /** Drops all plans of `fail`, and lets all held requests go on. */
  restore(): void;
  /**
   * The last 1,000 requests, oldest first; none where `recordRequests` is false. Preflights of browsers are left out.
   */
  readonly requests: readonly RecordedRequest[];
}

/** The public control, and what the service itself asks of it. */
export interface ServiceControl {
  control: Control;
  /** The fault planned for a request, if any; it counts as used. */
  takeFault(request: FaultyRequest): Fault | null;
  /** Resolves at `release()`, or after `ms`; rejects with the signal's reason when that aborts. */
  hold(signal: AbortSignal, ms?: number): Promise<void>;
  /** Remembers a request, if requests are recorded. */
  record(request: RecordedRequest): void;
  /** Remembers what a request's body held, if requests are recorded. */
  recordBody(request: RecordedRequest, body: Body): void;
}

/** A request that a plan may be for. */
interface FaultyRequest {
  path: OperationPath | null;
  operation: OperationName | null;
  /** Whose request it says it is. */
  player(): string | null;
}

const maxRequests = 1_000;

export function createControl(
  clock: () => number,
  { recordRequests = true, draw = Math.random }: { recordRequests?: boolean; draw?: () => number } = {},
): ServiceControl {
  let plans: { plan: FaultPlan; left: number }[] = [];
  const requests: RecordedRequest[] = [];
  const held = new Set<() => void>();
  let offsetMs = 0;

  const release = (): void => {
    for (const go of [...held]) go();
  };

  return {
    control: {
      advance(ms) {
        if (!Number.isFinite(ms) || ms < 0) throw new TypeError('ms must be a number from 0 up');
        offsetMs += ms;
      },
      now: () => Math.floor(clock() + offsetMs),
      fail(plan) {
        checkPlan(plan);
        plans.push({ plan, left: plan.times ?? 1 });
      },
      release,
      restore() {
        plans = [];
        release();
      },
      requests,
    },

    takeFault(request) {
      if (plans.length === 0) return null;
      const planned = plans.filter(({ plan, left }) => left > 0 && isFor(plan, request));
      const drawn = planned.some(({ plan }) => plan.share !== undefined) ? draw() : 0;
      let sum = 0;
      const next = planned.find(({ plan }) => {
        sum += plan.share ?? 1;
        return drawn < sum;
      });
      if (next === undefined) return null;
      next.left -= 1;
      plans = plans.filter(({ left }) => left > 0);
      return next.plan.with;
    },

    hold(signal, ms) {
      return new Promise((resolve, reject) => {
        const timer = ms === undefined ? undefined : setTimeout(() => go(), ms);
        const end = (): void => {
          clearTimeout(timer);
          held.delete(go);
          signal.removeEventListener('abort', stop);
        };
        const go = (): void => {
          end();
          resolve();
        };
        const stop = (): void => {
          end();
          reject(signal.reason);
        };
        held.add(go);
        signal.addEventListener('abort', stop);
        if (signal.aborted) stop();
      });
    },

    record(request) {
      if (!recordRequests) return;
      requests.push(request);
      if (requests.length > maxRequests) requests.shift();
    },

    recordBody(request, body) {
      if (recordRequests && body.bytes.length <= maxRecordedBytes) showBody(request, body.text);
    },
  };
}

/** The refusal for a planned status. Its code is the plan's, else the usual one of the status, else `internal`. */
export function plannedRefusal({ status, code, retryAfter }: Extract<Fault, { status: number }>): Refusal {
  const known = (Object.keys(failures) as FailureCode[]).find((candidate) => failures[candidate].status === status);
  return new Refusal(
    code ?? preferredCodes[status] ?? known ?? 'internal',
    retryAfter === undefined ? {} : { retryAfterMs: retryAfter * 1000 },
  );
}

const preferredCodes: { [status: number]: FailureCode } = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  503: 'unavailable',
};

function isFor({ route, player }: FaultPlan, request: FaultyRequest): boolean {
  if (route !== undefined && route !== request.operation && route !== request.path) return false;
  return player === undefined || player.toLowerCase() === request.player();
}

function checkPlan(plan: FaultPlan): void {
  const { route, player, share, times, with: fault } = plan;
  const known: string[] = Object.entries(operations).flatMap(([name, { path }]) => [name, path]);
  if (route !== undefined && !known.includes(route)) {
    throw new TypeError('route must be the name of an operation, or the pattern of a path');
  }
  if (times !== undefined && !(times > 0)) throw new TypeError('times must be a number from 1 up');
  if (player !== undefined && !isUuid(player)) throw new TypeError('player must be a user id');
  if (share !== undefined && !(share > 0 && share <= 1)) throw new TypeError('share must be more than 0, at most 1');
  const isWord = typeof fault === 'string' && ['offline', 'lost-answer', 'slow', 'malformed'].includes(fault);
  const isSlow = isObject(fault) && 'slowMs' in fault && Number.isSafeInteger(fault.slowMs) && fault.slowMs > 0;
  const isStatus = isObject(fault) && 'status' in fault && fault.status >= 400 && fault.status <= 599;
  if (!isWord && !isSlow && !isStatus) {
    throw new TypeError('with must be a fault, { slowMs } from 1 up, or { status } from 400 to 599');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const maxRecordedBytes = 4_096;

/** Where a record keeps the text of its body; nobody who looks through its members comes by it. */
const bodyText = Symbol('body');

/** One for all: to make one for each request takes V8 longer than all else that is kept of it. */
const unreadBody: PropertyDescriptor & ThisType<RecordedRequest & { [bodyText]: string }> = {
  enumerable: true,
  configurable: true,
  get() {
    const value = redacted(JSON.parse(this[bodyText]));
    Object.defineProperty(this, 'body', { enumerable: true, value });
    return value;
  },
};

/**
 * Shows a body in `requests`. It is read when somebody looks: anybody may send one, and a request that is refused must
 * not cost more than its refusal.
 */
function showBody(request: RecordedRequest, text: string): void {
  Object.defineProperty(request, bodyText, { value: text });
  Object.defineProperty(request, 'body', unreadBody);
}
