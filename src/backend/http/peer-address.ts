import { signedHeaders } from '../../protocol/headers.js';
import { ipAddress } from '../../protocol/messages.js';

/** Peers whose header X-Forwarded-For is believed: a list of addresses, or a function that decides for each address. */
export type TrustedProxies = readonly string[] | ((address: string) => boolean);

/** The address of a connection's peer: a port for both kinds of addresses has IPv4 ones in the form of IPv6. */
export function peerAddressOf({ remoteAddress }: { remoteAddress?: string | undefined }): string | undefined {
  return remoteAddress?.replace(/^::ffff:/, '');
}

/** Whether what a peer says of others is believed. */
export function createIsTrusted(trusted: TrustedProxies): (address: string) => boolean {
  return (address) => (typeof trusted === 'function' ? trusted(address) : trusted.includes(address));
}

/**
 * Finds the player's address. Spec gap: it is the socket's, unless that is a trusted proxy's: then it is the last
 * address in X-Forwarded-For that is not one of a trusted proxy. `warn` is called once, for the first player's request
 * that comes with that header from a peer that is not trusted: it may be a proxy that nobody has named.
 */
export function createAddressOf(isTrusted: (address: string) => boolean, warn: (address: string) => void) {
  let hasWarned = false;
  return (request: Request, socketAddress: string | undefined): string | undefined => {
    if (socketAddress === undefined) return socketAddress;
    if (!isTrusted(socketAddress)) {
      // A game's back end sends this header with its signed requests, and is no proxy.
      const isForwarded = !hasWarned && request.headers.has(signedHeaders.forwardedFor);
      if (isForwarded && !request.headers.has(signedHeaders.signature)) {
        hasWarned = true;
        warn(socketAddress);
      }
      return socketAddress;
    }
    const forwarded = request.headers.get(signedHeaders.forwardedFor)?.split(',') ?? [];
    const addresses = forwarded.map(withoutPort).filter((address) => address !== '');
    const player = addresses.reverse().find((address) => !isTrusted(address));
    // Some proxies write `unknown`, or whatever they were sent: that is nobody's address, and must not count as one.
    return player !== undefined && isIpAddress(player) ? player : socketAddress;
  };
}

/** Whether a text is an IPv4 or IPv6 address, and nothing else. */
export function isIpAddress(text: string): boolean {
  return ipAddress.safeParse(text).success;
}

/** Some proxies write the port as well, which changes with each connection. */
function withoutPort(written: string): string {
  const text = written.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
