import type { LogRecord } from '../../backend/index.js';
import { createEventStream, type EventStreamLimits } from './event-stream.js';
import type { ConsoleOptions, ConsoleRoute } from './options.js';
import { createRequestNumbers } from './request-numbers.js';

export type RequestRecord = Extract<LogRecord, { kind: 'request' }>;

/** What a page is shown of a request besides what the log has. */
export interface ShownRequest {
  path: string;
  user: string | null;
  details: object | null;
}

/** Sees what the service is asked, for the pages that watch. */
export interface RequestWatch {
  take(record: RequestRecord, shown?: ShownRequest): void;
  /** The addresses at which a page watches. */
  routes(findOperator: ConsoleOptions['findOperator']): { readonly [path: string]: ConsoleRoute };
  /** To be called every ten seconds. */
  beat(): Promise<void>;
  end(): void;
}

export interface RequestWatchOptions {
  stream: EventStreamLimits;
  /** How many requests a second are shown; the others are counted alone. */
  shownPerSecond: number;
  storeKind: string;
  /** How large the store is, in bytes; null where nobody knows. */
  storeBytes(): Promise<number | null>;
  version: string;
  /** The id of this process, where several serve on one port; null where it serves alone. */
  process: number | null;
  now(): number;
}

export const beatMs = 10_000;

export function createRequestWatch(options: RequestWatchOptions): RequestWatch {
  const { shownPerSecond, storeKind, storeBytes, version, now } = options;
  const startedAt = now();
  const stream = createEventStream(options.stream);
  const numbers = createRequestNumbers(now);
  let shown = { second: 0, requests: 0 };

  function isShown(): boolean {
    const second = Math.floor(now() / 1000);
    shown = second === shown.second ? { second, requests: shown.requests + 1 } : { second, requests: 1 };
    return shown.requests <= shownPerSecond;
  }

  return {
    take(record, { path, user, details } = { path: record.route ?? '', user: record.user, details: null }) {
      numbers.take(record);
      if (!isShown()) return;
      const { requestId: id, time, method, route, status, code, ms, game } = record;
      stream.publish({ id, data: { id, time, method, route, path, status, code, ms, game, user, details } });
    },

    routes: (findOperator) => ({
      requests: {
        GET: ({ request, visitor: { key, expiresAt } }) =>
          stream.listen({
            after: request.headers.get('Last-Event-ID'),
            isAllowed: async () => (expiresAt === null || expiresAt > now()) && (await findOperator(key)) !== null,
          }),
      },
      overview: {
        GET: async () =>
          Response.json({
            storeKind,
            // Where the store does not answer, the page shows the rest all the same.
            storeBytes: await storeBytes().catch(() => null),
            process: options.process,
            uptimeMs: now() - startedAt,
            memoryBytes: process.memoryUsage.rss(),
            version,
            requests: numbers.read(),
          }),
      },
    }),

    beat: stream.beat,
    end: stream.end,
  };
}
