import { requestsAddress } from './gateway.js';
import { type SeenRequest, seenRequest } from './messages.js';

/** The requests that the service answers, as they come. */
export interface FeedListener {
  onRequest(request: SeenRequest): void;
  onState(state: 'connecting' | 'open' | 'closed'): void;
}

/** Listens until the function that it gives back is called. The browser connects again by itself. */
export function followRequests({ onRequest, onState }: FeedListener): () => void {
  const source = new EventSource(requestsAddress);
  source.addEventListener('open', () => onState('open'));
  source.addEventListener('error', () => onState(source.readyState === EventSource.CLOSED ? 'closed' : 'connecting'));
  source.addEventListener('request', ({ data }) => {
    const parsed = seenRequest.safeParse(parsedJson(data));
    if (parsed.success) onRequest(parsed.data);
  });
  return () => source.close();
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
