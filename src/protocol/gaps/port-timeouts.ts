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
} as const;

/** How a service on a port ends when it is asked to (docs/limits.md). */
export const drainDefaults = {
  /** How long it still accepts requests while `/health` already answers 503, so that a load balancer sends players elsewhere. */
  noticeMs: 0,
  /** How long requests may then go on before they are cut off. */
  maxMs: seconds(10),
} as const;

/** How much of the log may wait for whoever reads it; what comes then is dropped, and a line says how much that was. */
export const logBytes = kibibytes(4_096);
