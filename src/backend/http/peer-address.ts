import { signedHeaders } from '../../protocol/headers.js';

/** Peers whose X-Forwarded-For is believed: their addresses, or a function that is asked. */
export type TrustedProxies = readonly string[] | ((address: string) => boolean);

/** Spec gap: the socket's address, unless that is a trusted proxy: then the last one in X-Forwarded-For that is none. */
export function createAddressOf(trusted: TrustedProxies) {
  const isTrusted = (address: string): boolean =>
    typeof trusted === 'function' ? trusted(address) : trusted.includes(address);
  return (request: Request, socketAddress: string | undefined): string | undefined => {
    if (socketAddress === undefined || !isTrusted(socketAddress)) return socketAddress;
    const forwarded = request.headers.get(signedHeaders.forwardedFor)?.split(',') ?? [];
    const addresses = forwarded.map(withoutPort).filter((address) => address !== '');
    return addresses.reverse().find((address) => !isTrusted(address)) ?? socketAddress;
  };
}

/** Some proxies write the port as well, which is another one at each connection. */
function withoutPort(written: string): string {
  const text = written.trim();
  return /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}
