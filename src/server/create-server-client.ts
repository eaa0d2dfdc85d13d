import { type EntryCall, forceEntry, readSaves, writeEntry } from '../http/entries.js';
import { isRefusedConnection } from '../http/refused-connection.js';
import { createSender, type Sender } from '../http/sender.js';
import { createServiceClock } from '../http/service-clock.js';
import { cleanValue } from '../merge/earlier-notes.js';
import type { MergeRules } from '../merge/rules.js';
import { pathOf } from '../protocol/addresses.js';
import { checkCollectionAnswer, checkUsageAnswer } from '../protocol/answer-checks.js';
import { versions } from '../protocol/gaps/versions.js';
import { type AuthAnswer, type JsonObject, type ProfileEntry, version as versionSchema } from '../protocol/messages.js';
import { gameOperations } from '../protocol/operations.js';
import type { AccountUsage } from '../protocol/player-messages.js';
import { encodeValue } from '../protocol/value-text.js';
import { type AuthenticateOptions, createAuthenticate } from './authenticate.js';
import { type EditedEntry, type EntryAccess, type EntryChange, editEntry } from './edit-entry.js';
import {
  readEntryName,
  readObject,
  readOptions,
  readSignal,
  readUuid,
  type ServerClientOptions,
  type Settings,
} from './options.js';
import { createPublishedKeys } from './published-keys.js';
import { requireServer } from './require-server.js';
import { createVerifyPlayer, type VerifiedPlayer, type VerifyPlayerOptions } from './verify-player.js';
import { createWriteNames } from './write-names.js';

/**
 * Which collection of which player a call is about.
 *
 * @see docs/interface.md#read-a-collection
 */
export interface CollectionOptions {
  /** The player's user id, a UUID, as `authenticate` and `verifyPlayer` give it. */
  userId: string;
  /** The collection's name: 1 to 128 bytes of UTF-8 without control characters, and neither `.` nor `..`. */
  collection: string;
  /** Aborts the call, which then fails with `aborted`; a write may have been carried out all the same. */
  signal?: AbortSignal | undefined;
}

/** Which player a call is about. */
export type PlayerOptions = Pick<CollectionOptions, 'userId' | 'signal'>;

/**
 * Which entry of which player a call is about.
 *
 * @see docs/interface.md#profile-entry
 */
export interface EntryOptions extends CollectionOptions {
  /** The entry's key inside the collection: 1 to 128 bytes of UTF-8, by the same rules as the collection's name. */
  key: string;
}

/**
 * Which entry `editEntry` changes.
 *
 * @see docs/interface.md#update-an-entry
 */
export interface EditEntryOptions extends EntryOptions {
  /**
   * Changes nothing: a merge needs no notes of a back end any more.
   *
   * @deprecated Leave it out.
   */
  merge?: MergeRules | undefined;
}

/**
 * Which entry `updateEntry` writes, and what.
 *
 * @see docs/interface.md#entry-update-request
 */
export interface UpdateEntryOptions extends EntryOptions {
  /** The entry's new content: plain JSON of at most 150 KiB, at most 32 levels deep. It replaces the old content. */
  value: JsonObject;
  /**
   * The version that the update is based on; -1 overwrites whatever is stored, and creates the entry if there is none.
   */
  version: number;
}

/** What an update made. */
interface UpdatedEntry {
  /** The entry's new version: 0 for a new entry. */
  version: number;
}

/**
 * The service, as a game's back end uses it. Every call checks its arguments first and throws a `TypeError` that names
 * the one that cannot work. It fails with an `SdkError` for everything else: besides the codes that each call names,
 * these are `network`, `timeout`, `aborted`, `invalid_answer`, `unauthorized` for a private key that the service does
 * not know, `rate_limited`, `unavailable` and `internal`.
 *
 * @see docs/interface.md#errors
 */
export interface ServerClient {
  /**
   * Signs in a player of the game's own system, and creates the account the first time. Hand `userId`, `accessToken`,
   * `country` and `time` to this player's client, for `Auth.External`; keep the refresh token, and give them to nobody
   * else.
   *
   * Fails with `invalid_signature` for a private key that is not the game's, with `timestamp_out_of_window` where the
   * clock of this machine cannot be corrected by the service's, and with `account_deleted` while the player's account
   * is being deleted.
   *
   * @example
   * ```ts
   * const { userId, accessToken, country, time } = await server.authenticate({
   *   customUserId: session.playerId,
   *   deviceId: request.body.deviceId,
   *   ip: request.ip,
   * });
   * response.json({ userId, accessToken, country, time });
   * ```
   *
   * @see docs/interface.md#server-to-server-authentication
   */
  authenticate(options: AuthenticateOptions): Promise<AuthAnswer>;
  /**
   * Reads all entries of a player's collection; a collection that nobody has written to is empty. Fails with
   * `user_not_found` where the service has no such user in this game and environment.
   *
   * @see docs/interface.md#read-a-collection
   */
  readCollection(options: CollectionOptions): Promise<ProfileEntry[]>;
  /**
   * Tells how much a player's account holds, and how much it may hold: beyond it, writes that would make it hold more
   * are refused with `quota_exceeded`, a player's and the back end's alike. Fails with `user_not_found` where the
   * service has no such user in this game and environment.
   *
   * @see docs/interface.md#ours-errors-and-limits
   */
  usage(options: PlayerOptions): Promise<AccountUsage>;
  /**
   * Writes an entry and gives its new version. Prefer `editEntry`, which starts over where another write came first.
   *
   * Fails with `version_mismatch`, which carries `currentVersion` and `currentValue`, where another version is stored:
   * nothing has changed then. Fails with `user_not_found` where there is no such user, with `account_deleted` while the
   * player's account is being deleted, and with `quota_exceeded` where the account is full. After `network` or
   * `timeout` it may have been carried out.
   *
   * Each update has a name, by which the service carries it out once however often it is sent. An update with version
   * -1 whose answer got lost is sent again only after the service has said that it knows of none: a service that keeps
   * no names never says so, and the update fails, so that it overwrites no later write.
   *
   * @see docs/interface.md#update-an-entry
   */
  updateEntry(options: UpdateEntryOptions): Promise<UpdatedEntry>;
  /**
   * Changes an entry by what it holds, without losing what anybody else writes meanwhile: it reads the entry, calls
   * `change`, and writes the result if nobody has written since. Otherwise it starts over with what they wrote.
   *
   * `change` may be called many times, so it should do nothing but make the new value. An edit whose answer was lost
   * on the way is made once, however often this call sends it. But after `network` or `timeout` nobody knows whether
   * it was made: where your back end then calls again, put an id into the value (an order's number), and return
   * undefined if it is there already.
   *
   * The players' devices merge the change by their own rules: what it adds to a `sum` is counted once.
   *
   * Fails with `version_mismatch` when 64 tries were each overtaken, with `user_not_found` where there is no such user,
   * and with `quota_exceeded` where the account is full. Fails with `entry_overwritten` where the service does not
   * support `If-None-Match`, and two processes have created the entry at the same time: the later one replaced the
   * earlier.
   *
   * @example
   * ```ts
   * await server.editEntry({ userId, collection: 'wallet', key: 'main' }, (wallet) => {
   *   const orders = Array.isArray(wallet?.orders) ? wallet.orders : [];
   *   if (orders.includes(order.id)) return undefined;
   *   return { ...wallet, coins: Number(wallet?.coins ?? 0) + order.coins, orders: [...orders, order.id] };
   * });
   * ```
   *
   * @see docs/interface.md#update-an-entry
   */
  editEntry(options: EditEntryOptions, change: EntryChange): Promise<EditedEntry>;
  /**
   * Tells which player an access token belongs to. The token's signature is checked with the service's published keys,
   * which are kept for 5 minutes, so that most calls need no request. A token stays valid until it expires, at most an
   * hour after it was made, even if the player signs out before.
   *
   * Fails with `token_expired`, with `wrong_game` or `wrong_env` for a token of another game or environment, and with
   * `unauthorized` for everything else that is no access token of the service. Fails with `network` or `timeout` where
   * the keys are needed and cannot be read.
   *
   * @example
   * ```ts
   * const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
   * const { userId } = await server.verifyPlayer(token);
   * ```
   *
   * @see docs/interface.md#client-authentication
   */
  verifyPlayer(accessToken: string, options?: VerifyPlayerOptions): Promise<VerifiedPlayer>;
}

/**
 * Makes a client of the service for a game's back end. Throws a `TypeError`, with the option's name, for options that
 * cannot work, and in a web page: the page's players could read the game's private key.
 *
 * @example
 * ```ts
 * const server = createServerClient({
 *   gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d',
 *   environment: environments.Production,
 *   privateKey: process.env.GAME_PRIVATE_KEY ?? '',
 *   baseUrl: 'https://saves.example',
 * });
 * ```
 *
 * @see docs/interface.md#private-profile-api
 */
export function createServerClient(options: ServerClientOptions): ServerClient {
  requireServer('createServerClient');
  const settings = readOptions(options);
  const { fetch, timeoutMs } = settings;
  return assembleServerClient(settings, createSender({ fetch, timeoutMs, wasRefused: isRefusedConnection }));
}

/** Makes the client with the sender that is given: the tests give one that needs no network. */
export function assembleServerClient(settings: Settings, send: Sender): ServerClient {
  const clock = createServiceClock(settings.now);
  const names = createWriteNames();

  /** Writes an entry where the version is the one that is stored; -1 creates it. */
  async function write(call: EntryCall, valueText: string, version: number): Promise<UpdatedEntry> {
    return names.name(call.url, (name) => writeEntry(send, { ...call, valueText, version, name }));
  }

  async function force(call: EntryCall, valueText: string): Promise<UpdatedEntry> {
    return names.name(call.url, (name, startAnew) =>
      forceEntry(send, { ...call, valueText, name, onUnanswered: startAnew }),
    );
  }

  async function readCollection(collection: CollectionOptions): Promise<ProfileEntry[]> {
    const entries = await readSaves(send, collectionCall(settings, collection), checkCollectionAnswer);
    // What an earlier version of the player's SDK has kept inside a value is none of the game's.
    return entries.map((entry) => ({ ...entry, value: cleanValue(entry.value).value }));
  }

  return {
    authenticate: createAuthenticate(settings, send, clock),
    verifyPlayer: createVerifyPlayer(settings, createPublishedKeys(settings, send), clock),
    readCollection,
    usage: async (player) => readSaves(send, usageCall(settings, player), checkUsageAnswer),

    async updateEntry(update) {
      const call = entryCall(settings, update);
      const version = versionSchema.safeParse(update.version);
      if (!version.success) throw new TypeError('version must be an integer from -1 up');
      const valueText = encodeValue(update.value);
      return version.data === versions.force ? force(call, valueText) : write(call, valueText, version.data);
    },

    async editEntry(entry, change) {
      const call = entryCall(settings, entry);
      if (typeof change !== 'function') throw new TypeError('change must be a function');
      const access: EntryAccess = {
        read: async () =>
          (await readCollection(entry)).find(({ key }) => key === entry.key) ?? { value: undefined, version: -1 },
        write: (valueText, version) => write(call, valueText, version),
      };
      return editEntry(access, change);
    },
  };
}

function usageCall({ gameId, baseUrl, environment, privateKey }: Settings, given: PlayerOptions): EntryCall {
  const { userId, signal } = readObject(given, 'options');
  const path = pathOf(gameOperations.readUserUsage, { game: gameId, user: readUuid(userId, 'userId') });
  return { url: baseUrl + path, environment, bearer: privateKey, signal: readSignal(signal, 'signal') };
}

function collectionCall(settings: Settings, given: CollectionOptions): EntryCall {
  const call = usageCall(settings, given);
  const path = pathOf(gameOperations.readUserCollection, {
    game: settings.gameId,
    user: given.userId,
    collection: readEntryName(given.collection, 'collection'),
  });
  return { ...call, url: settings.baseUrl + path };
}

function entryCall(settings: Settings, given: EntryOptions): EntryCall {
  const call = collectionCall(settings, given);
  const path = pathOf(gameOperations.updateUserEntry, {
    game: settings.gameId,
    user: given.userId,
    collection: given.collection,
    key: readEntryName(given.key, 'key'),
  });
  return { ...call, url: settings.baseUrl + path };
}
