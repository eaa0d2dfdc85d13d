import { BlockList, isIP } from 'node:net';
import { UsageError } from '../usage-error.js';

/** Whether an address is one of those listed: single ones, or ranges such as `10.0.0.0/8`. */
export function trustedAddresses(listed: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const entry of listed) {
    const [address = '', bits, ...more] = entry.split('/');
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const isRange = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
    if (family === 0 || more.length > 0 || (bits !== undefined && !isRange)) {
      throw new UsageError('trusted proxies must be addresses, or ranges such as 10.0.0.0/8');
    }
    const kind = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, kind);
    else list.addSubnet(address, Number(bits), kind);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}
