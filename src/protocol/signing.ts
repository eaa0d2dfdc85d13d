import { signingDefaults } from './gaps/signing.js';

const encoder = new TextEncoder();
const nonceAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * How a signature is written: 64 lower-case hexadecimal digits, or 44 characters of base64. `hex` by default.
 *
 * @see docs/interface.md#signed-requests
 */
export type SignatureEncoding = 'hex' | 'base64';

/**
 * The text that is signed: timestamp, nonce and body, each followed by a newline.
 * `body` is the exact text that is sent.
 *
 * @see docs/interface.md#signed-requests
 */
export function signedText(timestamp: string, nonce: string, body: string): string {
  return `${timestamp}\n${nonce}\n${body}\n`;
}

/**
 * The signed text for a body that arrived as bytes: they are taken as they are, never decoded.
 *
 * @see docs/interface.md#signed-requests
 */
export function signedBytes(timestamp: string, nonce: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${timestamp}\n${nonce}\n`);
  const bytes = new Uint8Array(head.length + body.length + 1);
  bytes.set(head);
  bytes.set(body, head.length);
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}

/** Imports a game's private key for HMAC-SHA-256. Spec gap: its bytes are the UTF-8 of the key as given. */
export function importPrivateKey(privateKey: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encoder.encode(privateKey), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
}

/**
 * HMAC-SHA-256 over the signed text.
 *
 * @see docs/interface.md#signed-requests
 */
export async function hmac(key: CryptoKey, text: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
}

export function encodeSignature(signature: Uint8Array, encoding: SignatureEncoding = signingDefaults.encoding): string {
  if (encoding === 'base64') return btoa(String.fromCharCode(...signature));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Reads 64 hex characters of any case, or 44 of base64, as 32 bytes; null for anything else. */
export function decodeSignature(text: string): Uint8Array | null {
  if (/^[0-9a-fA-F]{64}$/.test(text)) {
    return Uint8Array.from({ length: 32 }, (_, index) => Number.parseInt(text.slice(index * 2, index * 2 + 2), 16));
  }
  if (/^[A-Za-z0-9+/]{43}=$/.test(text)) return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return null;
}

/** Compares two byte strings in a time that depends on their length only. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  left.forEach((byte, index) => {
    difference |= byte ^ (right[index] as number);
  });
  return difference === 0;
}

/**
 * A nonce of 32 characters of `[A-Za-z0-9_-]` from that many random bytes.
 *
 * @see docs/interface.md#signed-requests
 */
export function nonceFrom(randomBytes: Uint8Array): string {
  // The alphabet has 64 characters, so six bits of each byte choose without bias.
  return Array.from(randomBytes.subarray(0, signingDefaults.nonceLength), (byte) => nonceAlphabet[byte & 63]).join('');
}

export function isNonce(text: string): boolean {
  return text.length === signingDefaults.nonceLength && /^[A-Za-z0-9_-]+$/.test(text);
}

/** Says what is wrong with a timestamp's text, or null. It is 13 digits: integer milliseconds since 1970. */
export function timestampProblem(text: string): string | null {
  if (/^\d{13}$/.test(text)) return null;
  if (/^\d{10}$/.test(text))
    return 'Service-Timestamp looks like seconds; it must be milliseconds since 1970 (13 digits)';
  return 'Service-Timestamp must be milliseconds since 1970 (13 digits)';
}
