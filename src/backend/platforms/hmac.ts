/** The HMAC-SHA-256 of a text. */
export async function hmac(key: BufferSource, text: string): Promise<Uint8Array> {
  const imported = await importKey(key, 'sign');
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytesOf(text)));
}

/** Whether that is the HMAC-SHA-256 of a text. How long it takes says nothing about the right one. */
export async function isHmac(signature: Uint8Array, key: BufferSource, text: string): Promise<boolean> {
  return crypto.subtle.verify('HMAC', await importKey(key, 'verify'), signature as BufferSource, bytesOf(text));
}

/** The UTF-8 of a text. */
export function bytesOf(text: string): BufferSource {
  return new TextEncoder().encode(text);
}

function importKey(key: BufferSource, usage: 'sign' | 'verify'): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}
