import type { FetchLike } from '../../http/sender.js';
import type { ConflictField } from '../../protocol/conflict.js';
import type { Environment } from '../../protocol/environments.js';
import type { ExternalValues } from '../config.js';
import type { StoragePort } from '../storage/storage-port.js';
import type { Callback } from './callbacks.js';
import type { ReadyResult } from './results.js';

/** The configuration of `Main.Init`. docs/interface.md#client-operations */
export interface AppConfig {
  /** The game's id, a UUID. */
  GameId: string;
  /** 0 Development, 1 Stage, 2 Production. Required, so that nobody's live saves land in Development. */
  Environment: Environment;
  /** Address of the service, `https://` or `http://`, with a path where there is one. */
  BaseUrl: string;
  /** Address of its authentication. Default: `BaseUrl`. */
  AuthUrl?: string | undefined;
  /**
   * Whether `Init` restores the stored session, or signs in as the device's guest. False waits for `Auth`, as
   * server-to-server authentication needs it. Default: true.
   */
  AutoLogin?: boolean | undefined;
  /**
   * The game's own device id, 6 to 128 characters; a secret, for it leads to the guest's account. Default: a random
   * one, stored.
   */
  DeviceId?: string | undefined;
  /** Which registered social platform `Auth.WithSocialToken` means. Default: the only one that is registered. */
  SocialPlatform?: string | undefined;
  /**
   * The fields of saves that both sides of a conflict show, so that the player can choose: at most 32. Default: none.
   */
  ConflictFields?: readonly ConflictField[] | undefined;
  /**
   * Where session, device id and saves are kept. Two clients on one storage are two tabs. Default: IndexedDB, or
   * localStorage where IndexedDB has never worked; memory where the platform has neither, or denies both.
   */
  Storage?: StoragePort | undefined;
  /** Sends every request. Default: the platform's `fetch`. */
  Fetch?: FetchLike | undefined;
  /** How long one try of a request may take, in ms above 0. Default: 10,000. */
  TimeoutMs?: number | undefined;
  /**
   * Asked for new values before a session of `Auth.External` ends, which has no refresh token. Without it such a
   * session expires. What it throws is reported.
   */
  RenewSession?: (() => Promise<ExternalValues>) | undefined;
  /**
   * `off` for portals that forbid every request: all runs on this device alone, until `Main.Client().setNetwork('on')`.
   * Default: `on`.
   */
  Network?: 'on' | 'off' | undefined;
  /**
   * Called once, before the promise of `Init` settles; `Auth.External` is called inside it where `AutoLogin` is
   * false.
   */
  OnReadyCallback?: Callback<ReadyResult> | undefined;
}
