import { RegExpRouter } from 'hono/router/reg-exp-router';
import type { HttpMethod } from '../../protocol/addresses.js';
import type { FailureCode } from '../../protocol/failures.js';
import { busyRetryMs } from '../../protocol/gaps/retry-hints.js';
import * as names from '../../protocol/headers.js';
import type { OperationName, OperationPath } from '../../protocol/operations.js';
import { type Fault, plannedRefusal, type RecordedRequest, type ServiceControl } from '../control.js';
import type { LimitName } from '../limit-name.js';
import type { Log } from '../log.js';
import type { ObservedRequest, Observer } from '../observer.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { isStoreUnavailable, limitOf } from '../stores/unavailable.js';
import { type Answer, isStream, lengthOfText, problem, type Text, withoutBody } from './answers.js';
import { type RawBody, type ReadBytes, readBody } from './body.js';
import { claimedPlayerOf } from './claimed-player.js';
import type { Cors } from './cors.js';
import type { Exchange, Handler } from './exchange.js';
import { isForPages, type Methods, methodsOfPath, parametersOf, pathOf } from './routes.js';

export interface AppOptions {
  service: Service;
  handlers: { readonly [operation in OperationName]: Handler };
  serviceControl: ServiceControl;
  cors: Cors;
  log: Log;
  observer: Observer | undefined;
  /** Whether a peer is a proxy that is believed. */
  isTrusted(address: string): boolean;
  /** The player's address, from that of the socket and what a trusted proxy says. */
  addressOf(request: Request, socketAddress: string | undefined): string | undefined;
}

/** What a port knows of a request that the Request does not say. */
export interface Arrival {
  /** The peer's address. */
  address?: string | undefined;
  /** Reads the body in a cheaper way than the Request's stream. */
  read?: ReadBytes | undefined;
  /**
   * Whether the operators' console asks, in process: then no planned fault is for it, and
   * `control.requests` has it not.
   */
  isOfConsole?: boolean | undefined;
}

export type App = (request: Request, arrival: Arrival) => Promise<Answer>;

/** A request whose operation has been looked up, until its answer leaves. */
interface Received {
  request: Request;
  arrival: Arrival;
  url: URL;
  path: string;
  /** The path's pattern; null where there is nothing at this address. */
  pattern: OperationPath | null;
  /** The operations at this address, by method. */
  methods: Methods;
  /** Null where there is none at this address, or none with this method. */
  operation: OperationName | null;
  /** Whether a page may be allowed to ask: then the answer carries CORS headers. */
  isForPages: boolean;
  requestId: string;
  startedAt: number;
  /** The game that the request is for, in lower case; null until that is known. */
  gameId: string | null;
  /** How to let the page in that has asked and may not read the answer; null of any other, and until it is answered. */
  wayIn: string | null;
  /** The account that the request is of; null until that is known. */
  accountId: string | null;
  /** The limit that refused it; null where none did. */
  limitName: LimitName | null;
  /** What `control.requests` shows; status and code are filled in as they become known. */
  record: RecordedRequest;
}

/** The service behind its addresses. Every request goes through the same steps: receive, carry out, complete, log. */
export function createApp(options: AppOptions): App {
  const router = new RegExpRouter<OperationPath>();
  for (const pattern of methodsOfPath.keys()) router.add('ALL', pattern, pattern);

  return async (request, arrival) => {
    const url = new URL(request.url);
    const path = pathOf(url);
    const [[found] = []] = router.match('ALL', path);
    const received = receive(options, { request, arrival, url, path, pattern: found?.[0] ?? null });
    const answered = () => answerOrDrop(options, received);
    const { observer } = options;
    try {
      const answer = await (observer === undefined
        ? answered()
        : observer.request(observed(options, received), answered));
      // HEAD is GET without the body.
      return request.method === 'HEAD' ? withoutBody(answer) : answer;
    } finally {
      logRequest(options, received);
    }
  };
}

function receive(
  options: AppOptions,
  asked: Pick<Received, 'request' | 'arrival' | 'url' | 'path' | 'pattern'>,
): Received {
  const { request, arrival, url, path, pattern } = asked;
  const { service } = options;
  const { method } = request;
  const methods: Methods = (pattern && methodsOfPath.get(pattern)) ?? {};
  return {
    request,
    arrival,
    url,
    path,
    pattern,
    methods,
    operation: methods[(method === 'HEAD' ? 'GET' : method) as HttpMethod] ?? null,
    isForPages: isForPages(path),
    requestId: givenRequestId(options, request, arrival) ?? service.newId(),
    startedAt: service.now(),
    gameId: null,
    wayIn: null,
    accountId: null,
    limitName: null,
    record: { method, path: url.pathname + url.search, route: pattern, status: null, code: null },
  };
}

/** Answers as a planned fault says, if there is one for this request; rejects where that drops the answer. */
async function answerOrDrop(options: AppOptions, received: Received): Promise<Answer> {
  const { serviceControl } = options;
  const { request, path, pattern, operation, record } = received;
  if (received.isForPages && request.method === 'OPTIONS') {
    return complete(options, received, preflight(options, received));
  }
  const { isOfConsole = false } = received.arrival;
  if (!isOfConsole) serviceControl.record(record);
  const fault = isOfConsole
    ? null
    : serviceControl.takeFault({ path: pattern, operation, player: () => claimedPlayerOf(request, path) });
  if (fault === 'offline') throw new NoAnswer();
  if (fault === 'slow') await serviceControl.hold(request.signal);
  else if (typeof fault === 'object' && fault !== null && 'slowMs' in fault) {
    await serviceControl.hold(request.signal, fault.slowMs);
  }
  const answer = fault === 'malformed' ? portalPage() : await carryOut(options, received, fault);
  if (fault === 'lost-answer') {
    withoutBody(answer);
    throw new NoAnswer();
  }
  return complete(options, received, answer);
}

function preflight(options: AppOptions, received: Received): Answer {
  try {
    return options.cors.preflight(received.request, Object.keys(received.methods));
  } catch (error) {
    if (error instanceof Refusal) return refuse(options, received, error);
    throw error;
  }
}

/** Runs the operation's handler, and makes an answer of whatever is thrown. */
async function carryOut(options: AppOptions, received: Received, fault: Fault | null): Promise<Answer> {
  const { service, log } = options;
  try {
    if (typeof fault === 'object' && fault !== null && 'status' in fault)
      return refuse(options, received, plannedRefusal(fault), fault.status);
    const handler = handlerOf(options, received);
    const exchange = exchangeOf(options, received);
    if (received.operation !== null)
      service.doorRates.countAddress(received.operation, exchange.address, service.now());
    const answer = weighed(await handler(exchange), exchange);
    answer.address = exchange.address;
    return answer;
  } catch (error) {
    if (error instanceof Refusal) return refuse(options, received, error);
    log(errorRecord(error, service.now(), received.requestId));
    // Spec gap: 503 says that nothing was done, so that even a forced write may be sent again; 500 leaves it open.
    if (isStoreUnavailable(error)) {
      return refuse(options, received, new Refusal('unavailable', { retryAfterMs: busyRetryMs, ...limitOf(error) }));
    }
    return refuse(options, received, new Refusal('internal'));
  }
}

function handlerOf({ handlers }: AppOptions, { pattern, operation, methods }: Received): Handler {
  if (pattern === null) throw new Refusal('not_found');
  if (operation === null) throw new Refusal('method_not_allowed', { allow: Object.keys(methods).join(', ') });
  return handlers[operation];
}

function exchangeOf({ service, addressOf, serviceControl }: AppOptions, received: Received): Exchange {
  const { request, arrival, url, path, pattern, operation, record } = received;
  let raw: Promise<RawBody> | undefined;
  let counted: string | undefined;
  const address = addressOf(request, arrival.address);
  const count = (key: string): void => {
    counted = key;
    if (operation !== null) service.doorRates.countAccount(operation, key, service.now());
  };
  const weigh = (bytes: number): void => {
    if (operation !== null && counted !== undefined) service.doorRates.weigh(operation, counted, bytes, service.now());
  };
  const readWhole = async (): Promise<RawBody> => {
    // Spec gap: 256 KiB, and 4 MiB for what may carry a whole profile.
    const { mergeRequestBytes, requestBytes } = service.sizes;
    const maxBytes = operation === 'resolveConflict' ? mergeRequestBytes : requestBytes;
    const { read } = arrival;
    const body = await readBody(request, maxBytes, read && ((max) => read(max, address)));
    const { length } = body.bytes;
    if (counted !== undefined) weigh(length);
    else if (operation !== null) service.doorRates.weighAddress(operation, address, length, service.now());
    return body;
  };
  const rawBody = (): Promise<RawBody> => {
    raw ??= readWhole();
    return raw;
  };
  return {
    service,
    request,
    url,
    params: parametersOf(pattern, path),
    address,
    isForAccount(accountId) {
      received.accountId = accountId;
    },
    countAccount(accountId) {
      received.accountId = accountId;
      count(accountId);
    },
    count,
    weigh,
    rawBody,
    isForGame(gameId) {
      received.gameId = gameId;
    },
    async body() {
      const body = (await rawBody()).parse();
      serviceControl.recordBody(record, body);
      return body;
    },
  };
}

/** What is read for an account counts for it; what is made while it is sent, piece by piece. */
function weighed(answer: Answer, { weigh }: Exchange): Answer {
  const { body } = answer;
  if (body === null) return answer;
  if (!isStream(body)) {
    weigh(lengthOfText(body));
    return answer;
  }
  const next = async (): Promise<Text | null> => {
    const piece = await body.next();
    if (piece !== null) weigh(lengthOfText(piece));
    return piece;
  };
  return { ...answer, body: { next, close: () => body.close() } };
}

/** A refusal says besides why a page could not read it: a browser says that nowhere, and whoever looks into it asks by hand. */
function refuse({ cors }: AppOptions, received: Received, { code, details }: Refusal, status?: number): Answer {
  const { record, requestId, isForPages, request, gameId } = received;
  record.code = code;
  received.limitName = details.limitName ?? null;
  const wayIn = isForPages ? cors.wayIn(request, gameId) : null;
  const detail = [...new Set([details.detail, wayIn])].filter(Boolean).join(' ');
  return problem({ code, details: wayIn === null ? details : { ...details, detail } }, requestId, status);
}

/** Adds the headers that every answer has. */
function complete({ cors }: AppOptions, received: Received, answer: Answer): Answer {
  received.record.status = answer.status;
  answer.headers.set(names.requestId, received.requestId);
  if (!answer.headers.has('Cache-Control')) answer.headers.set('Cache-Control', 'no-store');
  if (received.isForPages) received.wayIn = cors.apply(received.request, answer, received.gameId);
  return answer;
}

function logRequest({ service, log }: AppOptions, received: Received): void {
  const { request, record, requestId, startedAt, gameId, accountId, limitName, wayIn } = received;
  const { method, route, status, code } = record;
  // An address may name any game, and the log must not be filled with what anybody sends.
  const game = gameId !== null && service.games.has(gameId) ? gameId : null;
  const user = accountId === null ? null : service.pseudonymOf(accountId);
  const time = service.now();
  const reached = limitName === null ? {} : { limitName };
  const refused = wayIn === null ? {} : { origin: readableOrigin(request) };
  const ms = time - startedAt;
  log({ kind: 'request', time, requestId, method, route, game, user, status, code, ms, ...reached, ...refused });
}

/**
 * The id that a trusted proxy has given a request, so that its log and ours can be read together; null for any other.
 */
function givenRequestId(options: AppOptions, request: Request, arrival: Arrival): string | null {
  const given = trustedHeader(options, { request, arrival }, names.requestId);
  return given !== null && requestIdForm.test(given) ? given : null;
}

const requestIdForm = /^[\w.-]{1,64}$/;

/** A header of a request that a trusted proxy has sent; null of any other. */
function trustedHeader(
  { isTrusted }: AppOptions,
  { request, arrival: { address } }: Pick<Received, 'request' | 'arrival'>,
  name: string,
): string | null {
  return address !== undefined && isTrusted(address) ? request.headers.get(name) : null;
}

const knownMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** What an observer may know of a request. */
function observed(options: AppOptions, received: Received): ObservedRequest {
  const { request, operation, record, requestId } = received;
  const { method } = request;
  return {
    operation: received.isForPages && method === 'OPTIONS' ? 'preflight' : operation,
    route: record.route,
    method: knownMethods.has(method) ? method : 'OTHER',
    requestId,
    get status() {
      return record.status;
    },
    get code() {
      return record.code as FailureCode | null;
    },
    get user() {
      return received.accountId === null ? null : options.service.pseudonymOf(received.accountId);
    },
    trustedHeader: (name) => trustedHeader(options, received, name),
  };
}

/** For the log, which must not be filled with what anybody sends. */
function readableOrigin(request: Request): string {
  const origin = request.headers.get('Origin') ?? '';
  return originForm.test(origin) ? origin : '(unreadable)';
}

const originForm = /^[!-~]{1,256}$/;

/** What a lost connection looks like to the caller of `fetch`. */
class NoAnswer extends TypeError {
  constructor() {
    super('fetch failed');
  }
}

/** What a captive portal answers in the service's place. */
function portalPage(): Answer {
  const headers = new Map<string, string>([[names.contentType, 'text/html']]);
  return { status: 200, headers, body: '<!doctype html><title>Welcome</title>' };
}

function errorRecord(error: unknown, time: number, requestId: string) {
  const { name, message, stack } = error instanceof Error ? error : new Error('Something that is no Error was thrown.');
  return { kind: 'error' as const, time, requestId, name, message, stack: stack ?? null };
}
