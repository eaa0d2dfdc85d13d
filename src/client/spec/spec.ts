import { StateError } from '../../errors.js';
import type { ConflictDifference, ConflictSide } from '../../protocol/conflict.js';
import type { Conflict } from '../auth/conflict.js';
import type { ClientEvents } from '../client-events.js';
import type { ClientConfig } from '../config.js';
import { type Client, composeClient } from '../create-client.js';
import { callSafely, createEvents, type Events as EventsOf } from '../events.js';
import { createPlatform, report } from '../platform/platform.js';
import type { Profile as ClientProfile, CollectionOptions } from '../profile/collection.js';
import {
  type AuthResult as CamelAuthResult,
  type ReadyResult as CamelReadyResult,
  type SignOutResult as CamelSignOutResult,
  failed,
} from '../results.js';
import { type Pascal, toCamel, toPascal } from './spelling.js';

/** @see Spec 2.6 */
export type AuthResult = Pascal<CamelAuthResult>;
export type ReadyResult = Pascal<CamelReadyResult>;
export type SignOutResult = Pascal<CamelSignOutResult>;

/** @see Spec 4.4 */
export type AppConfig = Pascal<Omit<ClientConfig, 'onReady'>> & {
  /** Called once, before the promise of `Init` settles; `Auth.External` is called inside it where `AutoLogin` is false. */
  OnReadyCallback?: ((response: ReadyResult) => unknown) | undefined;
};

/** The conflict in the spec's spelling. */
export interface SystemProfileConflict {
  readonly Method: string;
  readonly Local: Pascal<ConflictSide>;
  readonly Cloud: Pascal<ConflictSide>;
  readonly Kind: Conflict['kind'];
  /** The side that has all that the other one has, as `Resolve` takes it; null where they diverged. */
  readonly Ahead: 'Local' | 'Cloud' | null;
  readonly Diff: readonly Pascal<ConflictDifference>[];
  readonly Mergeable: boolean;
  readonly ExpiresAt: number;
  /** As `resolve` of the conflict in the other face. */
  Resolve(choice: 'Local' | 'Cloud' | 'Merge' | 'Cancel'): Promise<AuthResult>;
}

/** @see Spec 6 */
export interface SpecEvents {
  OnSystemProfileConflictAppeared: SystemProfileConflict;
  OnSmartObjectsInitialized: Pascal<ClientEvents['initialized']>;
  OnStateChanged: Pascal<ClientEvents['stateChanged']>;
  OnSyncChanged: Pascal<ClientEvents['syncChanged']>;
  OnStorageDegraded: Pascal<ClientEvents['storageDegraded']>;
  OnSessionExpired: Pascal<ClientEvents['sessionExpired']>;
}

type Callback<Result> = ((result: Result) => unknown) | undefined;

const specNames = {
  conflict: 'OnSystemProfileConflictAppeared',
  initialized: 'OnSmartObjectsInitialized',
  stateChanged: 'OnStateChanged',
  syncChanged: 'OnSyncChanged',
  storageDegraded: 'OnStorageDegraded',
  sessionExpired: 'OnSessionExpired',
} as const satisfies Record<keyof ClientEvents, keyof SpecEvents>;

let client: Client | null = null;
let started: { fingerprint: string; callback: unknown; ready: Promise<ReadyResult> } | null = null;

/** What the game listens for, also while there is no client. */
const heard = /* @__PURE__ */ createEvents<SpecEvents>(report);

export const Main = {
  /**
   * Initialises the client. Never rejects. Called again with the same configuration it gives the first promise; with another
   * one it fails with `already_initialised` until `Dispose`.
   */
  Init(config: AppConfig): Promise<ReadyResult> {
    const { OnReadyCallback: callback, ...rest } = config ?? {};
    const fingerprint = fingerprintOf(rest);
    const first = started;
    if (first !== null && first.fingerprint === fingerprint) {
      return callback === first.callback ? first.ready : answer(() => first.ready, callback);
    }
    const ready = answer(async () => {
      if (first !== null) {
        throw new StateError('already_initialised', 'Init was called with another configuration: Dispose comes first.');
      }
      client = composeClient(toCamel(rest) as unknown as ClientConfig, createPlatform(), {
        emit: (name, payload) =>
          heard.emit(specNames[name], ('resolve' in payload ? toSpecConflict(payload) : toPascal(payload)) as never),
        hasListener: (name) => heard.hasListener(specNames[name]),
      });
      return toPascal(await client.init());
    }, callback);
    if (first === null && client !== null) started = { fingerprint, callback, ready };
    return ready;
  },
  /** Ends timers, channels and listeners; `Init` may then be called again. The stored session stays. */
  Dispose(): void {
    client?.dispose();
    client = null;
    started = null;
  },
  /** The client behind these names, for what the interface has no name for. Throws before `Init`. */
  Client(): Client {
    if (client === null) throw notInitialised();
    return client;
  },
  /** The service's clock, ms since 1970. */
  GetServerTime(): number {
    return client?.serverTime() ?? Date.now();
  },
};

/** @see Spec 4.4 */
export const Auth = {
  WithName: (username: string, password: string, callback?: Callback<AuthResult>): Promise<AuthResult> =>
    call<CamelAuthResult>((auth) => auth.withName(username, password), callback),
  AsGuest: (callback?: Callback<AuthResult>): Promise<AuthResult> =>
    call<CamelAuthResult>((auth) => auth.asGuest(), callback),
  WithIdentityToken: (token: string, callback?: Callback<AuthResult>): Promise<AuthResult> =>
    call<CamelAuthResult>((auth) => auth.withIdentityToken(token), callback),
  WithSocialToken: (token: string, callback?: Callback<AuthResult>): Promise<AuthResult> =>
    call<CamelAuthResult>((auth) => auth.withSocialToken(token), callback),
  /** Takes over what server-to-server authentication gave. `serverTime` in ms since 1970. Holds at once. */
  External: (userId: string, accessToken: string, country?: string, serverTime?: number): Promise<AuthResult> =>
    call<CamelAuthResult>((auth) => auth.external({ userId, accessToken, country, serverTime })),
  SignOut: (gameId: string, environment: number, callback?: Callback<SignOutResult>): Promise<SignOutResult> =>
    call<CamelSignOutResult>((auth) => auth.signOut({ gameId, environment }), callback),
  GetUserId: (): string | null => client?.auth.userId ?? null,
  IsAuthorized: (): boolean => client?.auth.isAuthorized ?? false,
};

export const Profile = {
  /** A collection of the player's entries, as `client.profile.collection`. Throws before `Init`. */
  Collection: ((name: string, options?: CollectionOptions) =>
    Main.Client().profile.collection(name, options)) as ClientProfile['collection'],
};

/** Works before `Init` and survives `Dispose`. */
export const Events: EventsOf<SpecEvents> = {
  on: (name, listener) => {
    checkName(name);
    return heard.events.on(name, listener);
  },
  once: (name, listener) => {
    checkName(name);
    return heard.events.once(name, listener);
  },
  off: (name, listener) => heard.events.off(name, listener),
};

function checkName(name: keyof SpecEvents): void {
  if (!Object.values(specNames).includes(name)) throw new TypeError('name must be an event of the interface');
}

function toSpecConflict({ resolve, ...sides }: Conflict): SystemProfileConflict {
  const { local, cloud, ahead, diff } = sides;
  return {
    ...toPascal(sides),
    Local: toPascal(local),
    Cloud: toPascal(cloud),
    Ahead: ahead && (ahead === 'local' ? 'Local' : 'Cloud'),
    Diff: diff.map(toPascal),
    Resolve: (choice) => answer(async () => toPascal(await resolve(String(choice).toLowerCase() as 'local'))),
  };
}

function call<Camel extends object>(
  operation: (auth: Client['auth']) => Promise<Camel>,
  callback?: Callback<Pascal<Camel>>,
): Promise<Pascal<Camel>> {
  // Started at once: `External` holds before its promise settles.
  return answer(async () => {
    return toPascal(await operation(Main.Client().auth));
  }, callback);
}

/** Never rejects; the callback is called once, just before the promise settles. */
async function answer<Result>(task: () => Promise<Result>, callback?: Callback<Result>): Promise<Result> {
  let result: Result;
  try {
    if (callback !== undefined && typeof callback !== 'function') throw new TypeError('callback must be a function');
    result = await task();
  } catch (error) {
    // A wrong argument or option: the other face throws for it.
    result = toPascal(failed(error instanceof TypeError ? invalidArgument(error) : error)) as Result;
  }
  if (typeof callback === 'function') callSafely(report, callback, result);
  return result;
}

/** Two configurations with the same values are the same, whatever functions and storage they were made with. */
function fingerprintOf(config: object): string {
  const values = Object.entries(config).filter(([name, value]) => name !== 'Storage' && typeof value !== 'function');
  return JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
}

function invalidArgument({ message }: TypeError): StateError {
  return new StateError('invalid_argument', message.charAt(0).toUpperCase() + message.slice(1));
}

function notInitialised(): StateError {
  return new StateError('not_initialised', 'Init has not been called.');
}
