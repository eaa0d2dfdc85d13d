/**
 * Node's own crypto, which does at once what WebCrypto does on a thread; null where the runtime has none, as in a
 * browser. It is loaded without an import, so that pages can bundle this file.
 */
export function nodeCrypto(): NodeCrypto | null {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => NodeCrypto | undefined } };
  const node = process?.getBuiltinModule?.('node:crypto');
  return node?.createHash === undefined ? null : node;
}

export interface NodeCrypto {
  createHash(algorithm: 'sha256'): { update(text: string): { digest(): Uint8Array } };
  createHmac(
    algorithm: 'sha256',
    key: unknown,
  ): { update(text: string): { digest(encoding: 'base64url'): string; digest(): Uint8Array } };
  createSecretKey(bytes: Uint8Array): unknown;
  createPrivateKey(key: { key: unknown; format: 'jwk' }): unknown;
  sign(
    algorithm: 'sha256',
    data: Uint8Array,
    key: { key: unknown; dsaEncoding: 'ieee-p1363' },
  ): { toString(encoding: 'base64url'): string };
}
