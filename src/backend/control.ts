import type { FailureCode } from '../protocol/failures.js';
import { failures } from '../protocol/failures.js';
import { type OperationName, type OperationPath, operations } from '../protocol/operations.js';
import type { Body } from './http/body.js';
import type { Route } from './http/routes.js';
import { Refusal } from './refusal.js';

/** How a request can go wrong on purpose. */
export type Fault =
  /** No connection: nothing is carried out, and `fetch` rejects with TypeError. */
  | 'offline'
  /** Carried out, and then the connection is lost: `fetch` rejects with TypeError. */
  | 'lost-answer'
  /** Held before it is carried out, until `release()`, or until the request is aborted. */
  | 'slow'
  /** Not carried out; the answer is a page with status 200, as from a captive portal. */
  | 'malformed'
  /** Not carried out; a refusal with this status. `retryAfter` in seconds. */
  | { status: number; code?: FailureCode; retryAfter?: number };

export interface FaultPlan {
  /** Only requests for this operation, or to this path; any, if left out. */
  route?: Route;
  /** How many requests; 1 by default, Infinity until `restore()`. */
  times?: number;
  with: Fault;
}

/** What the service was asked. Holds no credential: headers are left out, secrets in the body are blotted out. */
export interface RecordedRequest {
  method: string;
  /** With its query. */
  path: string;
  /** The route's pattern; null where there is nothing at this address. */
  route: string | null;
  /** Null where no answer was given (yet). */
  status: number | null;
  /** A failure's code. */
  code: string | null;
  /** The JSON body, where there was one of a handy size. */
  body?: unknown;
}

/** The one place to steer a service from, in tests and demos. */
export interface Control {
  /** Moves the service's clock forward, by ms. */
  advance(ms: number): void;
  /** The service's clock: ms since 1970. */
  now(): number;
  /** Makes requests fail. Plans are used up in the order in which they were made. */
  fail(plan: FaultPlan): void;
  /** Lets all held answers go. */
  release(): void;
  /** Forgets all plans, and lets all held answers go. */
  restore(): void;
  /** The last thousand requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
}

/** The side of the control that the service looks at. */
export interface ServiceControl {
  control: Control;
  /** The fault planned for a request, if any; it counts as used. */
  takeFault(request: { path: OperationPath | null; operation: OperationName | null }): Fault | null;
  /** Settles at `release()`; rejects with the signal's reason. */
  hold(signal: AbortSignal): Promise<void>;
  record(request: RecordedRequest): void;
}

const maxRequests = 1_000;

export function createControl(clock: () => number): ServiceControl {
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

    takeFault({ path, operation }) {
      const next = plans.find(
        ({ plan, left }) => left > 0 && (plan.route === undefined || plan.route === operation || plan.route === path),
      );
      if (next === undefined) return null;
      next.left -= 1;
      plans = plans.filter(({ left }) => left > 0);
      return next.plan.with;
    },

    hold(signal) {
      return new Promise((resolve, reject) => {
        const end = (): void => {
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
      requests.push(request);
      if (requests.length > maxRequests) requests.shift();
    },
  };
}

/** The refusal that a planned status stands for; the code is the one given, or the first that has this status. */
export function plannedRefusal({ status, code, retryAfter }: Exclude<Fault, string>): Refusal {
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

function checkPlan(plan: FaultPlan): void {
  const { route, times, with: fault } = plan;
  const known: string[] = Object.entries(operations).flatMap(([name, { path }]) => [name, path]);
  if (route !== undefined && !known.includes(route)) {
    throw new TypeError('route must be the name of an operation, or the pattern of a path');
  }
  if (times !== undefined && !(times > 0)) throw new TypeError('times must be a number from 1 up');
  const isWord = typeof fault === 'string' && ['offline', 'lost-answer', 'slow', 'malformed'].includes(fault);
  const isStatus = typeof fault === 'object' && fault !== null && fault.status >= 400 && fault.status <= 599;
  if (!isWord && !isStatus) throw new TypeError('with must be a fault, or { status } from 400 to 599');
}

const secretNames = new Set([
  'password',
  'old_password',
  'new_password',
  'code',
  'token',
  'refresh_token',
  'ticket',
  'device_id',
  'custom_user_id',
  'accessToken',
  'refreshToken',
]);

const maxRecordedBytes = 4_096;

/** A body as it may be remembered: small, and without its secrets. */
export function redactBody({ json, bytes }: Body): unknown {
  return bytes.length > maxRecordedBytes ? undefined : redact(json);
}

/** What holds none stays as it is. */
function redact(value: unknown): unknown {
  if (!holdsSecret(value)) return value;
  if (Array.isArray(value)) return value.map(redact);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, secretNames.has(name) ? '[redacted]' : redact(member)]),
  );
}

function holdsSecret(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsSecret);
  return Object.entries(value).some(([name, member]) => secretNames.has(name) || holdsSecret(member));
}
