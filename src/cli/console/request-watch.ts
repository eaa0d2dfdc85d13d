import type { LogRecord } from '../../backend/index.js';
import { createEventStream, type EventStreamLimits } from './event-stream.js';
import type { ConsoleRoute } from './options.js';
import { createPlayersNow, type MarksByGame, playersOf } from './players-now.js';
import { countedOf, createRequestNumbers, type RequestStep } from './request-numbers.js';

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
  routes(): { readonly [path: string]: ConsoleRoute };
  /** What this process knows of itself, for another one. */
  told(): ToldNumbers;
  /** To be called every three seconds, so that a page whose session has ended listens for no longer. */
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
  /** The processes that serve on the same port; null where this one serves alone. */
  others: OtherProcesses | null;
  now(): number;
}

/** A request, as pages are shown it. */
export interface ShownEvent {
  id: string;
  data: object;
}

/** The processes beside this one, whose requests its pages show as well. */
export interface OtherProcesses {
  /** What each of them tells (`ToldNumbers`); null for one that does not answer in time. */
  gather(): Promise<unknown[]>;
  /** Sends a request to the pages of the others. */
  show(event: ShownEvent): void;
  /** Called for a request of another one. */
  onShown(listener: (event: ShownEvent) => void): void;
  /** Says whether a page of this one watches. */
  hear(isHeard: boolean): void;
}

/** What a process knows of itself. */
export interface ToldNumbers {
  steps: RequestStep[];
  players: MarksByGame;
  memoryBytes: number;
  uptimeMs: number;
}

export function createRequestWatch(options: RequestWatchOptions): RequestWatch {
  const { shownPerSecond, storeKind, storeBytes, version, others, now } = options;
  const startedAt = now();
  const stream = createEventStream(options.stream, (isHeard) => others?.hear(isHeard));
  others?.onShown(stream.publish);
  const numbers = createRequestNumbers(now);
  const players = createPlayersNow(now);
  let shown = { second: 0, requests: 0 };

  const told = (): ToldNumbers => ({
    steps: numbers.steps(),
    players: players.marks(),
    memoryBytes: process.memoryUsage.rss(),
    uptimeMs: now() - startedAt,
  });

  function isShown(): boolean {
    const second = Math.floor(now() / 1000);
    shown = second === shown.second ? { second, requests: shown.requests + 1 } : { second, requests: 1 };
    return shown.requests <= shownPerSecond;
  }

  return {
    take(record, { path, user, details } = { path: record.route ?? '', user: record.user, details: null }) {
      numbers.take(record);
      players.take(record);
      if (!isShown()) return;
      const { requestId: id, time, method, route, status, code, ms, game } = record;
      const event = { id, data: { id, time, method, route, path, status, code, ms, game, user, details } };
      stream.publish(event);
      others?.show(event);
    },

    routes: () => ({
      requests: {
        GET: ({ request, stillCounts }) =>
          stream.listen({ after: request.headers.get('Last-Event-ID'), isAllowed: stillCounts }),
      },
      overview: {
        async GET() {
          const elsewhere = (await others?.gather()) ?? [];
          const all = [told(), ...(elsewhere.filter((one) => one !== null) as ToldNumbers[])];
          return Response.json({
            storeKind,
            // Where the store does not answer, the page shows the rest all the same.
            storeBytes: await storeBytes().catch(() => null),
            processes: { told: all.length, of: elsewhere.length + 1 },
            uptimeMs: Math.max(...all.map(({ uptimeMs }) => uptimeMs)),
            memoryBytes: all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
            version,
            players: playersOf(all.map(({ players: marks }) => marks)),
            requests: countedOf(all.map(({ steps }) => steps)),
          });
        },
      },
    }),

    told,
    beat: stream.beat,
    end: stream.end,
  };
}
