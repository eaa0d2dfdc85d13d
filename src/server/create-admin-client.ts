import { isRefusedConnection } from '../http/refused-connection.js';
import { createSender, type FetchLike, type Sender } from '../http/sender.js';
import { baseAddress } from '../protocol/addresses.js';
import {
  gamesAnswer,
  type NewOperatorKey,
  type OperatorKey,
  type OperatorScope,
  operatorKeyAnswer,
  operatorKeysAnswer,
  operatorScopes,
  type ServedGame,
} from '../protocol/admin-messages.js';
import { adminOperations } from '../protocol/admin-operations.js';
import { checkedBy } from '../protocol/schema-check.js';
import { type AdminGames, createAdminGames } from './admin-games.js';
import { type AdminCallOptions, type AdminPageOptions, type AuditPage, readAuditPage } from './admin-pages.js';
import { type AdminPlatforms, createAdminPlatforms } from './admin-platforms.js';
import { type AdminPlayers, createAdminPlayers, type PlayersOptions } from './admin-players.js';
import { callOf, createAdminRequests, onlyOnce, operationAt } from './admin-requests.js';
import { readObject, readSending, readUuid } from './options.js';
import { requireServer } from './require-server.js';

/** What `createAdminClient` needs to know. */
export interface AdminClientOptions {
  /** The operator's key: a secret of this operator. It is sent as a header. */
  key: string;
  /** The http(s) address of the service, without `/v2`. */
  baseUrl: string;
  /** Sends the requests, for a proxy or a test; the global `fetch` by default. */
  fetch?: FetchLike | undefined;
  /** How long one try of a request may take, in ms, above 0; 10,000 by default. */
  timeoutMs?: number | undefined;
}

/** Which operator's key is made. */
export interface NewOperatorKeyOptions extends AdminCallOptions {
  /** Whose key it is, or what for: 1 to 64 characters of A-Z, a-z, 0-9, space, `.`, `_`, `@` and `-`. */
  name: string;
  /** What it allows: `read` to look, `support` to change what a player has, `admin` all. */
  scope: OperatorScope;
}

/**
 * The service, as its operators use it. Every change is in the audit log. Every call checks its arguments first and
 * throws a `TypeError` that names the one that cannot work. It fails with an `SdkError` for everything else: besides
 * the codes that each call names, these are `network`, `timeout`, `aborted`, `invalid_answer`, `unauthorized` for a key
 * that does not count, `insufficient_scope` for one that allows less, `rate_limited`, `unavailable` and `internal`.
 *
 * @see docs/operate/support.md
 */
export interface AdminClient extends AdminGames, AdminPlatforms {
  /** Lists the games that the service keeps players for. */
  games(options?: AdminCallOptions): Promise<ServedGame[]>;
  /** Lists the operators' keys, oldest first, without what is secret of them. Takes the scope `admin`. */
  listKeys(options?: AdminCallOptions): Promise<OperatorKey[]>;
  /**
   * Makes a key for an operator, and gives it this once. Takes the scope `admin`. After `network` or `timeout` it may
   * have been made: look for its name in `listKeys`, and revoke it.
   *
   * @example
   * ```ts
   * const { key } = await admin.makeKey({ name: 'grace, support', scope: 'support' });
   * ```
   */
  makeKey(options: NewOperatorKeyOptions): Promise<NewOperatorKey>;
  /** Takes a key away, for good. Takes the scope `admin`. Fails with `not_found` where there is no such key. */
  revokeKey(id: string, options?: AdminCallOptions): Promise<void>;
  /** Reads a page of the audit log: what operators have done, newest first. */
  audit(options?: AdminPageOptions): Promise<AuditPage>;
  /**
   * The players of one game in one environment. It asks nothing by itself.
   *
   * @example
   * ```ts
   * const players = admin.players({ gameId, environment: environments.Production });
   * const [ada] = await players.find({ name: 'Ada' });
   * ```
   */
  players(options: PlayersOptions): AdminPlayers;
}

/**
 * Makes a client of the service for its operators. Throws a `TypeError`, with the option's name, for options that
 * cannot work, and in a web page: whoever reads the page could read the key.
 *
 * @example
 * ```ts
 * const admin = createAdminClient({ baseUrl: 'https://saves.example', key: process.env.SAVEPOINT_OPERATOR_KEY ?? '' });
 * for (const { id } of await admin.games()) console.log(id);
 * ```
 *
 * @see docs/operate/support.md
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  requireServer('createAdminClient');
  const { fetch, timeoutMs } = readSending(readObject(options, 'options'));
  const key = readKey(options.key);
  const baseUrl = baseAddress(options.baseUrl, 'baseUrl');
  return assembleAdminClient({ key, baseUrl }, createSender({ fetch, timeoutMs, wasRefused: isRefusedConnection }));
}

/** Makes the client with the sender that is given: the tests give one that needs no network. */
export function assembleAdminClient(settings: { key: string; baseUrl: string }, send: Sender): AdminClient {
  const requests = createAdminRequests(send, settings);
  const { ask } = requests;
  return {
    async games(options) {
      const { listGames } = adminOperations;
      return (await ask({ operation: listGames, answer: checkedBy(gamesAnswer), ...callOf(options) })).games;
    },

    async listKeys(options) {
      const { listOperatorKeys: operation } = adminOperations;
      const { keys } = await ask({
        operation,
        answer: checkedBy(operatorKeysAnswer),
        ...callOf(options),
      });
      return keys;
    },

    async makeKey(options) {
      const { name, scope } = readObject(options, 'options');
      if (typeof name !== 'string') throw new TypeError('name must be a text');
      if (!operatorScopes.includes(scope)) throw new TypeError(`scope must be one of ${operatorScopes.join(', ')}`);
      const { makeOperatorKey: operation } = adminOperations;
      return ask({
        operation,
        body: { name, scope },
        answer: checkedBy(operatorKeyAnswer),
        mayRepeat: onlyOnce,
        ...callOf(options),
      });
    },

    async revokeKey(id, options) {
      const operation = operationAt(adminOperations.revokeOperatorKey, { id: readUuid(id, 'id') });
      return ask<void>({
        operation,
        answer: null,
        ...callOf(options),
      });
    },

    players: (options) => createAdminPlayers(requests, options),

    ...createAdminGames(ask),
    ...createAdminPlatforms(ask),

    audit: async (options = {}) => readAuditPage(ask, adminOperations.readAuditLog, {}, options),
  };
}

function readKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]+$/.test(key)) return key;
  throw new TypeError('key must be printable ASCII without spaces: it is sent as a header');
}
