import * as jose from 'jose';

/**
 * An RSA public key in PEM as a JWK. Besides SubjectPublicKeyInfo (`PUBLIC KEY`), which WebCrypto reads, it takes the
 * bare key (`RSA PUBLIC KEY`, RFC 8017, A.1.1), which it wraps. Throws for what is neither.
 */
export async function jwkOfRsaPem(pem: string): Promise<jose.JWK> {
  const [, label, base64] = /^\s*-----BEGIN ((?:RSA )?PUBLIC KEY)-----([\s\S]+)-----END \1-----\s*$/.exec(pem) ?? [];
  if (base64 === undefined) throw new Error('It is no public key in PEM.');
  const bytes = Uint8Array.from(atob(base64.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  const spki = label === 'PUBLIC KEY' ? bytes : wrapped(bytes);
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  return jose.exportJWK(await crypto.subtle.importKey('spki', spki as BufferSource, algorithm, true, ['verify']));
}

/** SEQUENCE { OBJECT IDENTIFIER rsaEncryption, NULL }, as RFC 8017, A.1 has it. */
const rsaEncryption = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
const tags = { bitString: 0x03, sequence: 0x30 };

function wrapped(key: Uint8Array): Uint8Array {
  const bits = element(tags.bitString, [0x00, ...key]);
  return Uint8Array.from(element(tags.sequence, [...rsaEncryption, ...bits]));
}

/** An element of DER: its tag, its length in as few bytes as possible, its content. */
function element(tag: number, content: number[]): number[] {
  const { length } = content;
  if (length < 0x80) return [tag, length, ...content];
  if (length < 0x100) return [tag, 0x81, length, ...content];
  return [tag, 0x82, length >> 8, length & 0xff, ...content];
}
