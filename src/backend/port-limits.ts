/** How much a connection may send, and how long it may take. A request over the limit is refused or cut off by Node. */
export interface PortLimits {
  /**
   * How many connections a process has at once; 10,000 by default, each of 13 KB. For one more, another one of the
   * address with the most is closed, a trusted proxy's last.
   */
  connections?: number | undefined;
  /**
   * How many of these one address may have, or one /64 of IPv6; 1,000 by default, and any number for a trusted proxy.
   * For one more, the one is closed that has waited longest for a request, else the new one.
   */
  connectionsPerAddress?: number | undefined;
  /** The bytes of a request's headers; 16,384 by default. */
  headerBytes?: number | undefined;
  /** How long a client may take to send the headers, in ms; 10,000 by default. */
  headersMs?: number | undefined;
  /** How long a client may take to send a whole request, in ms; 15,000 by default, and never less than `headersMs`. */
  requestMs?: number | undefined;
  /** How long a connection may stay open without a request, in ms; 5,000 by default. */
  keepAliveMs?: number | undefined;
  /**
   * How long a client may take to read each 16 KiB of an answer, in ms; 15,000 by default. Then it is cut off, and what
   * waited for it is dropped.
   */
  writeMs?: number | undefined;
  /**
   * How many bytes of all answers together may wait for clients to read them; 64 MiB by default. Beyond that the oldest
   * answers to the address that most waits for are cut off.
   */
  unreadBytes?: number | undefined;
  /**
   * How many bytes of all requests' bodies together a process holds, from their first byte until their answer has
   * left; 64 MiB by default. Beyond that the oldest that is still arriving, of the address that most comes from, is
   * refused with `unavailable`. Requests that are sent ahead of their answers count whole.
   */
  arrivingBytes?: number | undefined;
  /**
   * How many requests a client may send on one connection ahead of their answers; 64 by default. One more cuts it off.
   */
  pipelined?: number | undefined;
  /** How long `close` lets requests that run go on, in ms; 3,000 by default. */
  closeMs?: number | undefined;
}
