import type { FetchLike } from '../http/sender.js';
import { baseAddress } from '../protocol/addresses.js';
import type { ConflictField } from '../protocol/conflict.js';
import { type Environment, isEnvironment } from '../protocol/environments.js';
import { sizes } from '../protocol/gaps/sizes.js';
import { isUuid } from '../protocol/ids.js';
import type { ReadyResult } from './results.js';
import type { StoragePort } from './storage/storage-port.js';

/**
 * What server-to-server authentication gives a game's back end, as far as a client needs it.
 * docs/interface.md#server-authentication-response
 */
export interface ExternalValues {
  /** The player's access token, a JWT. */
  accessToken: string;
  /** The player's country, ISO 3166-1 alpha-2. Default: unknown. */
  country?: string | undefined;
  /** The service's clock, ms since 1970. Default: the device's clock counts until the service has first answered. */
  serverTime?: number | undefined;
}

/** The configuration of `createClient`. */
export interface ClientConfig {
  /** The game's id, a UUID. */
  gameId: string;
  /** 0 Development, 1 Stage, 2 Production. Required, so that nobody's live saves land in Development. */
  environment: Environment;
  /** Address of the service, `https://` or `http://`, with a path where there is one. */
  baseUrl: string;
  /** Address of its authentication. Default: `baseUrl`. */
  authUrl?: string | undefined;
  /**
   * Whether `init` restores the stored session, or signs in as the device's guest. False waits for `auth`, as
   * server-to-server authentication needs it. Default: true.
   */
  autoLogin?: boolean | undefined;
  /**
   * The game's own device id, 6 to 128 characters; a secret, for it leads to the guest's account. Default: a random
   * one, stored.
   */
  deviceId?: string | undefined;
  /** Which registered social platform `auth.withSocialToken` means. Default: the only one that is registered. */
  socialPlatform?: string | undefined;
  /**
   * The fields of saves that both sides of a conflict show, so that the player can choose: at most 32. Default: none.
   */
  conflictFields?: readonly ConflictField[] | undefined;
  /**
   * Where session, device id and saves are kept. Two clients on one storage are two tabs. Default: IndexedDB, or
   * localStorage where IndexedDB has never worked; memory where the platform has neither, or denies both.
   */
  storage?: StoragePort | undefined;
  /** Sends every request. Default: the platform's `fetch`. */
  fetch?: FetchLike | undefined;
  /** How long one try of a request may take, in ms above 0. Default: 10,000. */
  timeoutMs?: number | undefined;
  /**
   * Asked for new values before a session of `auth.external` ends, which has no refresh token. Without it such a
   * session expires. What it throws is reported.
   */
  renewSession?: (() => Promise<ExternalValues>) | undefined;
  /**
   * `off` for portals that forbid every request: all runs on this device alone, until `client.setNetwork('on')`.
   * Default: `on`.
   */
  network?: 'on' | 'off' | undefined;
  /** Called once, before the promise of `init` settles. It is not awaited, and what it throws is reported. */
  onReady?: ((result: ReadyResult) => unknown) | undefined;
}

/** A configuration that has been checked, with its defaults. */
export type Settings = ClientConfig & { authUrl: string; autoLogin: boolean };

/** Throws TypeError, with the option's name first, for what cannot work. */
export function checkConfig(config: ClientConfig): Settings {
  const given = (config ?? {}) as Readonly<Record<keyof ClientConfig, unknown>>;
  const need = (option: keyof ClientConfig, what: string, holds: (value: never) => boolean): void => {
    if (!holds(given[option] as never)) throw new TypeError(`${option} must be ${what}`);
  };
  const allow = (option: keyof ClientConfig, what: string, holds: (value: never) => boolean): void => {
    if (given[option] !== undefined) need(option, what, holds);
  };
  need('gameId', 'a UUID', isUuid);
  need('environment', '0, 1 or 2', isEnvironment);
  const baseUrl = baseAddress(given.baseUrl, 'baseUrl');
  const authUrl = given.authUrl === undefined ? baseUrl : baseAddress(given.authUrl, 'authUrl');
  allow('autoLogin', 'a boolean', (value) => typeof value === 'boolean');
  const { min, max } = sizes.deviceIdLength;
  allow(
    'deviceId',
    `a string of ${min} to ${max} characters`,
    (id: string) => isText(id) && id.length >= min && id.length <= max,
  );
  allow('socialPlatform', 'a string', isText);
  allow(
    'conflictFields',
    `an array of at most ${sizes.maxConflictFields} { collection, key, field }`,
    (fields: ConflictField[]) =>
      Array.isArray(fields) &&
      fields.length <= sizes.maxConflictFields &&
      fields.every((one) => isText(one?.collection) && isText(one.key) && isText(one.field)),
  );
  allow('storage', 'an object with getItem, setItem and removeItem', (storage: StoragePort | null) =>
    [storage?.getItem, storage?.setItem, storage?.removeItem].every(isFunction),
  );
  for (const hook of ['fetch', 'renewSession', 'onReady'] as const) allow(hook, 'a function', isFunction);
  allow('network', "'on' or 'off'", (value) => value === 'on' || value === 'off');
  allow('timeoutMs', 'a number of ms above 0', (ms) => Number.isFinite(ms) && ms > 0);
  return { ...config, baseUrl, authUrl, autoLogin: config.autoLogin ?? true };
}

/** Throws TypeError, with the argument's name first. */
export function checkText(value: unknown, name: string): void {
  if (!isText(value)) throw new TypeError(`${name} must be a string that is not empty`);
}

/** Whether a value can be sent as a bearer token: printable ASCII without spaces. */
export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
