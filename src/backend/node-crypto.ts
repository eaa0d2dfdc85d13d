/** What Node's own crypto does at once and cheaply; null where the runtime has none (a browser). Loaded without an import, so that pages can bundle this. */
export function nodeCrypto(): NodeCrypto | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } };
  const node = process?.getBuiltinModule?.('node:crypto');
  return node?.createHash === undefined ? null : node;
}

export interface NodeCrypto {
  createHash(algorithm: 'sha256'): { update(text: string): { digest(): Uint8Array } };
  createHmac(algorithm: 'sha256', key: unknown): { update(text: string): { digest(encoding: 'base64url'): string } };
  createSecretKey(bytes: Uint8Array): unknown;
  createPrivateKey(key: { key: unknown; format: 'jwk' }): unknown;
  sign(
    algorithm: 'sha256',
    data: Uint8Array,
    key: { key: unknown; dsaEncoding: 'ieee-p1363' },
  ): { toString(encoding: 'base64url'): string };
}
