import type { FetchLike } from '../http/sender.js';
import { baseAddress } from '../protocol/addresses.js';
import { entryNameProblem } from '../protocol/entry-name.js';
import { type Environment, isEnvironment } from '../protocol/environments.js';
import { signingDefaults } from '../protocol/gaps/signing.js';
import { isUuid } from '../protocol/ids.js';
import { ipAddress } from '../protocol/messages.js';
import type { SignatureEncoding } from '../protocol/signing.js';

/**
 * What `createServerClient` needs to know.
 *
 * @see docs/interface.md#endpoints
 */
export interface ServerClientOptions {
  /** The game's id, a UUID. */
  gameId: string;
  /**
   * The environment: 0 is Development, 1 is Stage, 2 is Production. It has no default, so that nobody mixes them up.
   */
  environment: Environment;
  /**
   * The game's private key, in printable ASCII: a secret of the back end. It signs authentication requests and is sent
   * as a header with all others.
   */
  privateKey: string;
  /** The http(s) address of the private profile API, without `/v2`. */
  baseUrl: string;
  /** The http(s) address of the authentication endpoint, without `/v2`; `baseUrl` by default. */
  authUrl?: string | undefined;
  /** Sends the requests, for a proxy or a test; the global `fetch` by default. */
  fetch?: FetchLike | undefined;
  /**
   * How long one try of a request may take, in ms, above 0; 10,000 by default. A request is tried up to 3 times, in 30
   * s or `timeoutMs` altogether, whichever is longer; a forced write that got no answer is asked about after that.
   */
  timeoutMs?: number | undefined;
  /** How the service wants a signature to be written; `hex` by default. */
  signatureEncoding?: SignatureEncoding | undefined;
  /** The clock, in ms since 1970; `Date.now` by default. It is corrected by the service's where the two differ. */
  now?: (() => number) | undefined;
}

/** The options, checked and with their defaults. */
export interface Settings {
  gameId: string;
  environment: Environment;
  privateKey: string;
  baseUrl: string;
  authUrl: string;
  fetch: FetchLike | undefined;
  timeoutMs: number | undefined;
  signatureEncoding: SignatureEncoding;
  now: () => number;
}

/**
 * Throws a TypeError that names the option that cannot work. It never shows the option's value, which may be a secret.
 */
export function readOptions(given: ServerClientOptions): Settings {
  const options = readObject(given, 'options');
  const { fetch, timeoutMs } = readSending(options);
  const environment = readEnvironment(options.environment);
  if (options.now !== undefined && typeof options.now !== 'function') throw new TypeError('now must be a function');
  const baseUrl = baseAddress(options.baseUrl, 'baseUrl');
  return {
    gameId: readUuid(options.gameId, 'gameId'),
    environment,
    privateKey: readBearerKey(options.privateKey),
    baseUrl,
    authUrl: options.authUrl === undefined ? baseUrl : baseAddress(options.authUrl, 'authUrl'),
    fetch,
    timeoutMs,
    signatureEncoding: readSignatureEncoding(options.signatureEncoding, 'signatureEncoding'),
    now: options.now ?? Date.now,
  };
}

/** How requests are sent. */
export function readSending({ fetch, timeoutMs }: Pick<ServerClientOptions, 'fetch' | 'timeoutMs'>) {
  if (fetch !== undefined && typeof fetch !== 'function') throw new TypeError('fetch must be a function');
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError('timeoutMs must be a number of milliseconds above 0');
  }
  return { fetch, timeoutMs };
}

/** Spec gap: the key is used as it is given, so white space around it can only be a mistake in the configuration. */
export function readPrivateKey(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty`);
  if (value.trim() !== value)
    throw new TypeError(`${name} has white space around it: remove it where it is configured`);
  return value;
}

export function readSignatureEncoding(value: unknown, name: string): SignatureEncoding {
  if (value === undefined) return signingDefaults.encoding;
  if (value === 'hex' || value === 'base64') return value;
  throw new TypeError(`${name} must be "hex" or "base64"`);
}

export function readObject<T extends object>(value: T, name: string): T {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object`);
  return value;
}

export function readUuid(value: unknown, name: string): string {
  if (!isUuid(value)) throw new TypeError(`${name} must be a UUID`);
  return value;
}

export function readEnvironment(value: unknown): Environment {
  if (isEnvironment(value)) return value;
  throw new TypeError('environment must be 0 (Development), 1 (Stage) or 2 (Production)');
}

export function readEntryName(value: unknown, name: string): string {
  const problem = entryNameProblem(value);
  if (problem !== null) throw new TypeError(`${name}: ${problem}`);
  return value as string;
}

export function readSignal(value: unknown, name: string): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw new TypeError(`${name} must be an AbortSignal`);
}

/** An IPv4 or IPv6 address and nothing else: the value is sent as a header. */
export function readAddress(value: unknown, name: string): string {
  const parsed = ipAddress.safeParse(value);
  if (!parsed.success) throw new TypeError(`${name} must be an IPv4 or IPv6 address`);
  return parsed.data;
}

/** The key is also sent as a header (docs/interface.md#private-profile-api), and a header cannot carry every text. */
function readBearerKey(value: unknown): string {
  const key = readPrivateKey(value, 'privateKey');
  if (!/^[\x20-\x7e]+$/.test(key)) throw new TypeError('privateKey must be printable ASCII: it is sent as a header');
  return key;
}
