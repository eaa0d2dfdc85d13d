import { randomBytes } from 'node:crypto';
import { createAddressOf, createIsTrusted } from '../../backend/http/peer-address.js';
import type { Log, LogRecord } from '../../backend/index.js';
import { type Console, createConsole } from '../console/gateway.js';
import { type GivenLimits, limitsRoute } from '../console/limits-in-use.js';
import { createRequestWatch, type RequestWatch, type RequestWatchOptions } from '../console/request-watch.js';
import { createSealedSessions } from '../console/sealed-sessions.js';
import { lookedUp } from '../console/signed-out.js';
import { signedIn } from '../console/visitors.js';
import type { Front } from './front.js';
import type { Reloadable } from './reloadable.js';

/** Writes a line about the service itself. */
export type Say = (kind: string, more: { [name: string]: unknown }) => void;

export interface ServedConsoleOptions {
  service: Pick<Reloadable, 'current' | 'settings'>;
  front: Pick<Front, 'core'>;
  watch: Pick<RequestWatch, 'routes'>;
  /** Limits that a reload leaves as they are. */
  atStart: Pick<GivenLimits, 'port' | 'postgres'>;
  /** The folder of the page's files. */
  folder: string;
  log: Log;
  say: Say;
  now(): number;
}

/**
 * The console of `savepoint serve`. Operators sign in with their keys; their sessions are sealed by the service's
 * signing key, so that every process of the service, and the next start, knows them.
 */
export function createServedConsole({
  service,
  front,
  watch,
  atStart,
  folder,
  log,
  say,
  now,
}: ServedConsoleOptions): Console {
  const isTrusted = (address: string): boolean =>
    createIsTrusted(service.settings().backend.trustedProxies ?? [])(address);
  const sessions = createSealedSessions({
    secrets() {
      const { signingKey, formerSigningKeys = [] } = service.settings().backend;
      return [signingKey, ...formerSigningKeys].flatMap((key) => key?.d ?? []);
    },
    random: (size) => randomBytes(size),
    now,
  });
  const limits = (): GivenLimits => {
    const { backend, drain } = service.settings();
    return { ...atStart, limits: backend.limits, drain };
  };
  const signedOut = lookedUp(
    {
      end: (session) => service.current().consoleSessions.end(session),
      hasEnded: (id) => service.current().consoleSessions.hasEnded(id),
    },
    now,
  );
  const findOperator = (key: string) => service.current().findOperator(key);
  return createConsole({
    mode: 'serve',
    folder,
    service: front.core.answer,
    findOperator,
    async noteSignIn(operator, from) {
      await service.current().noteSignIn(operator, from);
      say('console-sign-in', { operator: operator.name, scope: operator.scope, from });
    },
    routes: { ...watch.routes(), ...limitsRoute(limits) },
    games: () => service.settings().backend.games.map(({ id }) => id.toLowerCase()),
    visitors: signedIn(sessions, { now, isPlainAllowed: false, signedOut }),
    link: null,
    // The service itself warns of a proxy that nobody has named.
    peers: { isTrusted, addressOf: createAddressOf(isTrusted, () => {}) },
    checkHost() {},
    devFacts: null,
    report(error) {
      const { name, message, stack } =
        error instanceof Error ? error : new Error('Something that is no Error was thrown.');
      log({ kind: 'error', time: now(), requestId: null, name, message, stack: stack ?? null });
    },
    now,
  });
}

/** What the list of requests may hold up: operators look at it, and players must not wait for that. */
const streamWaitingBytes = 256 * 1024;
const streamListeners = 16;
const shownPerSecond = 20;

/** What operators see of the requests that players and games send: some of them, and nothing of what was in one. */
export function createServedWatch(
  given: Pick<RequestWatchOptions, 'storeKind' | 'storeBytes' | 'version' | 'others' | 'now'>,
): {
  watch: RequestWatch;
  take(record: LogRecord): void;
} {
  const watch = createRequestWatch({
    ...given,
    stream: { remembered: { events: 0, bytes: 0 }, waitingBytes: streamWaitingBytes, listeners: streamListeners },
    shownPerSecond,
  });
  return {
    watch,
    take(record) {
      // What operators ask, this page too, is in the audit log.
      if (record.kind === 'request' && !(record.route?.startsWith('/v2/admin/') ?? false)) watch.take(record);
    },
  };
}
