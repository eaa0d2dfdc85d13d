import { signingDefaults } from '../protocol/gaps/signing.js';
import * as headers from '../protocol/headers.js';
import { mediaTypes, signedHeaders } from '../protocol/headers.js';
import {
  decodeSignature,
  encodeSignature,
  equalBytes,
  hmac,
  importPrivateKey,
  isNonce,
  nonceFrom,
  type SignatureEncoding,
  signedBytes,
  signedText,
  timestampProblem,
} from '../protocol/signing.js';
import { objectNamed, privateKeyNamed, signatureEncoding } from './options.js';
import { requireServer } from './require-server.js';

export interface SignRequestOptions {
  privateKey: string;
  /** The exact text that will be sent. */
  body: string;
  /** Ms since 1970; the clock's by default. */
  timestamp?: number | undefined;
  /** 32 characters of `[A-Za-z0-9_-]`, never used before; random by default. */
  nonce?: string | undefined;
  /** `hex` by default. */
  encoding?: SignatureEncoding | undefined;
}

export interface SignedRequest {
  headers: Record<string, string>;
  body: string;
}

/**
 * Signs the body of a server-to-server request, for those who send it themselves. Each request, a repeated one too,
 * needs a signature of its own: a nonce counts once.
 *
 * @see Spec 5.2
 */
export async function signRequest(options: SignRequestOptions): Promise<SignedRequest> {
  requireServer('signRequest');
  const { body, timestamp = Date.now(), nonce = newNonce(), encoding } = objectNamed(options, 'options');
  const privateKey = privateKeyNamed(options.privateKey, 'privateKey');
  if (typeof body !== 'string') throw new TypeError('body must be the text that is sent');
  const problem = timestampProblem(String(timestamp));
  if (typeof timestamp !== 'number' || problem !== null) {
    throw new TypeError(`timestamp: ${problem ?? 'it must be a number'}`);
  }
  if (typeof nonce !== 'string' || !isNonce(nonce)) {
    throw new TypeError(`nonce must be ${signingDefaults.nonceLength} characters of A-Z, a-z, 0-9, "_" and "-"`);
  }
  const sign = createSigner(privateKey, signatureEncoding(encoding, 'encoding'));
  return { headers: { ...(await sign(body, timestamp, nonce)), [headers.contentType]: mediaTypes.json }, body };
}

/** Gives the three headers of a signed request. */
export type Signer = (body: string, timestamp: number, nonce?: string) => Promise<Record<string, string>>;

/** A signer that imports its key once. */
export function createSigner(privateKey: string, encoding: SignatureEncoding): Signer {
  let imported: Promise<CryptoKey> | undefined;
  return async (body, timestamp, nonce = newNonce()) => {
    imported ??= importPrivateKey(privateKey);
    const signature = await hmac(await imported, signedText(String(timestamp), nonce, body));
    return {
      [signedHeaders.signature]: encodeSignature(signature, encoding),
      [signedHeaders.timestamp]: String(timestamp),
      [signedHeaders.nonce]: nonce,
    };
  };
}

/** Headers as `fetch` or as Node has them. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyRequestOptions {
  /** The keys that are active: two while a key is being changed. */
  privateKeys: readonly string[];
  headers: RequestHeaders;
  /** As it arrived. Text that was parsed and written again is another text. */
  body: string | Uint8Array;
  /** Ms since 1970; the clock's by default. */
  now?: number | undefined;
  /** How far the timestamp may be from `now`, both ways, in ms; 300,000 by default. */
  windowMs?: number | undefined;
}

export type VerifiedRequest =
  | { ok: true; timestamp: number; nonce: string }
  | { ok: false; code: 'invalid_signature' | 'timestamp_out_of_window'; problem: string };

/**
 * Tells whether a request was signed with one of the game's keys, and recently. A request that somebody recorded and
 * sends again passes too: refuse a nonce that you have seen, and keep it until its timestamp plus 360 s. Claim it in
 * one atomic step, and only after this said `ok`, so that forged requests cannot fill your store.
 *
 * @see Spec 5.2
 */
export async function verifyRequest(options: VerifyRequestOptions): Promise<VerifiedRequest> {
  requireServer('verifyRequest');
  const { body, now = Date.now(), windowMs = signingDefaults.clockWindowMs } = objectNamed(options, 'options');
  const privateKeys = keysNamed(options.privateKeys);
  const given = objectNamed(options.headers, 'headers');
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('body must be a string or a Uint8Array');
  }
  if (!Number.isFinite(now)) throw new TypeError('now must be a number of milliseconds');
  if (!(Number.isFinite(windowMs) && windowMs >= 0)) throw new TypeError('windowMs must be a number of milliseconds');

  const timestamp = onlyHeader(given, signedHeaders.timestamp);
  const nonce = onlyHeader(given, signedHeaders.nonce);
  const signature = decodeSignature(onlyHeader(given, signedHeaders.signature) ?? '');
  if (timestamp === null || nonce === null) return unsigned('A signed request has each of its headers once.');
  const wrongTimestamp = timestampProblem(timestamp);
  if (wrongTimestamp !== null) return { ok: false, code: 'timestamp_out_of_window', problem: `${wrongTimestamp}.` };
  if (Math.abs(Number(timestamp) - now) > windowMs) {
    return { ok: false, code: 'timestamp_out_of_window', problem: `The timestamp is more than ${windowMs} ms away.` };
  }
  if (signature === null || !isNonce(nonce)) return unsigned('The signature or the nonce does not have its form.');
  const bytes = signedBytes(timestamp, nonce, typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const matches = await Promise.all(
    privateKeys.map(async (key) => equalBytes(signature, await hmac(await importPrivateKey(key), bytes))),
  );
  if (!matches.includes(true)) return unsigned('The signature is not one of these keys over this body.');
  return { ok: true, timestamp: Number(timestamp), nonce };
}

function unsigned(problem: string): VerifiedRequest {
  return { ok: false, code: 'invalid_signature', problem };
}

function keysNamed(keys: unknown): string[] {
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('privateKeys must be a list of at least one key');
  return keys.map((key, index) => privateKeyNamed(key, `privateKeys[${index}]`));
}

/** The header's value where it is there once. `Headers` joins what came twice with a comma, which no form here has. */
function onlyHeader(given: RequestHeaders, name: string): string | null {
  if (given instanceof Headers) return given.get(name);
  const values = Object.entries(given)
    .filter(([other]) => other.toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? (values[0] ?? null) : null;
}

function newNonce(): string {
  return nonceFrom(crypto.getRandomValues(new Uint8Array(signingDefaults.nonceLength)));
}
