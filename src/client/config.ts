import type { FetchLike } from '../http/sender.js';
import { baseAddress } from '../protocol/addresses.js';
import type { ConflictField } from '../protocol/conflict.js';
import { type Environment, isEnvironment } from '../protocol/environments.js';
import { sizes } from '../protocol/gaps/sizes.js';
import { isUuid } from '../protocol/ids.js';
import type { ReadyResult } from './results.js';
import type { StoragePort } from './storage/storage-port.js';

/** What server-to-server authentication gives a game's back end, as far as a client needs it. @see Spec 5.2 item 9 */
export interface ExternalValues {
  accessToken: string;
  /** ISO 3166-1 alpha-2. */
  country?: string | undefined;
  /** The service's clock, ms since 1970. */
  serverTime?: number | undefined;
}

export interface ClientConfig {
  gameId: string;
  /** Required, so that nobody's live saves land in Development. */
  environment: Environment;
  /** `{base_url}` of the spec. */
  baseUrl: string;
  /** `{auth_url}` of the spec; `baseUrl` by default. */
  authUrl?: string | undefined;
  /** True by default: restores the stored session, else enters as the device's guest. False waits for `auth`. */
  autoLogin?: boolean | undefined;
  /** The game's own device id, 6 to 128 characters: a secret. By default a random one, kept in the storage. */
  deviceId?: string | undefined;
  /** Which registered social platform `withSocialToken` means. */
  socialPlatform?: string | undefined;
  /** What both sides of a conflict show of their saves, so that the player can choose. */
  conflictFields?: readonly ConflictField[] | undefined;
  /** By default localStorage, IndexedDB or memory, whichever works. Two clients on one storage are two tabs. */
  storage?: StoragePort | undefined;
  fetch?: FetchLike | undefined;
  /** For one try of a request. Spec gap: 10 s. */
  timeoutMs?: number | undefined;
  /** Asked for new values before a session of `auth.external` ends: such a session has no refresh token. */
  renewSession?: (() => Promise<ExternalValues>) | undefined;
  /** `off` for portals that forbid every request: all runs on this device alone, until `client.setNetwork('on')`. */
  network?: 'on' | 'off' | undefined;
  /** Called once, before the promise of `init` settles. */
  onReady?: ((result: ReadyResult) => unknown) | undefined;
}

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

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
