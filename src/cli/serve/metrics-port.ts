import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServedBackend } from '../../backend/node.js';
import { portTimeouts } from '../../protocol/gaps/port-timeouts.js';
import { listening } from '../listening.js';

/** Prometheus asks every few seconds, on one connection. Nobody else has to be waited for. */
const limits = {
  headersTimeout: 5_000,
  requestTimeout: 5_000,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 8_192,
};
const maxConnections = 32;

/** The same for a command: a port that cannot be had is its caller's to set right. */
export function openMetrics(metrics: Shown, at: { port: number; host: string }): Promise<ServedBackend> {
  return listening('serve', () => showMetrics(metrics, at), '--metrics-port');
}

interface Shown {
  text(): Promise<string>;
  contentType: string;
}

/**
 * Shows metrics at `/metrics` of a port of their own, to whoever can reach it. Who asks at the same time shares one
 * collection. Rejects with Node's error where it cannot listen.
 */
export async function showMetrics(
  { text, contentType }: Shown,
  { port, host }: { port: number; host: string },
): Promise<ServedBackend> {
  let collecting: Promise<string> | null = null;
  const collected = (): Promise<string> => {
    collecting ??= text().finally(() => {
      collecting = null;
    });
    return collecting;
  };

  async function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const isRead = method === 'GET' || method === 'HEAD';
    if (url.split('?')[0] !== '/metrics') return void response.writeHead(404).end();
    if (!isRead) return void response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    try {
      const body = await collected();
      response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(body);
    } catch {
      response.writeHead(500).end();
    }
  }

  const server = createServer(
    { ...limits, connectionsCheckingInterval: portTimeouts.checkEveryMs },
    (request, response) => void answer(request, response),
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    port: bound,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
