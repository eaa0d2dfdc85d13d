import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder as the build of the console leaves one. */
export function pageFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>savepoint</title>');
  writeFileSync(join(folder, 'assets', 'index-B2x9_kQ1.js'), 'export {};');
  writeFileSync(
    join(folder, 'assets', 'large-B2x9_kQ2.js'),
    `export default ${JSON.stringify('of a page '.repeat(1_000))};`,
  );
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  return folder;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
  json(): any;
}

export interface Asked {
  method?: string;
  headers?: { [name: string]: string };
  /** Sent as JSON. */
  body?: unknown;
}

/** A request with whatever headers, Host too, and a path that nobody tidies up. */
export function ask(url: string, path: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const sent = body === undefined ? null : JSON.stringify(body);
  const type =
    sent === null ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers: { ...type, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) });
      });
    });
    asked.on('error', reject);
    asked.end(sent ?? undefined);
  });
}

/** A browser with the console open: it keeps the cookie, and says of each request that the page has sent it. */
export interface ConsolePage {
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** The same with the token of the session. */
  change(path: string, asked: Asked): Promise<Answered>;
  signIn(key: string, asked?: Asked): Promise<Answered>;
  /** Asks who is signed in, and takes the token over. */
  session(): Promise<Answered>;
  cookie(): string | null;
  csrf(): string;
}

export function openPage(url: string, own: { [name: string]: string } = {}): ConsolePage {
  let cookie: string | null = null;
  let csrf = '';

  async function send(path: string, { headers = {}, ...asked }: Asked = {}): Promise<Answered> {
    const sent = { 'sec-fetch-site': 'same-origin', ...own, ...(cookie === null ? {} : { cookie }), ...headers };
    const answered = await ask(url, `/console/${path}`, { ...asked, headers: sent });
    for (const set of answered.headers['set-cookie'] ?? []) {
      cookie = set.includes('Max-Age=0') ? null : (set.split(';')[0] ?? null);
    }
    return answered;
  }

  async function session(): Promise<Answered> {
    const answered = await send('session');
    csrf = answered.json().csrf ?? '';
    return answered;
  }

  return {
    ask: send,
    change: (path, asked) => send(path, { ...asked, headers: { 'savepoint-console': csrf, ...asked.headers } }),
    async signIn(key, asked = {}) {
      const answered = await send('session', { method: 'POST', body: { key }, ...asked });
      if (answered.status === 200) csrf = answered.json().csrf;
      return answered;
    },
    session,
    cookie: () => cookie,
    csrf: () => csrf,
  };
}

/** A browser's EventSource. */
export interface Listening {
  status: number;
  headers: IncomingHttpHeaders;
  /** The requests that it has been told of. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
  requests: any[];
  /** All that came, as it came. */
  text(): string;
  /** Settles when the answer ends or is cut off. */
  ended: Promise<void>;
  close(): void;
}

export function listen(url: string, headers: { [name: string]: string } = {}): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const sent = { accept: 'text/event-stream', 'sec-fetch-site': 'same-origin', ...headers };
    const asked = request(`${url}/console/requests`, { headers: sent }, (response) => {
      let text = '';
      // biome-ignore lint/suspicious/noExplicitAny: as above.
      const requests: any[] = [];
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const events = text.split('\n\n').slice(0, -1);
        requests.splice(0, requests.length, ...events.flatMap((event) => dataOf(event)));
      });
      const ended = new Promise<void>((settle) => void response.on('close', settle).on('error', () => settle()));
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        requests,
        text: () => text,
        ended,
        close: () => void asked.destroy(),
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

function dataOf(event: string): unknown[] {
  const data = /^data: (.*)$/m.exec(event)?.[1];
  return data === undefined ? [] : [JSON.parse(data)];
}
