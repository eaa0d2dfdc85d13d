import { type EntryCall, readEntries, writeEntry as sendEntry } from '../http/entries.js';
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
import * as headers from '../protocol/headers.js';
import type { JsonObject, ProfileEntry } from '../protocol/messages.js';
import * as playerPaths from '../protocol/player-paths.js';
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

export interface WireOptions {
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

/** What every request needs. */
export interface Wire {
  readonly settings: Settings;
  readonly send: Sender;
}

const objectShape: Shape<JsonObject> = (value) => (isPlainObject(value) ? null : '');

// The player's own wire, in this one file, so that another form can take its place. Spec gap: Spec 4.4 shows no requests. A
// function each, so that bundlers can give it a short name.

/** A POST where there are fields, or where `more` says another method. Doing any of these twice is doing it once: the service says so of each. */
function ask<Answer>(
  { settings, send }: Wire,
  path: string,
  answer: Call<Answer>['answer'],
  { bearer, signal }: WireOptions = {},
  fields?: object,
  more?: Partial<Call<Answer>>,
): Promise<Answer> {
  return send({
    method: fields === undefined ? 'GET' : 'POST',
    url: settings.authUrl + path,
    headers: bearer === undefined ? undefined : { [headers.authorization]: `Bearer ${bearer}` },
    body:
      fields === undefined
        ? undefined
        : JSON.stringify({ game_id: settings.gameId, env: settings.environment, ...fields }),
    answer,
    signal,
    ...more,
  });
}

function entryCall({ settings }: Wire, path: string, options: PlayerOptions): EntryCall {
  return { url: settings.baseUrl + path, environment: settings.environment, ...options };
}

/** With a bearer it links the method, or conflicts; without one it signs in. `fields` may say the intent outright. */
export const enter = (
  wire: Wire,
  method: EntryMethod,
  fields: object,
  options?: WireOptions,
): Promise<PlayerAuthAnswer> => ask(wire, playerPaths.entering(method), playerAuthShape, options, fields);

export const peek = (wire: Wire, method: EntryMethod, fields: object, options?: WireOptions): Promise<PeekAnswer> =>
  ask(wire, playerPaths.peek(method), peekShape, options, fields);

export const readSides = (
  wire: Wire,
  fields: TicketFields,
  options?: WireOptions,
): Promise<{ local: PlacedEntry[]; cloud: PlacedEntry[] }> =>
  ask(wire, playerPaths.conflictSides, conflictSidesShape, options, fields);

export const choose = (
  wire: Wire,
  fields: TicketFields & { choice: ConflictChoice } & Partial<MergedSides>,
  options?: WireOptions,
): Promise<PlayerAuthAnswer> => ask(wire, playerPaths.conflict, playerAuthShape, options, fields);

export const refresh = (wire: Wire, refreshToken: string): Promise<PlayerAuthAnswer> =>
  ask(wire, playerPaths.refresh, playerAuthShape, {}, { refresh_token: refreshToken });

export const signOut = (wire: Wire, refreshToken: string | null, accessToken: string): Promise<void> =>
  ask(
    wire,
    playerPaths.signOut,
    null,
    refreshToken === null ? { bearer: accessToken } : {},
    refreshToken === null ? {} : { refresh_token: refreshToken },
    { keepalive: true },
  );

export const signOutEverywhere = (wire: Wire, options: PlayerOptions): Promise<unknown> =>
  ask<unknown>(
    wire,
    playerPaths.signOut,
    null,
    options,
    { everywhere: true },
    {
      // After an answer that got lost the session has ended by this very request.
      accept: ({ status }, unanswered) => (unanswered && status === 401 ? null : undefined),
    },
  );

export const readAccount = (wire: Wire, options: PlayerOptions): Promise<AccountAnswer> =>
  ask(wire, playerPaths.account, accountShape, options);

export const deleteAccount = (wire: Wire, options: PlayerOptions): Promise<DeletionAnswer> =>
  ask(wire, playerPaths.account, deletionShape, options, undefined, { method: 'DELETE' });

export const exportAccount = (wire: Wire, options: PlayerOptions): Promise<JsonObject> =>
  ask(wire, playerPaths.accountExport, objectShape, options);

/** Null where it had been done by a request whose answer got lost. */
export const unlink = (wire: Wire, options: PlayerOptions, method: string): Promise<AccountAnswer | null> =>
  ask<AccountAnswer | null>(wire, playerPaths.method(method), accountShape, options, undefined, {
    method: 'DELETE',
    accept: ({ code }, unanswered) => (unanswered && code === 'not_found' ? null : undefined),
  });

export const changePassword = (wire: Wire, options: PlayerOptions, from: string, to: string): Promise<void> =>
  ask(wire, playerPaths.password, null, options, { old_password: from, new_password: to });

export const makeRecoveryCode = (wire: Wire, options: PlayerOptions): Promise<{ code: string }> =>
  ask(wire, playerPaths.recoveryCode, recoveryCodeShape, options, {});

export const listSnapshots = (wire: Wire, options: PlayerOptions): Promise<{ snapshots: SnapshotSummary[] }> =>
  ask(wire, playerPaths.snapshots, snapshotsShape, options);

export const restoreSnapshot = (
  wire: Wire,
  options: PlayerOptions,
  id: string,
): Promise<{ entries: Omit<PlacedEntry, 'value'>[] }> =>
  ask(wire, playerPaths.restoreSnapshot(id), restoreShape, options, {});

/** Keeps a value that loses as a snapshot, so that it can be taken back. */
export const keepLoser = (wire: Wire, options: PlayerOptions, entry: Omit<PlacedEntry, 'version'>): Promise<void> =>
  ask(wire, playerPaths.snapshots, null, options, entry);

export const readCollection = (wire: Wire, options: PlayerOptions, name: string): Promise<ProfileEntry[]> =>
  readEntries(wire.send, entryCall(wire, playerPaths.collection(wire.settings.gameId, name), options));

export const writeEntry = (
  wire: Wire,
  options: PlayerOptions,
  { collection, key, ...write }: { collection: string; key: string; valueText: string; version: number },
): Promise<{ version: number }> =>
  sendEntry(wire.send, {
    ...entryCall(wire, playerPaths.entry(wire.settings.gameId, collection, key), options),
    ...write,
  });
