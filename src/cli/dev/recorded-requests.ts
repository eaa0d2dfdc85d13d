import { AsyncLocalStorage } from 'node:async_hooks';
import { type Answer, isStream, wholeText } from '../../backend/http/answers.js';
import type { App } from '../../backend/http/app.js';
import { claimedPlayerOf } from '../../backend/http/claimed-player.js';
import type { LogRecord } from '../../backend/index.js';
import * as names from '../../protocol/headers.js';
import { explainSignature, type SignedAttempt } from '../console/explain-signature.js';
import { createMasked } from '../console/masked.js';
import type { RequestRecord, RequestWatch } from '../console/request-watch.js';

/** What is kept of a request while it runs. */
interface Exchange {
  /** Null as long as the service has not read it. */
  body: Uint8Array | null;
  /** The service's clock when it came. */
  now: number;
  record: RequestRecord | null;
}

export interface RequestRecorder {
  /** The same service, whose requests the watch is shown with all that may be shown of them. */
  recorded(app: App): App;
  /**
   * Takes the service's log; says whether the line is of a request of the port, and not of what
   * the program asks itself.
   */
  take(record: RequestRecord): boolean;
}

export interface RequestRecorderOptions {
  watch: Pick<RequestWatch, 'take'>;
  games: SignedAttempt['games'];
  /** More secrets that are shown to nobody. */
  secrets: readonly string[];
  /** The service's clock. */
  now(): number;
}

/** Only the preset knows which settings of a platform are secrets, and a token that is tried is one. */
function holdsSettings({ pathname }: URL): boolean {
  return /^\/v2\/admin\/games\/[^/]+\/platforms\//.test(pathname);
}

/** So much of an answer that is made while it is sent is kept to be shown. */
const keptCharacters = 256 * 1024;

/** Shows a developer what games ask `savepoint dev`. */
export function createRequestRecorder({ watch, games, secrets, now }: RequestRecorderOptions): RequestRecorder {
  const running = new AsyncLocalStorage<Exchange>();
  const masked = createMasked([...secrets, ...games.flatMap(({ privateKeys }) => privateKeys)]);

  async function show(request: Request, exchange: Exchange, answer: Answer | null, text: string | null): Promise<void> {
    const { record } = exchange;
    if (record === null) return;
    const body = exchange.body ?? new Uint8Array();
    const sentBytes = Number(request.headers.get('Content-Length') ?? 0);
    const url = new URL(request.url);
    const isSigned = request.headers.has(names.signedHeaders.signature) || record.route === '/v2/auth/server';
    const attempt = { headers: request.headers, body, games, now: exchange.now, code: record.code };
    const mediaType = answer?.headers.get(names.contentType) ?? null;
    watch.take(record, {
      path: masked.path(url),
      user: claimedPlayerOf(request, url.pathname) ?? userOf(text),
      details: {
        requestHeaders: masked.headers(request.headers),
        requestBody: holdsSettings(url)
          ? '[settings of a platform]'
          : masked.body(new TextDecoder().decode(body), null),
        ...(exchange.body === null && sentBytes > 0 ? { unreadBytes: sentBytes } : {}),
        responseHeaders: masked.headers(answer?.headers ?? []),
        responseBody: masked.body(text, mediaType),
        signature: isSigned ? await explainSignature(attempt) : null,
      },
    });
  }

  return {
    recorded: (app) => async (request, arrival) => {
      const exchange: Exchange = { body: null, now: now(), record: null };
      const read: typeof arrival.read = async (maxBytes, address) => {
        const bytes = (await arrival.read?.(maxBytes, address)) ?? null;
        if (bytes instanceof Uint8Array) exchange.body = bytes;
        return bytes;
      };
      const shown = (answer: Answer | null, text: string | null): void => {
        // Nobody's request fails because it cannot be shown.
        void show(request, exchange, answer, text).catch(() => {});
      };
      try {
        const given = arrival.read === undefined ? arrival : { ...arrival, read };
        const answer = await running.run(exchange, () => app(request, given));
        return watched(answer, (text) => shown(answer, text));
      } catch (error) {
        shown(null, null);
        throw error;
      }
    },

    take(record) {
      const exchange = running.getStore();
      if (exchange !== undefined) exchange.record = record;
      return exchange !== undefined;
    },
  };
}

/** The same answer; `sent` is called with its text once that is whole or dropped. */
function watched(answer: Answer, sent: (text: string | null) => void): Answer {
  const { body } = answer;
  if (!isStream(body)) {
    sent(body && wholeText(body));
    return answer;
  }
  let text = '';
  let isOver = false;
  return {
    ...answer,
    body: {
      async next() {
        const piece = await body.next();
        if (text.length < keptCharacters) text += wholeText(piece ?? '');
        return piece;
      },
      close() {
        body.close();
        if (!isOver) sent(text);
        isOver = true;
      },
    },
  };
}

/** The player who has just signed in. */
function userOf(text: string | null): string | null {
  return /^\{[^{]*?"userId":"([0-9a-f-]{36})"/.exec(text ?? '')?.[1] ?? null;
}

export function isRequest(record: LogRecord): record is RequestRecord {
  return record.kind === 'request';
}
