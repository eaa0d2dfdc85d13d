import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { failures } from '../protocol/failures.js';
import { portRoom, portTimeouts } from '../protocol/gaps/port-timeouts.js';
import { serviceSizes } from '../protocol/gaps/service-sizes.js';
import * as names from '../protocol/headers.js';
import { mediaTypes } from '../protocol/headers.js';
import { isServicePath } from '../protocol/operations.js';
import { type ByteBudget, createByteBudget } from './http/byte-budget.js';
import type { Crowd } from './http/connection-room.js';
import { createConnections, type Outgoing } from './http/node-connections.js';
import { bodyReader, writeAnswer, writeResponse } from './http/node-exchange.js';
import { peerAddressOf } from './http/peer-address.js';
import { directAnswerOf, type RequestSource, type Served } from './http/service-core.js';
import type { PortLimits } from './port-limits.js';

export type { Crowd } from './http/connection-room.js';
export type { PortLimits } from './port-limits.js';

/** Where and how a service is served. */
export interface ServeOptions {
  /** The TCP port to listen on; 4873 by default, and 0 takes a free one. */
  port?: number | undefined;
  /** The address to listen on. By default 127.0.0.1, which only this machine can reach; 0.0.0.0 is every address. */
  host?: string | undefined;
  /**
   * Answers requests that are not the service's, such as for a game's files, whose peer has the address `from.address`;
   * where it throws, the answer is 500.
   * Without it the service answers 404.
   */
  fallback?: ((request: Request, from: RequestSource) => Response | Promise<Response>) | undefined;
  /** How much a connection may send, and how long it may take. */
  limits?: PortLimits | undefined;
  /**
   * Is told, at once and then at most once a minute, that connections were closed because there were more than
   * `limits.connections` or `limits.connectionsPerAddress`: how many, and the address of the last one. It must not throw.
   */
  crowded?: ((crowd: Crowd) => void) | undefined;
}

/** A service that listens. */
export interface ServedBackend {
  /** The address to call, without a slash at its end, such as `http://127.0.0.1:4873`. */
  url: string;
  /** The TCP port that it listens on. */
  port: number;
  /** Takes no more connections, lets requests that run go on for `closeMs`, and then cuts them off. */
  close(): Promise<void>;
}

/** The port of `savepoint dev`. */
const usualPort = 4873;

/**
 * Puts a service behind an HTTP port, and resolves when it listens. `backend` is what `createBackend` makes, or any
 * object with such a `fetch`: one that is put before a service is always asked. Where the service cannot listen, it
 * rejects with a message that says why, and with Node's `code`, such as `EADDRINUSE` for a port that is taken. It
 * rejects with TypeError naming the option that is wrong.
 *
 * @example
 * const { url, close } = await serve(createBackend({ games: [{ id, privateKeys: [key] }] }), { port: 0 });
 */
export async function serve(backend: Served, options: ServeOptions = {}): Promise<ServedBackend> {
  const { port = usualPort, host = '127.0.0.1', fallback, limits = {}, crowded = () => {} } = options;
  check(typeof backend?.fetch === 'function', 'backend must be what createBackend makes');
  check(Number.isInteger(port) && port >= 0 && port <= 65_535, 'port must be an integer from 0 to 65535');
  check(typeof host === 'string' && host !== '', 'host must be a host name or an address');
  check(fallback === undefined || typeof fallback === 'function', 'fallback must be a function');
  check(typeof crowded === 'function', 'crowded must be a function');
  check(typeof limits === 'object' && limits !== null, 'limits must be an object');
  for (const [name, limit] of Object.entries(limits)) {
    check(
      limit === undefined || (Number.isSafeInteger(limit) && limit > 0),
      `limits.${name} must be an integer from 1 up`,
    );
  }

  const arriving = createByteBudget(limits.arrivingBytes ?? serviceSizes.arrivingBytes);
  const listener = createListener(backend, fallback, arriving);
  const headersMs = limits.headersMs ?? portTimeouts.headersMs;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes ?? serviceSizes.headerBytes,
      headersTimeout: headersMs,
      requestTimeout: Math.max(headersMs, limits.requestMs ?? portTimeouts.requestMs),
      keepAliveTimeout: limits.keepAliveMs ?? portTimeouts.keepAliveMs,
      connectionsCheckingInterval: Math.min(portTimeouts.checkEveryMs, headersMs),
    },
    (incoming, response) => {
      // A connection that its peer has reset has no address any more, so that no rate could count what it asks for.
      if (incoming.socket.remoteAddress === undefined) {
        incoming.socket.destroy();
        return;
      }
      connections.take(incoming, response, (outgoing) => listener(incoming, outgoing));
    },
  );
  const connections = createConnections(server, {
    room: {
      connections: limits.connections ?? portRoom.connections,
      connectionsPerAddress: limits.connectionsPerAddress ?? portRoom.connectionsPerAddress,
      isTrusted: (address) => backend.core?.isTrusted(address) ?? false,
      crowded,
      clock: () => performance.now(),
    },
    writeMs: limits.writeMs ?? portTimeouts.writeMs,
    unreadBytes: limits.unreadBytes ?? serviceSizes.unreadBytes,
    pipelined: limits.pipelined ?? serviceSizes.pipelinedRequests,
    arriving,
    closeMs: limits.closeMs ?? portTimeouts.closeMs,
  });
  await listen(server, { port, host });
  const bound = (server.address() as AddressInfo).port;
  return { url: `http://${callableHost(host)}:${bound}`, port: bound, close: connections.close };
}

type Listener = (incoming: IncomingMessage, outgoing: Outgoing) => Promise<unknown>;

function createListener(backend: Served, fallback: ServeOptions['fallback'], arriving: ByteBudget): Listener {
  async function answerRequest(request: Request, incoming: IncomingMessage, outgoing: Outgoing): Promise<void> {
    const address = peerAddressOf(incoming.socket);
    const isOurs = fallback === undefined || isServicePath(new URL(request.url).pathname);
    try {
      if (!isOurs) return await writeResponse(outgoing, await fallback(request, { address }));
      const answer = directAnswerOf(backend);
      if (answer === null) return await writeResponse(outgoing, await backend.fetch(request, { address }));
      const read = bodyReader(incoming, outgoing.response, arriving);
      await writeAnswer(outgoing, await answer(request, { address, read }));
    } catch (error) {
      if (!isOurs) return writeResponse(outgoing, new Response('The page could not be served.', { status: 500 }));
      // The service rejects where there should be no answer, such as `control.fail({ with: 'offline' })`.
      incoming.socket.destroy();
      throw error;
    }
  }

  return (incoming, outgoing) => {
    const listener = getRequestListener(
      async (request) => {
        await answerRequest(request, incoming, outgoing);
        return RESPONSE_ALREADY_SENT;
      },
      {
        overrideGlobalObjects: false,
        // A request of HTTP/1.0 need not have the header Host, and an address needs a host.
        hostname: 'localhost',
        errorHandler: (error) => (error instanceof RequestError ? badAddressAnswer() : undefined),
      },
    );
    return listener(incoming, outgoing.response as ServerResponse);
  };
}

/** The answer to a Host or a path of which no URL can be made, so that there is no Request to ask the service with. */
function badAddressAnswer(): Response {
  const { status, title } = failures.invalid_request;
  const body = { type: 'about:blank', title, status, code: 'invalid_request' };
  return new Response(JSON.stringify(body), { status, headers: { [names.contentType]: mediaTypes.problem } });
}

function listen(server: Server, { port, host }: { port: number; host: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      reject(
        Object.assign(new Error(describeListenError(error, { port, host }), { cause: error }), { code: error.code }),
      );
    };
    server.once('error', refuse);
    server.listen({ port, host }, () => {
      server.off('error', refuse);
      resolve();
    });
  });
}

function describeListenError(
  { code, message }: NodeJS.ErrnoException,
  { port, host }: { port: number; host: string },
): string {
  if (code === 'EADDRINUSE') return `Port ${port} of ${host} is taken.`;
  if (code === 'EACCES') return `Port ${port} of ${host} is not allowed to this user.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `${host} is no address of this machine.`;
  return `The service cannot listen on port ${port} of ${host}: ${message}`;
}

/** A host to call: 0.0.0.0 and :: mean every address of the machine, and no client can call them. */
function callableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function check(holds: boolean, message: string): void {
  if (!holds) throw new TypeError(message);
}
