import { kibibytes, seconds } from './units.js';

/** Time-outs of the HTTP port (docs/interface.md#limits). */
export const portTimeouts = {
  headersMs: seconds(10),
  requestMs: seconds(15),
  keepAliveMs: seconds(5),
  /** How long a client may take for each 16 KiB of an answer. */
  writeMs: seconds(15),
  /** How long requests that run may go on once the port closes. */
  closeMs: seconds(3),
  /**
   * How often a port, that of the metrics too, looks for connections that have taken too long: each may take so much
   * longer. By itself Node looks every 30 s.
   */
  checkEveryMs: seconds(0.5),
} as const;

/** How many connections an HTTP port has (docs/limits.md). */
export const portRoom = {
  connections: 10_000,
  connectionsPerAddress: 1_000,
} as const;

/** How a service on a port ends when it is asked to (docs/limits.md). */
export const drainDefaults = {
  /**
   * How long it still accepts requests while `/health` already answers 503, so that a load balancer
   * sends players elsewhere.
   */
  noticeMs: 0,
  /** How long requests may then go on before they are cut off. */
  maxMs: seconds(10),
} as const;

/** `savepoint serve --processes` (docs/scaling.md#several-processes). */
export const processDefaults = {
  /** How many processes there may be on one machine. */
  processes: 64,
  /** A process that ends sooner than this after its start waits before it is started again. */
  processSoundMs: seconds(10),
  /** How long such a process waits the first time; twice as long each time after that. */
  processPauseMs: seconds(0.5),
  /** How long such a process waits at most. */
  longestProcessPauseMs: seconds(30),
} as const;

/** How much of the log may wait for whoever reads it; what comes then is dropped, and a line says how much that was. */
export const logBytes = kibibytes(4_096);
