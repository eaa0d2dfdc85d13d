import { seconds } from './units.js';

/** Time-outs of the HTTP port (docs/interface.md#limits). */
export const portTimeouts = {
  headersMs: seconds(10),
  requestMs: seconds(15),
  keepAliveMs: seconds(5),
} as const;
