import { seconds } from './units.js';

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
