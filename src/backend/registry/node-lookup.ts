/** Finds the IP addresses of a name. */
export type Lookup = (host: string) => Promise<readonly string[]>;

/**
 * Node's own look-up of names; null where the runtime has none, as in a browser or a worker. It is loaded without an
 * import, so that pages can bundle this file.
 */
export function nodeLookup(): Lookup | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => NodeDns | undefined } };
  const lookup = process?.getBuiltinModule?.('node:dns')?.promises?.lookup;
  if (lookup === undefined) return null;
  return async (host) => (await lookup(host, { all: true })).map(({ address }) => address);
}

interface NodeDns {
  promises?: { lookup?: (host: string, options: { all: true }) => Promise<{ address: string }[]> };
}
