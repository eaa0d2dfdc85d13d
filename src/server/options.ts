import * as z from 'zod/mini';
import type { FetchLike } from '../http/sender.js';
import { baseAddress } from '../protocol/addresses.js';
import { entryNameProblem } from '../protocol/entry-name.js';
import { type Environment, isEnvironment } from '../protocol/environments.js';
import { signingDefaults } from '../protocol/gaps/signing.js';
import { isUuid } from '../protocol/ids.js';
import type { SignatureEncoding } from '../protocol/signing.js';

export interface ServerClientOptions {
  gameId: string;
  /** 0 = Development, 1 = Stage, 2 = Production. */
  environment: Environment;
  /** The game's private key: a secret of the back end. */
  privateKey: string;
  /** Where the private profile API is (Spec 4). */
  baseUrl: string;
  /** Where the authentication endpoint is (Spec 4.3); `baseUrl` by default. */
  authUrl?: string | undefined;
  fetch?: FetchLike | undefined;
  /** For one try, in ms; 10,000 by default. */
  timeoutMs?: number | undefined;
  /** How the service expects a signature to be written; `hex` by default. */
  signatureEncoding?: SignatureEncoding | undefined;
  /** The clock, ms since 1970; `Date.now` by default. */
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

/** Throws TypeError, with the option's name, for what cannot work. No message shows what was given. */
export function readOptions(given: ServerClientOptions): Settings {
  const options = objectNamed(given, 'options');
  const { fetch, timeoutMs } = options;
  if (!isEnvironment(options.environment)) {
    throw new TypeError('environment must be 0 (Development), 1 (Stage) or 2 (Production)');
  }
  if (fetch !== undefined && typeof fetch !== 'function') throw new TypeError('fetch must be a function');
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError('timeoutMs must be a number of milliseconds above 0');
  }
  if (options.now !== undefined && typeof options.now !== 'function') throw new TypeError('now must be a function');
  const baseUrl = baseAddress(options.baseUrl, 'baseUrl');
  return {
    gameId: uuidNamed(options.gameId, 'gameId'),
    environment: options.environment,
    privateKey: bearerKey(options.privateKey),
    baseUrl,
    authUrl: options.authUrl === undefined ? baseUrl : baseAddress(options.authUrl, 'authUrl'),
    fetch,
    timeoutMs,
    signatureEncoding: signatureEncoding(options.signatureEncoding, 'signatureEncoding'),
    now: options.now ?? Date.now,
  };
}

/** Spec gap: the key counts as given, so white space around it is a mistake of the configuration. */
export function privateKeyNamed(value: unknown, name: string): string {
  if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty`);
  if (value.trim() !== value)
    throw new TypeError(`${name} has white space around it: remove it where it is configured`);
  return value;
}

export function signatureEncoding(value: unknown, name: string): SignatureEncoding {
  if (value === undefined) return signingDefaults.encoding;
  if (value === 'hex' || value === 'base64') return value;
  throw new TypeError(`${name} must be "hex" or "base64"`);
}

export function objectNamed<T extends object>(value: T, name: string): T {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object`);
  return value;
}

export function uuidNamed(value: unknown, name: string): string {
  if (!isUuid(value)) throw new TypeError(`${name} must be a UUID`);
  return value;
}

export function entryNameNamed(value: unknown, name: string): string {
  const problem = entryNameProblem(value);
  if (problem !== null) throw new TypeError(`${name}: ${problem}`);
  return value as string;
}

export function signalNamed(value: unknown, name: string): AbortSignal | undefined {
  if (value === undefined || value instanceof AbortSignal) return value;
  throw new TypeError(`${name} must be an AbortSignal`);
}

const address = z.union([z.ipv4(), z.ipv6()]);

/** An IPv4 or IPv6 address and nothing else: what stands here becomes a header. */
export function addressNamed(value: unknown, name: string): string {
  const parsed = address.safeParse(value);
  if (!parsed.success) throw new TypeError(`${name} must be an IPv4 or IPv6 address`);
  return parsed.data;
}

/** The key is sent as a header as well (Spec 5.1), and a header cannot carry every text. */
function bearerKey(value: unknown): string {
  const key = privateKeyNamed(value, 'privateKey');
  if (!/^[\x20-\x7e]+$/.test(key)) throw new TypeError('privateKey must be printable ASCII: it is sent as a header');
  return key;
}
