import { hours, seconds } from './units.js';

/** How many connections a process has to PostgreSQL. */
export const postgresConnections = 10;

/** How long a service on PostgreSQL waits for it (docs/scaling.md#postgresql). */
export const postgresTimeouts = {
  /** For a connection: a new one, or one that others use. */
  connectMs: seconds(10),
  /** For the answer to a statement. Then its connection is given up, and the others are looked at. */
  statementMs: seconds(10),
  /** How long a step of a migration may take, which may have to read a whole table. */
  migrationMs: hours(1),
  /** So long a transaction may do nothing before PostgreSQL ends it: whoever hangs in it holds an account's lock. */
  idleInTransactionMs: seconds(15),
  /** How long what still runs may go on when a store is closed. */
  closeMs: seconds(5),
  /** How long a connection of the store's own pool may be idle before it is closed. */
  idleMs: seconds(10),
  /** How long such a connection says nothing before the system asks whether the database is there still. */
  keepAliveMs: seconds(10),
} as const;
