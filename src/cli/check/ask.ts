import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

/** A request as it is to arrive: unlike `fetch`, this one sends paths, headers and origins as they are written. */
export interface Ask {
  method?: string;
  /** Below the service's address. */
  path: string;
  headers?: readonly (readonly [string, string])[];
  body?: string;
}

export interface Answer {
  status: number;
  headers: { readonly [name: string]: string | readonly string[] | undefined };
  text: string;
  /** Undefined where the body is no JSON. */
  json: unknown;
}

const patienceMs = 10_000;

/** Sends a request on a connection of its own. Rejects where no answer comes within 10 s. */
export function ask(address: string, { method = 'GET', path, headers = [], body }: Ask): Promise<Answer> {
  const url = new URL(address);
  const sent: { [name: string]: string[] } = {};
  for (const [name, value] of headers) sent[name] = [...(sent[name] ?? []), value];
  if (body !== undefined) sent['Content-Length'] = [String(Buffer.byteLength(body))];
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? secure : plain)({
      method,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      path: encoded(url.pathname.replace(/\/$/, '') + path),
      headers: Object.fromEntries(Object.entries(sent).map(([name, values]) => [name, lone(values)])),
      agent: false,
      signal: AbortSignal.timeout(patienceMs),
    });
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
      });
    });
    // Whoever refuses a large body may close before all of it is sent; the answer, if there is one, comes first.
    request.on('error', reject);
    request.end(body);
  });
}

function lone(values: string[]): string | string[] {
  return values.length === 1 ? (values[0] ?? '') : values;
}

/** Node takes no other characters in a path; what is escaped stays as it is. */
function encoded(path: string): string {
  return path.replace(/[^\x21-\x7e]+/gu, encodeURIComponent);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
