import { type EntryCall, readEntries, writeEntry } from '../http/entries.js';
import type { Call, Sender } from '../http/sender.js';
import {
  accountShape,
  conflictSidesShape,
  deletionShape,
  peekShape,
  playerAuthShape,
  recoveryCodeShape,
  restoreShape,
  type Shape,
  snapshotsShape,
} from '../protocol/answer-shapes.js';
import type { ConflictChoice } from '../protocol/conflict.js';
import { headers } from '../protocol/headers.js';
import type { JsonObject, ProfileEntry } from '../protocol/messages.js';
import { playerPaths } from '../protocol/player-paths.js';
import type {
  AccountAnswer,
  DeletionAnswer,
  PeekAnswer,
  PlacedEntry,
  PlayerAuthAnswer,
  SnapshotSummary,
} from '../protocol/player-wire.js';
import { isPlainObject } from '../protocol/value-text.js';
import type { Settings } from './config.js';
import type { MergedSides } from './merge-sides.js';

export type EntryMethod = 'guest' | 'name' | 'identity' | 'social' | 'recovery';

interface WireOptions {
  /** The access token. */
  bearer?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Lets the request outlive its page. */
  keepalive?: boolean | undefined;
}

/** Of a player who is signed in. */
export interface PlayerOptions extends WireOptions {
  bearer: string;
}

/** The ticket of a conflict, and the device that it is bound to. */
interface TicketFields {
  ticket: string;
  device_id: string;
}

export interface Wire {
  /** With a bearer it links the method, or conflicts; without one it signs in. `fields` may say the intent outright. */
  enter(method: EntryMethod, fields: object, options?: WireOptions): Promise<PlayerAuthAnswer>;
  peek(method: EntryMethod, fields: object, options?: WireOptions): Promise<PeekAnswer>;
  readSides(fields: TicketFields, options?: WireOptions): Promise<{ local: PlacedEntry[]; cloud: PlacedEntry[] }>;
  choose(
    fields: TicketFields & { choice: ConflictChoice } & Partial<MergedSides>,
    options?: WireOptions,
  ): Promise<PlayerAuthAnswer>;
  refresh(refreshToken: string): Promise<PlayerAuthAnswer>;
  signOut(refreshToken: string | null, accessToken: string): Promise<void>;
  signOutEverywhere(options: PlayerOptions): Promise<unknown>;
  readAccount(options: PlayerOptions): Promise<AccountAnswer>;
  deleteAccount(options: PlayerOptions): Promise<DeletionAnswer>;
  exportAccount(options: PlayerOptions): Promise<JsonObject>;
  /** Null where it had been done by a request whose answer got lost. */
  unlink(method: string, options: PlayerOptions): Promise<AccountAnswer | null>;
  changePassword(from: string, to: string, options: PlayerOptions): Promise<void>;
  makeRecoveryCode(options: PlayerOptions): Promise<{ code: string }>;
  listSnapshots(options: PlayerOptions): Promise<{ snapshots: SnapshotSummary[] }>;
  restoreSnapshot(id: string, options: PlayerOptions): Promise<{ entries: Omit<PlacedEntry, 'value'>[] }>;
  readCollection(name: string, options: PlayerOptions): Promise<ProfileEntry[]>;
  writeEntry(
    name: string,
    write: { key: string; valueText: string; version: number },
    options: PlayerOptions,
  ): Promise<{ version: number }>;
  /** Keeps a value that loses as a snapshot, so that it can be taken back. */
  keepLoser(collection: string, key: string, value: JsonObject, options: WireOptions): Promise<void>;
}

const objectShape: Shape<JsonObject> = (value) => (isPlainObject(value) ? null : '');

/** The player's own wire, in this one file, so that another form can take its place. Spec gap: Spec 4.4 shows no requests. */
export function createWire(settings: Settings, send: Sender): Wire {
  const { gameId, environment, baseUrl, authUrl } = settings;

  /** A POST where there are fields, or where `more` says another method. Doing any of these twice is doing it once: the service says so of each. */
  function ask<Answer>(
    path: string,
    answer: Call<Answer>['answer'],
    { bearer, signal }: WireOptions = {},
    fields?: object,
    more?: Partial<Call<Answer>>,
  ): Promise<Answer> {
    return send({
      method: fields === undefined ? 'GET' : 'POST',
      url: authUrl + path,
      headers: bearer === undefined ? undefined : { [headers.authorization]: `Bearer ${bearer}` },
      body: fields === undefined ? undefined : JSON.stringify({ game_id: gameId, env: environment, ...fields }),
      answer,
      signal,
      ...more,
    });
  }

  const entryCall = (path: string, options: PlayerOptions): EntryCall => ({
    url: baseUrl + path,
    environment,
    ...options,
  });

  return {
    enter: (method, fields, options) => ask(playerPaths[method], playerAuthShape, options, fields),
    peek: (method, fields, options) => ask(playerPaths.peek(method), peekShape, options, fields),
    readSides: (fields, options) => ask(playerPaths.conflictSides, conflictSidesShape, options, fields),
    choose: (fields, options) => ask(playerPaths.conflict, playerAuthShape, options, fields),
    refresh: (refreshToken) => ask(playerPaths.refresh, playerAuthShape, {}, { refresh_token: refreshToken }),
    signOut: (refreshToken, accessToken) =>
      ask<void>(
        playerPaths.signOut,
        null,
        refreshToken === null ? { bearer: accessToken } : {},
        refreshToken === null ? {} : { refresh_token: refreshToken },
        { keepalive: true },
      ),
    signOutEverywhere: (options) =>
      ask<unknown>(
        playerPaths.signOut,
        null,
        options,
        { everywhere: true },
        {
          // After an answer that got lost the session has ended by this very request.
          accept: ({ status }, unanswered) => (unanswered && status === 401 ? null : undefined),
        },
      ),
    readAccount: (options) => ask(playerPaths.account, accountShape, options),
    deleteAccount: (options) => ask(playerPaths.account, deletionShape, options, undefined, { method: 'DELETE' }),
    exportAccount: (options) => ask(playerPaths.accountExport, objectShape, options),
    unlink: (method, options) =>
      ask<AccountAnswer | null>(playerPaths.method(method), accountShape, options, undefined, {
        method: 'DELETE',
        accept: ({ code }, unanswered) => (unanswered && code === 'not_found' ? null : undefined),
      }),
    changePassword: (from, to, options) =>
      ask<void>(playerPaths.password, null, options, { old_password: from, new_password: to }),
    makeRecoveryCode: (options) => ask(playerPaths.recoveryCode, recoveryCodeShape, options, {}),
    listSnapshots: (options) => ask(playerPaths.snapshots, snapshotsShape, options),
    restoreSnapshot: (id, options) => ask(playerPaths.restoreSnapshot(id), restoreShape, options, {}),
    readCollection: (name, options) => readEntries(send, entryCall(playerPaths.collection(gameId, name), options)),
    keepLoser: (collection, key, value, options) =>
      ask<void>(playerPaths.snapshots, null, options, { collection, key, value }),
    writeEntry: (name, { key, ...write }, options) =>
      writeEntry(send, { ...entryCall(playerPaths.entry(gameId, name, key), options), ...write }),
  };
}
