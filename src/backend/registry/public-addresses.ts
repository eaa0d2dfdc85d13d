import { isLoopbackHost } from '../loopback.js';

/** Which addresses may be asked on behalf of an operator. */
export interface AddressRules {
  /**
   * Whether the addresses of private networks and of this machine may be asked, and this machine
   * by http; false by default.
   */
  allowPrivateAddresses: boolean;
}

/**
 * Why an address of the web may not be asked; null where it may. What an operator registers must not lead into the
 * network of the service, where others trust whoever comes from it.
 */
export function addressProblem(address: string, { allowPrivateAddresses }: AddressRules): string | null {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !(url.protocol === 'https:' || url.protocol === 'http:')) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must have no name and password in it';
  const host = hostOf(url);
  const mayBeHttp = allowPrivateAddresses && isLoopbackHost(host);
  if (url.protocol === 'http:' && !mayBeHttp) return 'must be an https address';
  if (!allowPrivateAddresses && !isPublicHost(host)) return 'must not be an address of a private network';
  return null;
}

/** The host without brackets and without the full stop that says that it is a whole name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/**
 * Names that lead nowhere outside of the network that they are asked in (RFC 6761, RFC 6762, RFC 8375 and common use).
 */
const privateNames = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|invalid|home\.arpa)$/;

/** Whether a host, as a URL has it, may be somebody else's. What a name leads to is seen only when it is looked up. */
function isPublicHost(host: string): boolean {
  if (host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPublicIp(host);
  return host.includes('.') && !privateNames.test(host);
}

/**
 * Whether an IP address is one of the public internet, as far as the registries of special addresses say (RFC 6890).
 * An IPv6 address that carries an IPv4 address is as public as that one.
 */
export function isPublicIp(address: string): boolean {
  const four = /^(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  if (four !== null) return isPublicV4(four.slice(1).map(Number));
  const groups = groupsOf(address);
  if (groups === null) return false;
  const [first = 0, second = 0] = groups;
  const [high = 0, low = 0] = groups.slice(6);
  const carried = [high >> 8, high & 255, low >> 8, low & 255];
  const begins = (...wanted: number[]): boolean => wanted.every((group, at) => groups[at] === group);
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0x64, 0xff9b, 0, 0, 0, 0)) return isPublicV4(carried);
  if (first === 0x2002) return isPublicV4([second >> 8, second & 255, (groups[2] ?? 0) >> 8, (groups[2] ?? 0) & 255]);
  // Of all others only the global unicast addresses are in use; Teredo and the addresses of examples are among them.
  if (first === 0x3fff && second >> 12 === 0) return false;
  if (begins(0x2001, 2, 0) || (first === 0x2001 && second >> 4 === 2)) return false;
  return first >> 13 === 1 && !begins(0x2001, 0) && !begins(0x2001, 0x0db8);
}

function isPublicV4([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b < 128) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b < 32) return false;
  if (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)) || (b === 88 && c === 99))) return false;
  if (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) return false;
  // Azure's platform, of each virtual machine
  // (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
  if (a === 168 && b === 63 && c === 129 && d === 16) return false;
  return !(a === 203 && b === 0 && c === 113);
}

/** The eight groups of an IPv6 address; null for what is none. */
function groupsOf(address: string): number[] | null {
  const whole = `http://[${address.split('%')[0]}]`;
  if (!URL.canParse(whole)) return null;
  const [before = '', after] = new URL(whole).hostname.slice(1, -1).split('::');
  const numbers = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [left, right] = [numbers(before), numbers(after ?? '')];
  const zeros = after === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array.from({ length: zeros }, () => 0), ...right];
}
