/** How much a connection may send, and how long it may take. A request over the limit is refused or cut off by Node. */
export interface PortLimits {
  /**
   * How many connections a process has at once; 10,000 by default, and each takes some 13 KB and a file descriptor. For
   * one more, another one of the address that has the most is closed, first one that waits for a request. A trusted
   * proxy's are closed only where there are no others.
   */
  connections?: number | undefined;
  /**
   * How many of these may be from one address, or from one half of IPv6 addresses; 1,000 by default. For one more, the
   * one is closed that has waited for a request for longest, or the new one where none does. It does not hold for
   * trusted proxies.
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
   * refused with `unavailable`. What a client sends ahead of its answers (`pipelined`) counts with its headers, and its
   * connection is closed.
   */
  arrivingBytes?: number | undefined;
  /**
   * How many requests a client may send on one connection ahead of their answers; 64 by default. They are answered one
   * after the other, and a client that sends more of them is cut off.
   */
  pipelined?: number | undefined;
  /** How long `close` lets requests that run go on, in ms; 3,000 by default. */
  closeMs?: number | undefined;
}
