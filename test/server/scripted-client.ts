import { isRefusedConnection } from '../../src/http/refused-connection.js';
import { createSender, type FetchLike } from '../../src/http/sender.js';
import { assembleServerClient } from '../../src/server/create-server-client.js';
import type { ServerClient, ServerClientOptions } from '../../src/server/index.js';
import { readOptions } from '../../src/server/options.js';

export const gameId = '6f1c3e0a-1f0e-4a52-9d0f-0f6f3c2b1a00';
export const userId = '0b7d4c55-6a53-4a3e-8d53-6f3f1d1e2a11';
export const privateKey = 'sk_test_8c1f0d2b7a6e5f4c3b2a1908';

export const validOptions: ServerClientOptions = {
  gameId,
  environment: 1,
  privateKey,
  baseUrl: 'https://saves.test',
  authUrl: 'https://auth.test',
};

export interface Asked {
  method: string;
  url: string;
  headers: Headers;
  body: string;
}

/** Answers one request; what it throws is a request that got no answer. */
export type Reply = (asked: Asked, index: number) => Response | Promise<Response>;

export interface Scripted {
  client: ServerClient;
  /** Every request that was sent, in order. */
  asked: Asked[];
}

/** A client on a network that answers as the test says, and that does not wait between tries. */
export function scripted(reply: Reply, options: Partial<ServerClientOptions> = {}): Scripted {
  const asked: Asked[] = [];
  const fetch: FetchLike = async (request) => {
    const { method, url, headers } = request;
    const one = { method, url, headers, body: await request.text() };
    asked.push(one);
    return reply(one, asked.length - 1);
  };
  const settings = readOptions({ ...validOptions, ...options, fetch });
  return {
    client: assembleServerClient(
      settings,
      createSender({ fetch, backOffMs: () => 0, wasRefused: isRefusedConnection }),
    ),
    asked,
  };
}

export function problem(status: number, code: string, more: Record<string, unknown> = {}): Response {
  const body = { type: 'about:blank', title: `Refused: ${code}.`, status, code, ...more };
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json' } });
}

/** The network as it is when there is none. */
export function offline(): never {
  throw new TypeError('fetch failed');
}
