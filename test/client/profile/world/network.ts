import type { DeviceKind, Page } from './device.js';
import type { WatchedService } from './service.js';
import type { Turns } from './turns.js';

/**
 * How the way to the service is. `lost`: carried out, and the answer never comes. `held`: not before the way is another one,
 * when the client may have given up long ago. `portal`: a page of somebody else's answers. `limited`: 429, and to be left
 * alone for a minute, `closed`: 503, and so for a day. `unauthorized`: 401.
 */
export type Net = 'on' | 'off' | 'lost' | 'held' | 'busy' | 'broken' | 'portal' | 'limited' | 'closed' | 'unauthorized';

/** What happens to one request alone: it never arrives, or its answer does not. */
export type Accident = 'dropped' | 'lost';

/** How the service, or what stands before it, refuses one entry. `bare` is a page, without the service's own words. */
export const refusals = ['too_large', 'bare 413', 'wrong_env', 'bare 403', 'internal', 'bare 500', 'portal'] as const;
export type Refusal = (typeof refusals)[number];

/** The way from a device to the service. */
export interface Network {
  readonly net: Net;
  /** Whether the service has ever asked to be left alone for a day. */
  readonly wasClosed: boolean;
  /** What happens to the next requests. */
  readonly accidents: Accident[];
  /** The device's ids that the service was told. */
  readonly deviceIds: ReadonlySet<string>;
  /** How many it may have been told. */
  mayHaveIds: number;
  set(net: Net): void;
  /** Sends a page's request. */
  fetch(page: Page, request: Request): Promise<Response>;
  /** The game or the player has asked for something: that may be sent, whatever the service has asked for. */
  allow(requests: number): void;
  /** What the service has seen too much of. */
  readonly complaints: string[];
}

/** For how many seconds the service asks to be left alone. */
const retryAfter: { readonly [net in Net]?: number } = { limited: 60, closed: 86_400 };

/** How often entries may be sent while the service wants to be left alone, for those that were on their way. */
const underWay = 3;
const justNowMs = 5_000;

/** What those who hear of each other have been told, and keep to. */
interface Told {
  /** Since when each page knows it. One that starts later has to ask, to hear of it. */
  readonly heardAt: WeakMap<Page, number>;
  until: number;
  /** How often they may send all the same. */
  left: number;
}

/** `delays` says how many turns the next ways take, there and back, over and over: requests overtake each other. */
export function createNetwork(
  service: WatchedService,
  turns: Turns,
  { delays = [], hasChannel }: Pick<DeviceKind, 'delays' | 'hasChannel'>,
): Network {
  let ways = 0;
  const delayed = (task: () => unknown, runner: Page | null): void => {
    const wait = (left: number): void => turns.later(left === 0 ? task : () => wait(left - 1), runner);
    wait(delays[ways++ % delays.length] ?? 0);
  };

  const waiting: (() => void)[] = [];
  const accidents: Accident[] = [];
  const deviceIds = new Set<string>();
  const complaints: string[] = [];
  let net: Net = 'on';
  /** By page where none hears what another was told, so that two tabs ask twice as often; else one for all. */
  let told = new Map<Page | null, Told>();
  let allowed = 0;
  let allowedAt = 0;
  let wasClosed = false;
  const isRecent = (): boolean => Date.now() - allowedAt < justNowMs;
  const toldTo = (page: Page): Told | undefined => told.get(hasChannel ? null : page);
  const isQuiet = ({ until }: Told): boolean => Date.now() < until;
  /** What was asked for long ago is no reason any more, once all pages may ask again. */
  const forget = (): void => {
    if (!isRecent() && ![...told.values()].some(isQuiet)) allowed = 0;
  };

  /** Counts what is sent while the service has asked to be left alone. What was held up on its way is older than that. */
  function count(page: Page, { method }: Request, sentAt: number): void {
    const quiet = toldTo(page);
    const isKnown = sentAt >= (quiet?.heardAt.get(page) ?? Number.POSITIVE_INFINITY);
    if (method !== 'PATCH' || quiet === undefined || !isKnown || !isQuiet(quiet)) return;
    if (allowed > 0) {
      allowed -= 1;
      return;
    }
    quiet.left -= 1;
    if (quiet.left === -1) complaints.push('asks on and on, and the service has asked to be left alone');
  }

  function note(body: string): void {
    const { device_id: id } = JSON.parse(body || '{}') as { device_id?: string };
    if (id === undefined) return;
    deviceIds.add(id);
    if (deviceIds.size > network.mayHaveIds) complaints.push('the device has another id than before');
  }

  /** What a write is told, writes keep to. The service counts reads by themselves, so that they hold up no save. */
  function quiet(page: Page, seconds: number): void {
    forget();
    const before = toldTo(page);
    const one = before !== undefined && isQuiet(before) ? before : { heardAt: new WeakMap(), until: 0, left: underWay };
    if (!one.heardAt.has(page)) one.heardAt.set(page, Date.now());
    one.until = Math.max(one.until, Date.now() + Math.min(seconds, 3_600) * 1_000 - 1_000);
    told.set(hasChannel ? null : page, one);
  }

  function send(page: Page, request: Request): Promise<Response> {
    // The platform takes the body when it is asked; a caller that gives up takes the request back.
    const body = request.text();
    const sentAt = Date.now();
    return new Promise((resolve, reject) => {
      const lose = (): void => turns.later(() => reject(new TypeError('Failed to fetch')), page);
      const answer = (response: Response, quietSeconds = 0): void =>
        delayed(() => {
          // It no longer counts where all is well again by the time that it arrives.
          if (quietSeconds > 0 && request.method === 'PATCH' && net !== 'on') quiet(page, quietSeconds);
          resolve(response);
        }, page);
      async function carryOut(then: (answer: Response) => void): Promise<void> {
        if (page.isCut && !request.keepalive) return;
        then(await service.answer(request, await body, page));
      }
      async function arrive(): Promise<unknown> {
        note(await body);
        const accident = accidents.shift();
        const way = accident === 'dropped' ? 'off' : (accident ?? net);
        // The service hears nothing of what somebody else answers.
        if (way !== 'off' && way !== 'portal') count(page, request, sentAt);
        const refusal = service.refusalOf(request);
        if (way === 'off') return lose();
        if (way === 'held') return void waiting.push(() => turns.later(arrive, null));
        if (way === 'lost') return carryOut(lose);
        if (way === 'on') return refusal === null ? carryOut(answer) : answer(refusalAnswer(refusal));
        return answer(failureAnswer(way), retryAfter[way]);
      }
      // What has left the page arrives, whether the page is there or not.
      delayed(arrive, null);
    });
  }

  const network: Network = {
    mayHaveIds: 1,
    get net() {
      return net;
    },
    get wasClosed() {
      return wasClosed;
    },
    accidents,
    deviceIds,
    complaints,
    set: (next) => {
      net = next;
      wasClosed ||= next === 'closed';
      if (next === 'on') told = new Map();
      if (next !== 'held') for (const go of waiting.splice(0)) go();
    },
    fetch: (page, request) => {
      if (page.isOffline)
        complaints.push(`asks although its network is switched off: ${request.method} ${request.url}`);
      return page.isAlive ? send(page, request) : new Promise(() => {});
    },
    allow: (requests) => {
      forget();
      allowed += requests;
      allowedAt = Date.now();
    },
  };
  return network;
}

function failureAnswer(net: Net): Response {
  switch (net) {
    case 'busy':
      return new Response('', { status: 503 });
    case 'broken':
      return problem(500, 'internal');
    case 'limited':
      return problem(429, 'rate_limited', { 'retry-after': String(retryAfter.limited) });
    case 'closed':
      return problem(503, 'unavailable', { 'retry-after': String(retryAfter.closed) });
    case 'unauthorized':
      return problem(401, 'unauthorized');
    default:
      return page(200);
  }
}

function refusalAnswer(refusal: Refusal): Response {
  if (refusal === 'portal') return page(200);
  if (refusal.startsWith('bare')) return page(Number(refusal.slice(5)));
  return problem({ too_large: 413, wrong_env: 403, internal: 500 }[refusal as 'too_large'], refusal);
}

const page = (status: number): Response =>
  new Response('<!doctype html><p>Something else</p>', { status, headers: { 'content-type': 'text/html' } });

function problem(status: number, code: string, more: HeadersInit = {}): Response {
  const headers = { 'content-type': 'application/problem+json', ...more };
  const body = {
    type: 'about:blank',
    title: 'Refused.',
    status,
    code,
    requestId: '00000000-0000-4000-8000-000000000000',
  };
  return new Response(JSON.stringify(body), { status, headers });
}
