import { type Lookup, nodeLookup } from './node-lookup.js';
import { type AddressRules, addressProblem, isPublicIp } from './public-addresses.js';

type Fetch = (request: Request) => Promise<Response>;

/** A platform leads to an address that the service asks nobody at. */
export class AddressNotAllowed extends Error {
  constructor() {
    super('The address may not be asked.');
    this.name = 'AddressNotAllowed';
  }
}

/** How requests are sent, and names looked up. */
export interface GuardedBy {
  /** Sends the requests; the global `fetch` by default. */
  fetch?: Fetch | undefined;
  /** Finds the addresses of a name; Node's own by default, where `fetch` is the global one. */
  lookup?: Lookup | undefined;
}

/**
 * Sends what a platform that an operator has registered asks for, also where its answers name the address: to public
 * addresses alone, by https, and it follows no redirect. A name that has a private address among its own is not asked.
 * Between this look and the request the name may change, but then no certificate holds for it.
 */
export function createGuardedFetch(rules: AddressRules, given: GuardedBy = {}): Fetch {
  const { fetch = (request) => globalThis.fetch(request) } = given;
  // Whoever sends the requests in another way looks names up in another way, such as at a proxy.
  const lookup = given.lookup ?? (given.fetch === undefined ? nodeLookup() : null);
  return async (request) => {
    if (addressProblem(request.url, rules) !== null) throw new AddressNotAllowed();
    if (!rules.allowPrivateAddresses && lookup !== null) {
      const { hostname } = new URL(request.url);
      const isName = !hostname.startsWith('[') && !/^[\d.]+$/.test(hostname);
      const found = isName ? await lookup(hostname) : [];
      if (isName && (found.length === 0 || !found.every(isPublicIp))) throw new AddressNotAllowed();
    }
    return fetch(request.redirect === 'manual' ? request : new Request(request, { redirect: 'manual' }));
  };
}
