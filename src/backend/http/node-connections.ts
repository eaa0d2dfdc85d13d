import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pauseOfProcess } from '../slices.js';
import { type ByteBudget, createByteBudget, type HeldBytes } from './byte-budget.js';
import { createConnectionRoom, type Room } from './connection-room.js';
import { peerAddressOf } from './peer-address.js';

/** What a request takes beside its texts, about. */
const requestBytes = 2_048;
/** So much Node reads at once. */
const chunkBytes = 65_536;

/** What a port's connections may take: times in ms, sizes in bytes. */
export interface ConnectionLimits {
  /** How many connections there may be. */
  room: Room;
  /** How long a client may take for 16 KiB of an answer. */
  writeMs: number;
  /** How much of all answers may wait for their clients. */
  unreadBytes: number;
  /** How many requests a client may send ahead of their answers. */
  pipelined: number;
  /** Holds the bytes of these. */
  arriving: ByteBudget;
  /** How long `close` lets requests that run go on. */
  closeMs: number;
}

/** An answer on its way to a client, who may read slowly or not at all. */
export interface Outgoing {
  readonly response: ServerResponse;
  /** Whose answer it is: the peer's address, unless the service knows better. */
  address: string;
  /**
   * Writes a piece, and settles when the next one may follow; false where the connection was
   * cut. So many bytes of memory are held until the next one.
   */
  write(piece: Uint8Array, heldBytes: number): Promise<boolean>;
  /** Lets others be served. */
  pause(): Promise<void>;
  /** In ms, from any moment on. */
  clock(): number;
  /** Nothing more of the answer is held. */
  end(): void;
}

/** The connections of a port. */
export interface Connections {
  /** Answers a request as soon as those before it on its connection are answered. */
  take(incoming: IncomingMessage, response: ServerResponse, answer: (outgoing: Outgoing) => Promise<unknown>): void;
  /** Takes no more connections, ends those that wait for a request, and the others after `closeMs`. */
  close(): Promise<void>;
}

interface Connection {
  /** The requests that are not answered yet, the running one among them. */
  requests: number;
  /** Those that wait for it, with the bytes that each takes meanwhile. */
  waiting: { run(): void; incoming: IncomingMessage; bytes: number }[];
  /** What these hold; absent where none waits. */
  held?: HeldBytes | undefined;
}

/**
 * Watches a server's connections. Nobody can make the service hold more than it says by not reading: one answer at a
 * time is made for a connection, it is written as fast as it is read, and who takes nothing for too long is cut off.
 */
export function createConnections(server: Server, limits: ConnectionLimits): Connections {
  const connections = new Map<Socket, Connection>();
  const room = createConnectionRoom(limits.room);
  const unread = createByteBudget(limits.unreadBytes);
  let closed: Promise<void> | undefined;

  server.on('connection', (socket: Socket) => {
    connections.set(socket, { requests: 0, waiting: [] });
    socket.once('close', () => {
      const connection = connections.get(socket);
      connection?.held?.end();
      // Nothing more is done for a client that has gone.
      for (const { incoming } of connection?.waiting.splice(0) ?? []) letGo(incoming);
      connections.delete(socket);
      room.leave(socket);
    });
    room.enter(socket);
  });

  function startAnswer(response: ServerResponse): Outgoing & { flush(): void } {
    let held: HeldBytes | undefined;
    return {
      response,
      address: peerAddressOf(response.socket ?? {}) ?? '',
      async write(piece, heldBytes) {
        if (response.destroyed) return false;
        held ??= unread.begin(this.address, () => response.destroy());
        held.hold(heldBytes);
        return response.write(piece) || drained(response, limits.writeMs);
      },
      pause: pauseOfProcess,
      clock: () => performance.now(),
      end: () => held?.end(),
      flush() {
        held?.end();
        if (response.writableFinished || response.destroyed) return;
        const timer = setTimeout(() => response.destroy(), limits.writeMs);
        // A small answer, or the end of a large one, that the system does not take: it holds more for the client already.
        const rest = response.writableLength > 0 ? unread.begin(this.address, () => response.destroy()) : null;
        rest?.hold(response.writableLength);
        response.once('close', () => {
          clearTimeout(timer);
          rest?.end();
        });
      },
    };
  }

  return {
    take(incoming, response, answer) {
      const { socket } = incoming;
      const connection = connections.get(socket);
      if (connection === undefined || connection.waiting.length >= limits.pipelined) {
        socket.destroy();
        // Its body may still come from what has been read.
        incoming.once('close', () => letGo(incoming));
        return;
      }
      connection.requests += 1;
      room.work(socket);
      response.once('close', () => {
        connection.requests -= 1;
        if (connection.requests === 0) room.rest(socket);
        // For a client that has gone, nothing more is done.
        const next = socket.destroyed ? undefined : connection.waiting.shift();
        holdWaiting(limits.arriving, socket, connection);
        next?.run();
        if (connection.requests === 0 && closed !== undefined) socket.destroySoon();
      });
      const run = (): void => {
        const outgoing = startAnswer(response);
        answer(outgoing).then(
          () => outgoing.flush(),
          () => response.destroy(),
        );
      };
      if (connection.requests === 1) run();
      else {
        connection.waiting.push({ run, incoming, bytes: bytesAhead(incoming) });
        holdWaiting(limits.arriving, socket, connection);
      }
    },

    close() {
      closed ??= new Promise((resolve) => {
        const end = (): void => {
          for (const socket of connections.keys()) socket.destroy();
        };
        const timer = setTimeout(end, limits.closeMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        // Node alone would wait for those that have not sent a request yet.
        for (const [socket, { requests }] of connections) if (requests === 0) socket.destroy();
      });
      return closed;
    },
  };
}

/** Nobody makes the service hold more than it may by sending requests ahead: then their connection goes. */
function holdWaiting(arriving: ByteBudget, socket: Socket, connection: Connection): void {
  if (connection.waiting.length === 0) {
    connection.held?.end();
    connection.held = undefined;
    return;
  }
  connection.held ??= arriving.begin(peerAddressOf(socket) ?? '', () => socket.destroy());
  connection.held.hold(connection.waiting.reduce((sum, { bytes }) => sum + bytes, 0));
}

/**
 * What Node keeps of a request that nobody reads: its headers, as texts and in the bytes that came with a piece of the
 * body, and of the body what it takes before it stops reading.
 */
function bytesAhead({ rawHeaders, headers, readableHighWaterMark }: IncomingMessage): number {
  const ofHeaders = rawHeaders.reduce((sum, text) => sum + 2 * text.length, requestBytes);
  const most = readableHighWaterMark + chunkBytes;
  if (headers['transfer-encoding'] !== undefined) return ofHeaders + most;
  return ofHeaders + Math.min(Number(headers['content-length'] ?? 0), most);
}

/**
 * Empties a request that nobody answers any more. Node keeps it as long as the one before it on its connection runs, though
 * that is cut: whoever sent much ahead, was cut off and came again made the service hold all of it.
 */
function letGo(incoming: IncomingMessage): void {
  incoming.read();
  incoming.rawHeaders = [];
  incoming.headers = {};
  incoming.url = '';
}

/** Settles when the client has taken what was written; false where it did not within `ms`, or has gone. */
function drained(response: ServerResponse, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isDrained: boolean): void => {
      clearTimeout(timer);
      response.off('drain', drain).off('close', gone);
      resolve(isDrained);
    };
    const drain = (): void => settle(true);
    const gone = (): void => settle(false);
    const timer = setTimeout(() => response.destroy(), ms);
    response.on('drain', drain).on('close', gone);
  });
}
