import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** A new key that a service signs its tokens with. */
export async function newSigningKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return exportJWK(privateKey);
}
