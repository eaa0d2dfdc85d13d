/**
 * Node's scrypt; null where the runtime has none, as in a browser. It is loaded without an import, so that pages can
 * bundle this file.
 */
export function nodeScrypt(): Scrypt | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } };
  const node = process?.getBuiltinModule?.('node:crypto');
  if (node?.scrypt === undefined) return null;
  return (password, salt, size, { cost, blockSize, parallelization }) =>
    new Promise((resolve, reject) => {
      const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
      node.scrypt(password, salt, size, options, (error, hash) => {
        // Bun says undefined where Node says null.
        if (error) reject(error);
        else resolve(new Uint8Array(hash));
      });
    });
}

export interface ScryptCost {
  cost: number;
  blockSize: number;
  parallelization: number;
}

export type Scrypt = (password: string, salt: Uint8Array, size: number, cost: ScryptCost) => Promise<Uint8Array>;

interface NodeCrypto {
  scrypt(
    password: string,
    salt: Uint8Array,
    size: number,
    options: ScryptCost & { maxmem: number },
    done: (error: Error | null | undefined, hash: Uint8Array) => void,
  ): void;
}
