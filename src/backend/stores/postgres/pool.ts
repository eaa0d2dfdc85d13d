import { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';

/** What the store uses of a `Pool` of the package pg. */
export interface PostgresPool {
  /** Takes a connection from the pool. */
  connect(): Promise<PostgresConnection>;
}

/** What the store uses of a connection of such a pool. */
export interface PostgresConnection {
  /** Runs one statement. */
  query(text: string, values?: unknown[]): Promise<PostgresResult>;
  /** Gives the connection back to the pool; with `true` it is closed instead. */
  release(destroy?: boolean): void;
  /** Listens for the end of the connection. */
  on?(event: 'error', listener: () => void): unknown;
  /** Stops to listen. */
  off?(event: 'error', listener: () => void): unknown;
  /** The number of the server's process, as the connection was told when it began. The clients of the package pg have it. */
  readonly processID?: number | null;
}

/** What a statement answers. */
export interface PostgresResult {
  /** Its rows, as objects by column. */
  rows: unknown[];
}

/** The connections of a pool. */
export interface PoolLoad {
  /** How many are open and in nobody's hands. */
  idle: number;
  /** How many somebody has, or waits for until they are open. */
  busy: number;
  /** How many calls wait for one. */
  waiting: number;
  /** How many there may be. */
  max: number;
}

/** A pool that the store made, and closes. */
export interface OwnPool extends PostgresPool {
  load(): PoolLoad;
  /** Settles when every connection is closed, by force where that takes too long. */
  end(): Promise<void>;
}

/** A pool of the package pg, which is imported only here. */
export async function openPool(
  { connectionString, max }: { connectionString: string; max: number },
  { connectMs, closeMs }: { connectMs: number; closeMs: number },
): Promise<OwnPool> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new Error('PostgreSQL needs the package pg: npm install pg', { cause });
  });
  const sockets = new Set<Socket>();
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: connectMs,
    // So that a database is noticed that is gone without having closed the connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: postgresTimeouts.keepAliveMs,
    idleTimeoutMillis: postgresTimeouts.idleMs,
    stream() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
  });
  // The next call replaces an idle connection that ends; without a listener the event would end the process.
  pool.on('error', () => {});
  return {
    connect: () => pool.connect(),
    load: () => ({
      idle: pool.idleCount,
      busy: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
      max,
    }),

    async end() {
      const closed = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      const ended = Promise.all([pool.end(), ...closed]);
      const waiting = new AbortController();
      const { signal } = waiting;
      await Promise.race([ended, wait(closeMs, undefined, { signal }).catch(() => {})]);
      waiting.abort();
      for (const socket of sockets) socket.destroy();
      await ended;
    },
  };
}
