import * as jose from 'jose';
import { nodeCrypto } from '../node-crypto.js';

/** Writes a JWT with one key. The same claims always give the same text before the signature. */
export type WriteToken = (claims: object) => string | Promise<string>;

/** Signs with a private EC P-256 JWK. */
export async function es256Writer(jwk: jose.JWK, header: object): Promise<WriteToken> {
  const sign = nodeSigner(jwk);
  if (sign !== null) return writer(header, sign);
  const key = (await jose.importJWK(jwk, 'ES256')) as CryptoKey;
  return writer(header, webSigner({ name: 'ECDSA', hash: 'SHA-256' }, key));
}

/**
 * Node signs at once here; on its threads a signature would wait for passwords that are being hashed. Null where the
 * runtime is not Node, or has a crypto of Node's that does not make signatures of this form, as workerd has.
 */
function nodeSigner(jwk: jose.JWK): ((text: string) => string) | null {
  const node = nodeCrypto();
  if (node === null) return null;
  try {
    const key = node.createPrivateKey({ key: jwk, format: 'jwk' });
    const signer = { key, dsaEncoding: 'ieee-p1363' } as const;
    const sign = (text: string): string => node.sign('sha256', encoder.encode(text), signer).toString('base64url');
    sign('');
    return sign;
  } catch {
    return null;
  }
}

/** Signs with 32 secret bytes. */
export async function hs256Writer(secret: Uint8Array<ArrayBuffer>, header: object): Promise<WriteToken> {
  const node = nodeCrypto();
  if (node !== null) {
    const key = node.createSecretKey(secret);
    return writer(header, (text) => node.createHmac('sha256', key).update(text).digest('base64url'));
  }
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return writer(header, webSigner({ name: 'HMAC' }, key));
}

const encoder = new TextEncoder();
const nodeBuffer = (globalThis as { Buffer?: { from(text: string): { toString(encoding: 'base64url'): string } } })
  .Buffer;

type Sign = (text: string) => string | Promise<string>;

function writer(header: object, sign: Sign): WriteToken {
  const head = encoded(header);
  return (claims) => {
    const text = `${head}.${encoded(claims)}`;
    const signature = sign(text);
    return typeof signature === 'string' ? `${text}.${signature}` : signature.then((its) => `${text}.${its}`);
  };
}

function webSigner(algorithm: { name: string; hash?: string }, key: CryptoKey): Sign {
  return async (text) => {
    const signature = await crypto.subtle.sign(algorithm, key, encoder.encode(text));
    return jose.base64url.encode(new Uint8Array(signature));
  };
}

function encoded(part: object): string {
  const text = JSON.stringify(part);
  return nodeBuffer?.from(text).toString('base64url') ?? jose.base64url.encode(text);
}
