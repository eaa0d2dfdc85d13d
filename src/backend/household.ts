/** The line in which the requests of an address wait; see `ConcurrencyLimit`. */
export function lineOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : householdOf(address);
}

/** Spec gap: one household has one IPv4 address, or all 2^64 IPv6 addresses that share the first half. */
export function householdOf(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]`)) return address;
  // An IPv6 address can be written in many ways; the URL parser reads them all and writes the shortest.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill('0');
  const all = [...left, ...zeros, ...right];
  return all.slice(0, 4).every((group) => group === '0') ? all.join(':') : `${all.slice(0, 4).join(':')}::/64`;
}
