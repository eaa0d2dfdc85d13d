import { type EntryCall, readEntries, writeEntry } from '../http/entries.js';
import type { Call, Sender } from '../http/sender.js';
import { type HttpMethod, type Operation, type PathParameters, pathOf } from '../protocol/addresses.js';
import {
  type AnswerCheck,
  checkAccountAnswer,
  checkConflictSidesAnswer,
  checkDeletionAnswer,
  checkPeekAnswer,
  checkPlayerAuthAnswer,
  checkRecoveryCodeAnswer,
  checkRestoreAnswer,
  checkSnapshotsAnswer,
} from '../protocol/answer-checks.js';
import type { ConflictChoice } from '../protocol/conflict.js';
import * as headers from '../protocol/headers.js';
import type { JsonObject, ProfileEntry } from '../protocol/messages.js';
import type {
  AccountAnswer,
  DeletionAnswer,
  PeekAnswer,
  PlacedEntry,
  PlayerAuthAnswer,
  SnapshotSummary,
} from '../protocol/player-messages.js';
import { playerOperations, signInOperations } from '../protocol/player-operations.js';
import { isPlainObject } from '../protocol/value-text.js';
import type { MergedAccounts } from './auth/merge-accounts.js';
import type { Settings } from './config.js';

/** What a player signs in by, or links: each has an operation of its own. */
export type SignInMethod = keyof typeof signInOperations;

export interface RequestOptions {
  /** The access token. */
  bearer?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Lets the request outlive its page. */
  keepalive?: boolean | undefined;
}

/** The options of a request for a player who is signed in. */
export interface PlayerOptions extends RequestOptions {
  bearer: string;
}

/** The ticket of a conflict, and the device that it is bound to. */
interface TicketFields {
  ticket: string;
  device_id: string;
}

/** Every request of a player's client, by the name of its operation. Spec gap: the interface shows none of them. */
export interface Requests {
  /** With a bearer the service links the method, or answers a conflict; without one it signs in. `fields` may say the intent. */
  signInWith(method: SignInMethod, fields: object, options?: RequestOptions): Promise<PlayerAuthAnswer>;
  peek(method: SignInMethod, fields: object, options?: RequestOptions): Promise<PeekAnswer>;
  readConflictSides(
    fields: TicketFields,
    options?: RequestOptions,
  ): Promise<{ local: PlacedEntry[]; cloud: PlacedEntry[] }>;
  resolveConflict(
    fields: TicketFields & { choice: ConflictChoice } & Partial<MergedAccounts>,
    options?: RequestOptions,
  ): Promise<PlayerAuthAnswer>;
  refreshSession(refreshToken: string): Promise<PlayerAuthAnswer>;
  /** Ends one session: by its refresh token, or by its access token where it has no other. */
  signOut(session: { refreshToken: string | null; accessToken: string }): Promise<void>;
  signOutEverywhere(options: PlayerOptions): Promise<void>;
  readAccount(options: PlayerOptions): Promise<AccountAnswer>;
  deleteAccount(options: PlayerOptions): Promise<DeletionAnswer>;
  exportAccount(options: PlayerOptions): Promise<JsonObject>;
  /** Null where an earlier try, whose answer got lost, had unlinked it already. */
  unlinkMethod(method: string, options: PlayerOptions): Promise<AccountAnswer | null>;
  changePassword(oldPassword: string, newPassword: string, options: PlayerOptions): Promise<void>;
  makeRecoveryCode(options: PlayerOptions): Promise<{ code: string }>;
  listSnapshots(options: PlayerOptions): Promise<{ snapshots: SnapshotSummary[] }>;
  restoreSnapshot(id: string, options: PlayerOptions): Promise<{ entries: Omit<PlacedEntry, 'value'>[] }>;
  /** Keeps a value that loses as a snapshot, so that it can be taken back. */
  addSnapshot(entry: Omit<PlacedEntry, 'version'>, options: PlayerOptions): Promise<void>;
  readCollection(collection: string, options: PlayerOptions): Promise<ProfileEntry[]>;
  updateEntry(entry: EntryUpdate, options: PlayerOptions): Promise<{ version: number }>;
}

/** `valueText` is the value's JSON, from `encodeValue`. */
export interface EntryUpdate {
  collection: string;
  key: string;
  valueText: string;
  version: number;
}

const objectShape: AnswerCheck<JsonObject> = (value) => (isPlainObject(value) ? null : '');

export function createRequests(settings: Settings, send: Sender): Requests {
  const { gameId, environment } = settings;

  /** Sends one request to `{auth_url}`. Doing any of them twice is doing it once: the service says so of each. */
  function ask<Answer>(
    { method, path }: Operation,
    request: {
      answer: AnswerCheck<Answer> | null;
      /** The body, besides the game and its environment; none is sent where it is left out. */
      fields?: object;
      accept?: Call<Answer>['accept'];
    },
    { bearer, signal, keepalive }: RequestOptions = {},
  ): Promise<Answer> {
    const { answer, fields, accept } = request;
    return send({
      method,
      url: settings.authUrl + path,
      headers: bearer === undefined ? undefined : { [headers.authorization]: `Bearer ${bearer}` },
      body: fields === undefined ? undefined : JSON.stringify({ game_id: gameId, env: environment, ...fields }),
      answer,
      accept,
      signal,
      keepalive,
    });
  }

  function entryCall(path: string, options: PlayerOptions): EntryCall {
    return { url: settings.baseUrl + path, environment, ...options };
  }

  return {
    signInWith: (method, fields, options) =>
      ask(playerOperations[signInOperations[method]], { answer: checkPlayerAuthAnswer, fields }, options),
    peek: (method, fields, options) =>
      ask(at(playerOperations.peek, { method }), { answer: checkPeekAnswer, fields }, options),
    readConflictSides: (fields, options) =>
      ask(playerOperations.readConflictSides, { answer: checkConflictSidesAnswer, fields }, options),
    resolveConflict: (fields, options) =>
      ask(playerOperations.resolveConflict, { answer: checkPlayerAuthAnswer, fields }, options),
    refreshSession: (refreshToken) =>
      ask(playerOperations.refreshSession, {
        answer: checkPlayerAuthAnswer,
        fields: { refresh_token: refreshToken },
      }),
    signOut: ({ refreshToken, accessToken }) =>
      ask(
        playerOperations.signOut,
        { answer: null, fields: refreshToken === null ? {} : { refresh_token: refreshToken } },
        { bearer: refreshToken === null ? accessToken : undefined, keepalive: true },
      ),
    signOutEverywhere: (options) =>
      ask<void>(
        playerOperations.signOut,
        {
          answer: null,
          fields: { everywhere: true },
          // An earlier try, whose answer got lost, has ended the very session that this one shows.
          accept: ({ status }, unanswered) => (unanswered && status === 401 ? { answer: undefined } : undefined),
        },
        options,
      ),
    readAccount: (options) => ask(playerOperations.readAccount, { answer: checkAccountAnswer }, options),
    deleteAccount: (options) => ask(playerOperations.deleteAccount, { answer: checkDeletionAnswer }, options),
    exportAccount: (options) => ask(playerOperations.exportAccount, { answer: objectShape }, options),
    unlinkMethod: (method, options) =>
      ask<AccountAnswer | null>(
        at(playerOperations.unlinkMethod, { method }),
        {
          answer: checkAccountAnswer,
          accept: ({ code }, unanswered) => (unanswered && code === 'not_found' ? { answer: null } : undefined),
        },
        options,
      ),
    changePassword: (oldPassword, newPassword, options) =>
      ask(
        playerOperations.changePassword,
        { answer: null, fields: { old_password: oldPassword, new_password: newPassword } },
        options,
      ),
    makeRecoveryCode: (options) =>
      ask(playerOperations.makeRecoveryCode, { answer: checkRecoveryCodeAnswer, fields: {} }, options),
    listSnapshots: (options) => ask(playerOperations.listSnapshots, { answer: checkSnapshotsAnswer }, options),
    restoreSnapshot: (id, options) =>
      ask(at(playerOperations.restoreSnapshot, { snapshot: id }), { answer: checkRestoreAnswer, fields: {} }, options),
    addSnapshot: (entry, options) => ask(playerOperations.addSnapshot, { answer: null, fields: entry }, options),
    readCollection: (collection, options) =>
      readEntries(send, entryCall(pathOf(playerOperations.readCollection, { game: gameId, collection }), options)),
    updateEntry: ({ collection, key, ...write }, options) =>
      writeEntry(send, {
        ...entryCall(pathOf(playerOperations.updateEntry, { game: gameId, collection, key }), options),
        ...write,
      }),
  };
}

/** An operation at one of its addresses. */
function at<Path extends string>(
  operation: { readonly method: HttpMethod; readonly path: Path },
  parameters: PathParameters<Path>,
): Operation {
  return { method: operation.method, path: pathOf(operation, parameters) };
}
