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
import { readObject, readPrivateKey, readSignatureEncoding } from './options.js';
import { requireServer } from './require-server.js';

/**
 * What `signRequest` signs, and with which key.
 *
 * @see docs/interface.md#signed-requests
 */
export interface SignRequestOptions {
  /** The game's private key. */
  privateKey: string;
  /** The exact text that will be sent: another spelling of the same JSON has another signature. */
  body: string;
  /** The time in ms since 1970, 13 digits; the clock's by default. The service takes up to 5 minutes of difference. */
  timestamp?: number | undefined;
  /** 32 characters of `[A-Za-z0-9_-]` that were never used before; random by default. */
  nonce?: string | undefined;
  /** How the signature is written; `hex` by default. */
  encoding?: SignatureEncoding | undefined;
}

/**
 * A request that is ready to be sent.
 *
 * @see docs/interface.md#signed-requests
 */
export interface SignedRequest {
  /**
   * The signature, the timestamp, the nonce and the content type. `X-Forwarded-For`, the player's address, is yours.
   */
  headers: Record<string, string>;
  /** The text that was signed, to be sent as it is. */
  body: string;
}

/**
 * Signs the body of a server-to-server request, for back ends that send the request themselves. The service takes a
 * nonce once, so every request needs a signature of its own, also one that is sent again. Throws a `TypeError` for
 * options that cannot work, and in a web page.
 *
 * @example
 * ```ts
 * const { headers, body } = await signRequest({ privateKey, body: JSON.stringify(player) });
 * await fetch(`${authUrl}/v2/auth/server`, { method: 'POST', headers: { ...headers, 'X-Forwarded-For': ip }, body });
 * ```
 *
 * @see docs/interface.md#signed-requests
 */
export async function signRequest(options: SignRequestOptions): Promise<SignedRequest> {
  requireServer('signRequest');
  const { body, timestamp = Date.now(), nonce = newNonce(), encoding } = readObject(options, 'options');
  const privateKey = readPrivateKey(options.privateKey, 'privateKey');
  if (typeof body !== 'string') throw new TypeError('body must be the text that is sent');
  const problem = timestampProblem(String(timestamp));
  if (typeof timestamp !== 'number' || problem !== null) {
    throw new TypeError(`timestamp: ${problem ?? 'it must be a number'}`);
  }
  if (typeof nonce !== 'string' || !isNonce(nonce)) {
    throw new TypeError(`nonce must be ${signingDefaults.nonceLength} characters of A-Z, a-z, 0-9, "_" and "-"`);
  }
  const sign = createSigner(privateKey, readSignatureEncoding(encoding, 'encoding'));
  return { headers: { ...(await sign(body, timestamp, nonce)), [headers.contentType]: mediaTypes.json }, body };
}

/** Makes the three headers of a signed request. */
export type Signer = (body: string, timestamp: number, nonce?: string) => Promise<Record<string, string>>;

/** Makes a signer, which imports its key once. */
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

/** The headers of a request, as `fetch` gives them or as Node does. */
export type RequestHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * What `verifyRequest` checks, and with which keys.
 *
 * @see docs/interface.md#signed-requests
 */
export interface VerifyRequestOptions {
  /** The game's active private keys, at least one: two while a key is being replaced. */
  privateKeys: readonly string[];
  /** The headers of the request. */
  headers: RequestHeaders;
  /** The body exactly as it arrived: JSON that was parsed and written again is another text. */
  body: string | Uint8Array;
  /** The time in ms since 1970; the clock's by default. */
  now?: number | undefined;
  /** How far the timestamp may be from `now`, before or after, in ms, 0 and up; 300,000 by default. */
  windowMs?: number | undefined;
}

/**
 * Whether a request was signed with one of the game's keys.
 *
 * @see docs/interface.md#signed-requests
 */
export type VerifiedRequest = RightlySigned | WronglySigned;

/** A request that was signed with one of the game's keys. */
interface RightlySigned {
  /** The signature is right, and the timestamp lies in the window. */
  ok: true;
  /** When the request was signed, by the signer's clock in ms since 1970. */
  timestamp: number;
  /** The request's nonce, which must not have been used before. */
  nonce: string;
}

/** A request to be refused. */
interface WronglySigned {
  /** The request must be refused. */
  ok: false;
  /** `timestamp_out_of_window` for a malformed timestamp or one too far from `now`; `invalid_signature` otherwise. */
  code: 'invalid_signature' | 'timestamp_out_of_window';
  /** What is wrong, in a sentence. It shows nothing of the request or the keys. */
  problem: string;
}

/**
 * Tells whether a request was recently signed with one of the game's keys. Throws a `TypeError` for options that cannot
 * work, and in a web page.
 *
 * A request that somebody recorded and sends again passes too. So keep each nonce until 360 s after its timestamp, and
 * refuse one that is there already. Do both in one atomic step, and only after `ok`: otherwise forged requests could
 * fill your store.
 *
 * @example
 * ```ts
 * const verified = await verifyRequest({ privateKeys: [key], headers: request.headers, body: await request.text() });
 * if (!verified.ok) return new Response(verified.problem, { status: 401 });
 * if (!(await nonces.claim(verified.nonce, verified.timestamp + 360_000))) return new Response(null, { status: 401 });
 * ```
 *
 * @see docs/interface.md#signed-requests
 */
export async function verifyRequest(options: VerifyRequestOptions): Promise<VerifiedRequest> {
  requireServer('verifyRequest');
  const { body, now = Date.now(), windowMs = signingDefaults.clockWindowMs } = readObject(options, 'options');
  const privateKeys = readPrivateKeys(options.privateKeys);
  const given = readObject(options.headers, 'headers');
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

function readPrivateKeys(keys: unknown): string[] {
  if (!Array.isArray(keys) || keys.length === 0) throw new TypeError('privateKeys must be a list of at least one key');
  return keys.map((key, index) => readPrivateKey(key, `privateKeys[${index}]`));
}

/**
 * The value of a header that came once, else null. `Headers` joins the values of a header that came twice by a comma,
 * which is refused later: neither a timestamp nor a nonce or a signature has one.
 */
function onlyHeader(given: RequestHeaders, name: string): string | null {
  // By its method: another realm, and other packages that fetch, have a class of their own.
  if (isHeaders(given)) return given.get(name);
  const values = Object.entries(given)
    .filter(([other]) => other.toLowerCase() === name.toLowerCase())
    .flatMap(([, value]) => value ?? []);
  return values.length === 1 ? (values[0] ?? null) : null;
}

function isHeaders(given: RequestHeaders): given is Headers {
  return typeof (given as { get?: unknown }).get === 'function';
}

function newNonce(): string {
  return nonceFrom(crypto.getRandomValues(new Uint8Array(signingDefaults.nonceLength)));
}
