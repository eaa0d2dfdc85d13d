import { isRefusedConnection } from '../http/refused-connection.js';
import { createSender, type FetchLike, type Sender } from '../http/sender.js';
import { baseAddress, pathOf } from '../protocol/addresses.js';
import {
  type AuditEntry,
  auditAnswer,
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
import { type AskAsOperator, createAdminRequests, onlyOnce } from './admin-requests.js';
import { readObject, readSending, readSignal, readUuid } from './options.js';
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

/** What every call takes. */
export interface AdminCallOptions {
  /** Aborts the call, which then fails with `aborted`; a change may have been carried out all the same. */
  signal?: AbortSignal | undefined;
}

/** Which page of a list is asked for. */
export interface AdminPageOptions extends AdminCallOptions {
  /** How many items the page may have, from 1 to 200; 50 by default. */
  limit?: number | undefined;
  /** The `cursor` of the page before it; none for the first page. */
  cursor?: string | undefined;
}

/** A page of the audit log. */
export interface AuditPage {
  /** What was done, newest first. */
  entries: AuditEntry[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/** Which operator's key is made. */
export interface NewOperatorKeyOptions extends AdminCallOptions {
  /** Whose key it is, or what for: 1 to 64 characters of A-Z, a-z, 0-9, space, `.`, `_`, `@` and `-`. */
  name: string;
  /** What it allows: `read` to look, `support` to change what a player has, `admin` all. */
  scope: OperatorScope;
}

/**
 * The service, as its operators use it. Every change is in the audit log. Every call checks its arguments first and throws
 * a `TypeError` that names the one that cannot work. It fails with an `SdkError` for everything else: besides the codes that
 * each call names, these are `network`, `timeout`, `aborted`, `invalid_answer`, `unauthorized` for a key that does not count,
 * `insufficient_scope` for one that allows less, `rate_limited`, `unavailable` and `internal`.
 *
 * @see docs/operate/support.md
 */
export interface AdminClient {
  /** Lists the games that the service keeps players for. */
  games(options?: AdminCallOptions): Promise<ServedGame[]>;
  /** Lists the operators' keys, oldest first, without what is secret of them. Takes the scope `admin`. */
  listKeys(options?: AdminCallOptions): Promise<OperatorKey[]>;
  /**
   * Makes a key for an operator, and gives it this once. Takes the scope `admin`. After `network` or `timeout` it may have
   * been made: look for its name in `listKeys`, and revoke it.
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
}

/**
 * Makes a client of the service for its operators. Throws a `TypeError`, with the option's name, for options that cannot
 * work, and in a web page: whoever reads the page could read the key.
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
  const ask = createAdminRequests(send, settings);
  return {
    async games(options) {
      const { listGames } = adminOperations;
      return (
        await ask({ operation: listGames, path: listGames.path, answer: checkedBy(gamesAnswer), ...call(options) })
      ).games;
    },

    async listKeys(options) {
      const { listOperatorKeys: operation } = adminOperations;
      const { keys } = await ask({
        operation,
        path: operation.path,
        answer: checkedBy(operatorKeysAnswer),
        ...call(options),
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
        path: operation.path,
        body: { name, scope },
        answer: checkedBy(operatorKeyAnswer),
        mayRepeat: onlyOnce,
        ...call(options),
      });
    },

    async revokeKey(id, options) {
      const { revokeOperatorKey: operation } = adminOperations;
      return ask<void>({
        operation,
        path: pathOf(operation, { id: readUuid(id, 'id') }),
        answer: null,
        ...call(options),
      });
    },

    audit: async (options = {}) => readAuditPage(ask, adminOperations.readAuditLog.path, options),
  };
}

async function readAuditPage(ask: AskAsOperator, path: string, options: AdminPageOptions): Promise<AuditPage> {
  const { limit, cursor } = readObject(options, 'options');
  const operation = adminOperations.readAuditLog;
  return ask({ operation, path, query: { limit, cursor }, answer: checkedBy(auditAnswer), ...call(options) });
}

function call(options: AdminCallOptions = {}): { signal: AbortSignal | undefined } {
  return { signal: readSignal(readObject(options, 'options').signal, 'signal') };
}

function readKey(key: unknown): string {
  if (typeof key === 'string' && /^[!-~]+$/.test(key)) return key;
  throw new TypeError('key must be printable ASCII without spaces: it is sent as a header');
}
