import { type EntryCall, readSaves, writeEntry } from '../http/entries.js';
import type { Call, Sender } from '../http/sender.js';
import { type HttpMethod, type Operation, type PathParameters, pathOf } from '../protocol/addresses.js';
import {
  type AnswerCheck,
  checkAccountAnswer,
  checkCollectionsAnswer,
  checkConflictSidesAnswer,
  checkDeletionAnswer,
  checkDevicesAnswer,
  checkPeekAnswer,
  checkPlayerAuthAnswer,
  checkPlayerCollectionAnswer,
  checkRecoveryCodeAnswer,
  checkRestoreAnswer,
  checkSnapshotAddedAnswer,
  checkSnapshotsAnswer,
  checkUsageAnswer,
} from '../protocol/answer-checks.js';
import type { ConflictChoice } from '../protocol/conflict.js';
import type { EntryTimes } from '../protocol/entry-times.js';
import * as headers from '../protocol/headers.js';
import { formatKey, type WriteName } from '../protocol/idempotency-key.js';
import type { JsonObject } from '../protocol/messages.js';
import type {
  AccountAnswer,
  AccountUsage,
  CollectionRevision,
  ConflictProfiles,
  DeletionAnswer,
  DevicesAnswer,
  PeekAnswer,
  PlacedEntry,
  PlayerAuthAnswer,
  PlayerEntry,
  SideEntry,
  SnapshotSummary,
} from '../protocol/player-messages.js';
import { playerOperations, signInOperations } from '../protocol/player-operations.js';
import { isPlainObject } from '../protocol/value-text.js';
import type { MergedAccounts } from './auth/merge-accounts.js';
import type { Settings } from './config.js';
import { takesWriteNames } from './session/access-token.js';

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
  /**
   * With a bearer the service links the method, or answers a conflict; without one it signs in.
   * `fields` may say the intent.
   */
  signInWith(method: SignInMethod, fields: object, options?: RequestOptions): Promise<PlayerAuthAnswer>;
  peek(method: SignInMethod, fields: object, options?: RequestOptions): Promise<PeekAnswer>;
  requestReset(fields: object, options?: RequestOptions): Promise<void>;
  resetPassword(fields: object, options?: RequestOptions): Promise<void>;
  readConflictSides(
    fields: TicketFields,
    options?: RequestOptions,
  ): Promise<ConflictProfiles & { merged: SideEntry[] }>;
  resolveConflict(
    fields: TicketFields & { choice: ConflictChoice } & Partial<MergedAccounts>,
    options?: RequestOptions,
  ): Promise<PlayerAuthAnswer>;
  refreshSession(refreshToken: string): Promise<PlayerAuthAnswer>;
  /** Ends one session: by its refresh token, or by its access token where it has no other. */
  signOut(session: { refreshToken: string | null; accessToken: string }): Promise<void>;
  signOutEverywhere(options: PlayerOptions): Promise<void>;
  /** Null where an earlier try, whose answer got lost, has ended the session that this one shows. */
  signOutOthers(unlinkSince: number, options: PlayerOptions): Promise<PlayerAuthAnswer | null>;
  readAccount(options: PlayerOptions): Promise<AccountAnswer>;
  readUsage(options: PlayerOptions): Promise<AccountUsage>;
  deleteAccount(options: PlayerOptions): Promise<DeletionAnswer>;
  listDevices(options: PlayerOptions): Promise<DevicesAnswer>;
  revokeDevice(id: string, options: PlayerOptions): Promise<void>;
  exportAccount(options: PlayerOptions): Promise<JsonObject>;
  /** Null where an earlier try, whose answer got lost, had unlinked it already. */
  unlinkMethod(method: string, options: PlayerOptions): Promise<AccountAnswer | null>;
  changePassword(oldPassword: string, newPassword: string, options: PlayerOptions): Promise<void>;
  /** Has a code sent to an e-mail address; null takes the address away. */
  setAddress(fields: { address: string | null; language?: string | undefined }, options: PlayerOptions): Promise<void>;
  verifyAddress(code: string, options: PlayerOptions): Promise<void>;
  makeRecoveryCode(options: PlayerOptions): Promise<{ code: string }>;
  listSnapshots(options: PlayerOptions): Promise<{ snapshots: SnapshotSummary[] }>;
  restoreSnapshot(id: string, options: PlayerOptions): Promise<{ entries: Omit<PlacedEntry, 'value'>[] }>;
  /**
   * Keeps a value that loses as a snapshot, so that it can be taken back; with a name once, however often it is asked.
   */
  addSnapshot(
    entry: Omit<PlacedEntry, 'version'>,
    name: WriteName | undefined,
    options: PlayerOptions,
  ): Promise<{ id: string }>;
  listCollections(options: PlayerOptions): Promise<CollectionRevision[]>;
  readCollection(collection: string, options: PlayerOptions): Promise<PlayerEntry[]>;
  updateEntry(entry: EntryUpdate, options: PlayerOptions): Promise<{ version: number }>;
}

/** A write of an entry. */
export interface EntryUpdate {
  collection: string;
  key: string;
  /** The value's JSON, from `encodeValue`. */
  valueText: string;
  version: number;
  /**
   * The write's name, by which the service carries it out once. It is not sent to a service of
   * ours that is too old for it.
   */
  name?: WriteName | undefined;
  /** What is to be kept beside the value; what is stored stays if left out. */
  times?: EntryTimes | undefined;
}

const objectShape: AnswerCheck<JsonObject> = (value) => (isPlainObject(value) ? null : '');

/** What a request to `{auth_url}` has besides its address and the form of its answer. */
interface AskOptions<Answer> extends RequestOptions {
  /** The body, besides the game and its environment; none is sent where it is left out. */
  fields?: object;
  name?: WriteName | undefined;
  accept?: Call<Answer>['accept'];
}

/** Sends one request to `{auth_url}`. Doing any of them twice is doing it once: the service says so of each. */
function createAsk({ gameId, environment, authUrl }: Settings, send: Sender) {
  return <Answer>(
    { method, path }: Operation,
    answer: AnswerCheck<Answer> | null,
    { bearer, fields, name, ...call }: AskOptions<Answer>,
  ): Promise<Answer> =>
    send({
      method,
      url: authUrl + path,
      headers: {
        ...(bearer === undefined ? {} : { [headers.authorization]: `Bearer ${bearer}` }),
        ...(name === undefined ? {} : { [headers.idempotencyKey]: formatKey(name) }),
      },
      body: fields === undefined ? undefined : JSON.stringify({ game_id: gameId, env: environment, ...fields }),
      answer,
      ...call,
    });
}

export function createRequests(settings: Settings, send: Sender): Requests {
  const { gameId, environment } = settings;
  const ask = createAsk(settings, send);

  function entryCall(path: string, options: PlayerOptions): EntryCall {
    return { url: settings.baseUrl + path, environment, ...options };
  }

  return {
    signInWith: (method, fields, options) =>
      ask(playerOperations[signInOperations[method]], checkPlayerAuthAnswer, { ...options, fields }),
    peek: (method, fields, options) =>
      ask(at(playerOperations.peek, { method }), checkPeekAnswer, { ...options, fields }),
    requestReset: (fields, options) => ask<void>(playerOperations.requestReset, null, { ...options, fields }),
    resetPassword: (fields, options) => ask<void>(playerOperations.resetPassword, null, { ...options, fields }),
    async readConflictSides(fields, options) {
      const profiles = await ask(playerOperations.readConflictSides, checkConflictSidesAnswer, { ...options, fields });
      return { ...profiles, merged: profiles.merged ?? [] };
    },
    resolveConflict: (fields, options) =>
      ask(playerOperations.resolveConflict, checkPlayerAuthAnswer, { ...options, fields }),
    refreshSession: (refreshToken) =>
      ask(playerOperations.refreshSession, checkPlayerAuthAnswer, { fields: { refresh_token: refreshToken } }),
    signOut: ({ refreshToken, accessToken }) =>
      ask(playerOperations.signOut, null, {
        ...(refreshToken === null ? { bearer: accessToken, fields: {} } : { fields: { refresh_token: refreshToken } }),
        keepalive: true,
      }),
    signOutEverywhere: (options) =>
      ask<void>(playerOperations.signOut, null, {
        ...options,
        fields: { everywhere: true },
        // An earlier try, whose answer got lost, has ended the very session that this one shows.
        accept: ({ status }, unanswered) => (unanswered && status === 401 ? { answer: undefined } : undefined),
      }),
    signOutOthers: (unlinkSince, options) =>
      ask<PlayerAuthAnswer | null>(playerOperations.signOutOthers, checkPlayerAuthAnswer, {
        ...options,
        fields: { unlink_since: unlinkSince },
        accept: ({ status }, unanswered) => (unanswered && status === 401 ? { answer: null } : undefined),
      }),
    readAccount: (options) => ask(playerOperations.readAccount, checkAccountAnswer, options),
    readUsage: (options) => ask(playerOperations.readUsage, checkUsageAnswer, options),
    deleteAccount: (options) => ask(playerOperations.deleteAccount, checkDeletionAnswer, options),
    listDevices: (options) => ask(playerOperations.listDevices, checkDevicesAnswer, options),
    revokeDevice: (id, options) =>
      ask<void>(at(playerOperations.revokeDevice, { device: id }), null, {
        ...options,
        accept: ({ code }, unanswered) => (unanswered && code === 'not_found' ? { answer: undefined } : undefined),
      }),
    exportAccount: (options) => ask(playerOperations.exportAccount, objectShape, options),
    unlinkMethod: (method, options) =>
      ask<AccountAnswer | null>(at(playerOperations.unlinkMethod, { method }), checkAccountAnswer, {
        ...options,
        accept: ({ code }, unanswered) => (unanswered && code === 'not_found' ? { answer: null } : undefined),
      }),
    changePassword: (oldPassword, newPassword, options) =>
      ask(playerOperations.changePassword, null, {
        ...options,
        fields: { old_password: oldPassword, new_password: newPassword },
      }),
    setAddress: (fields, options) => ask<void>(playerOperations.setAddress, null, { ...options, fields }),
    verifyAddress: (code, options) => ask<void>(playerOperations.verifyAddress, null, { ...options, fields: { code } }),
    makeRecoveryCode: (options) => ask(playerOperations.makeRecoveryCode, checkRecoveryCodeAnswer, options),
    listSnapshots: (options) => ask(playerOperations.listSnapshots, checkSnapshotsAnswer, options),
    restoreSnapshot: (id, options) =>
      ask(at(playerOperations.restoreSnapshot, { snapshot: id }), checkRestoreAnswer, options),
    addSnapshot: (fields, name, options) =>
      ask(playerOperations.addSnapshot, checkSnapshotAddedAnswer, {
        ...options,
        fields,
        name: usableName(name, options),
      }),
    listCollections: async (options) => {
      const path = pathOf(playerOperations.listCollections, { game: gameId });
      return (await readSaves(send, entryCall(path, options), checkCollectionsAnswer)).collections;
    },
    readCollection: (collection, options) => {
      const path = pathOf(playerOperations.readCollection, { game: gameId, collection });
      return readSaves(send, entryCall(path, options), checkPlayerCollectionAnswer);
    },
    updateEntry: ({ collection, key, name, ...write }, options) =>
      writeEntry(send, {
        ...entryCall(pathOf(playerOperations.updateEntry, { game: gameId, collection, key }), options),
        ...write,
        name: usableName(name, options),
      }),
  };
}

function usableName(name: WriteName | undefined, { bearer }: PlayerOptions): WriteName | undefined {
  return takesWriteNames(bearer) ? name : undefined;
}

/** An operation at one of its addresses. */
function at<Path extends string>(
  operation: { readonly method: HttpMethod; readonly path: Path },
  parameters: PathParameters<Path>,
): Operation {
  return { method: operation.method, path: pathOf(operation, parameters) };
}
