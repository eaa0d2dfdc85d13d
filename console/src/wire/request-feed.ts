import { requestsAddress } from './gateway.js';
import { type SeenRequest, seenRequest } from './messages.js';

/** The requests that the service answers, as they come. */
export interface FeedListener {
  onRequest(request: SeenRequest): void;
  onState(state: 'connecting' | 'open' | 'refused'): void;
}

/** The pause after the first refusal, and the longest one, in ms. */
const [firstPauseMs, longestPauseMs] = [2_000, 60_000];

/**
 * Listens until the function that it gives back is called. The browser connects again by itself where a connection is
 * lost, and gives up where the answer is no feed: the session has ended, too many pages listen, or a proxy answers in the
 * place of the service. Then this asks again, each time after twice as long.
 */
export function followRequests({ onRequest, onState }: FeedListener): () => void {
  let stop: () => void = () => {};
  let refusals = 0;
  const connect = (): void => {
    const source = new EventSource(requestsAddress);
    stop = () => source.close();
    source.addEventListener('open', () => {
      refusals = 0;
      onState('open');
    });
    source.addEventListener('error', () => {
      if (source.readyState !== EventSource.CLOSED) return onState('connecting');
      const timer = setTimeout(connect, Math.min(longestPauseMs, firstPauseMs * 2 ** refusals));
      stop = () => clearTimeout(timer);
      refusals += 1;
      onState('refused');
    });
    source.addEventListener('request', ({ data }) => {
      const parsed = seenRequest.safeParse(parsedJson(data));
      if (parsed.success) onRequest(parsed.data);
    });
  };
  connect();
  return () => stop();
}

function parsedJson(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return null;
  }
}

/** The request as a command for a terminal. What the service has masked stays masked. */
export function curlOf({ method, path, details }: SeenRequest, origin: string): string {
  const parts = [`curl -sS -X ${method} ${quoted(origin + path)}`];
  for (const [name, value] of Object.entries(details?.requestHeaders ?? {})) {
    if (!ownHeaders.has(name.toLowerCase())) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  }
  if (details?.requestBody != null && details.requestBody !== '')
    parts.push(`--data-raw ${quoted(details.requestBody)}`);
  return parts.join(' \\\n  ');
}

/** What curl writes by itself. */
const ownHeaders = new Set(['host', 'content-length', 'connection', 'accept-encoding', 'transfer-encoding']);

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
