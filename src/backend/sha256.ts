import { nodeCrypto } from './node-crypto.js';

const node = nodeCrypto();

/**
 * The SHA-256 digest of a text's UTF-8 bytes. Node's own crypto answers at once, where WebCrypto waits for a thread.
 */
export async function sha256(text: string): Promise<Uint8Array> {
  if (node !== null) return node.createHash('sha256').update(text).digest();
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
}
