/**
 * Whether a host, as a URL has it, is this machine itself: 127.0.0.0/8, ::1, also as an IPv4 address within IPv6, and
 * `localhost` with all names below it, which browsers and resolvers keep to this machine (RFC 6761, 6.3).
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return (
    host === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(host) || /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(host)
  );
}
