import { type EntryCall, forceEntry, readEntries, writeEntry } from '../http/entries.js';
import { isRefusedConnection } from '../http/refused-connection.js';
import { createSender, type Sender } from '../http/sender.js';
import type { MergeRules } from '../merge/rules.js';
import { versions } from '../protocol/gaps/versions.js';
import { type AuthAnswer, type JsonObject, type ProfileEntry, version as versionSchema } from '../protocol/messages.js';
import { pathOf } from '../protocol/operations.js';
import { encodeValue, isPlainObject } from '../protocol/value-text.js';
import { type AuthenticateOptions, createAuthenticate } from './authenticate.js';
import { type EditedEntry, type EntryAccess, type EntryChange, editEntry } from './edit-entry.js';
import {
  entryNameNamed,
  objectNamed,
  readOptions,
  type ServerClientOptions,
  type Settings,
  signalNamed,
  uuidNamed,
} from './options.js';
import { createPublishedKeys } from './published-keys.js';
import { requireServer } from './require-server.js';
import { createServiceClock } from './service-clock.js';
import { createVerifyPlayer, type VerifiedPlayer } from './verify-player.js';

export interface CollectionOptions {
  userId: string;
  collection: string;
  signal?: AbortSignal | undefined;
}

export interface EntryOptions extends CollectionOptions {
  key: string;
}

export interface EditEntryOptions extends EntryOptions {
  /** The rules that the game's clients merge the collection by. */
  merge?: MergeRules | undefined;
}

export interface UpdateEntryOptions extends EntryOptions {
  value: JsonObject;
  /** The version that the update is based on; -1 writes whatever is stored, and creates what is absent. */
  version: number;
}

export interface ServerClient {
  /**
   * Authenticates a player of the game's own system. What it gives is for that player's client alone: hand `userId`,
   * `accessToken`, `country` and `time` to its `Auth.External`.
   *
   * @see Spec 4.3
   */
  authenticate(options: AuthenticateOptions): Promise<AuthAnswer>;
  /**
   * Reads all entries of a user's collection. Fails with `user_not_found` where the service has no such user.
   *
   * @see Spec 4.1
   */
  readCollection(options: CollectionOptions): Promise<ProfileEntry[]>;
  /**
   * Writes an entry and gives its new version. Fails with `version_mismatch`, which carries `currentVersion` and
   * `currentValue`, where another version is stored; nothing has changed then.
   *
   * @see Spec 4.2
   */
  updateEntry(options: UpdateEntryOptions): Promise<{ version: number }>;
  /**
   * Changes an entry by what it holds, and loses nobody else's write: `change` is called again whenever another
   * write came first. It may be called often, so let it do nothing else. Give what must happen once an id of its
   * own inside the value (an order's), and return undefined where it is there already: an edit whose answer got lost then
   * never counts twice, and is never taken for done because another process wrote an equal value.
   *
   * With `merge`, the change counts as the back end's own where a player's device merges: what it adds to a `sum` is
   * noted as its sub-total, what it sets under `latest` gets its time. `change` then neither sees nor returns those
   * notes (the member `$savepoint` of the stored value). Without `merge`, the value comes as it is stored, and a spread keeps the
   * notes as they were; a `sum` that is changed so can be counted wrong at the next merge.
   *
   * Fails with `version_mismatch` after 64 tries. Of several processes that create an absent entry at once, one does, and
   * the others start over with what it wrote. A service that ignores `If-None-Match` lets the later one write over the
   * earlier; that fails with `entry_overwritten`, so that it does not stay unseen.
   */
  editEntry(options: EditEntryOptions, change: EntryChange): Promise<EditedEntry>;
  /**
   * Tells which player holds an access token, by the service's published keys and mostly without a request. Fails with
   * `token_expired`, `unauthorized`, `wrong_game` or `wrong_env`; where the keys are needed and cannot be had,
   * with `network` or `timeout`. A session that has ended passes until its token expires.
   */
  verifyPlayer(accessToken: string, options?: { signal?: AbortSignal | undefined }): Promise<VerifiedPlayer>;
}

/** The service, as a game's back end sees it. Throws TypeError for options that cannot work, and in a page. */
export function createServerClient(options: ServerClientOptions): ServerClient {
  requireServer('createServerClient');
  const settings = readOptions(options);
  const { fetch, timeoutMs } = settings;
  return assembleServerClient(settings, createSender({ fetch, timeoutMs, wasRefused: isRefusedConnection }));
}

/** The client over a sender of its own. */
export function assembleServerClient(settings: Settings, send: Sender): ServerClient {
  const clock = createServiceClock(settings.now);

  async function readCollection(collection: CollectionOptions): Promise<ProfileEntry[]> {
    return readEntries(send, collectionCall(settings, collection));
  }

  return {
    authenticate: createAuthenticate(settings, send, clock),
    verifyPlayer: createVerifyPlayer(settings, createPublishedKeys(settings, send), clock),
    readCollection,

    async updateEntry(update) {
      const call = entryCall(settings, update);
      const version = versionSchema.safeParse(update.version);
      if (!version.success) throw new TypeError('version must be an integer from -1 up');
      const write = { ...call, valueText: encodeValue(update.value), version: version.data };
      return write.version === versions.force ? forceEntry(send, write) : writeEntry(send, write);
    },

    async editEntry(entry, change) {
      const call = entryCall(settings, entry);
      if (typeof change !== 'function') throw new TypeError('change must be a function');
      const { merge } = entry;
      const isRules = ['undefined', 'function'].includes(typeof merge) || isPlainObject(merge);
      if (!isRules) throw new TypeError('merge must be rules by field, or a policy');
      const access: EntryAccess = {
        read: async () =>
          (await readCollection(entry)).find(({ key }) => key === entry.key) ?? { value: undefined, version: -1 },
        write: (valueText, version) => writeEntry(send, { ...call, valueText, version }),
      };
      return editEntry(access, change, { merge, now: clock.now });
    },
  };
}

function collectionCall(settings: Settings, given: CollectionOptions): EntryCall {
  const { userId, collection, signal } = objectNamed(given, 'options');
  const path = pathOf('readUserCollection', {
    game: settings.gameId,
    user: uuidNamed(userId, 'userId'),
    collection: entryNameNamed(collection, 'collection'),
  });
  return {
    url: settings.baseUrl + path,
    environment: settings.environment,
    bearer: settings.privateKey,
    signal: signalNamed(signal, 'signal'),
  };
}

function entryCall(settings: Settings, given: EntryOptions): EntryCall {
  const call = collectionCall(settings, given);
  const path = pathOf('updateUserEntry', {
    game: settings.gameId,
    user: given.userId,
    collection: given.collection,
    key: entryNameNamed(given.key, 'key'),
  });
  return { ...call, url: settings.baseUrl + path };
}
