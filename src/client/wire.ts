import { type EntryCall, readEntries, writeEntry } from '../http/entries.js';
import type { Sender } from '../http/sender.js';
import { playerAuthShape } from '../protocol/answer-shapes.js';
import { headers } from '../protocol/headers.js';
import type { JsonObject, ProfileEntry } from '../protocol/messages.js';
import { playerPaths } from '../protocol/player-paths.js';
import type { PlayerAuthAnswer } from '../protocol/player-wire.js';
import type { Settings } from './config.js';

export type EntryMethod = 'guest' | 'name' | 'identity' | 'social';

interface WireOptions {
  /** The access token. */
  bearer?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Lets the request outlive its page. */
  keepalive?: boolean | undefined;
}

export interface Wire {
  /** With a bearer it links the method, or conflicts; without one it signs in. */
  enter(method: EntryMethod, fields: object, options?: WireOptions): Promise<PlayerAuthAnswer>;
  choose(
    ticket: string,
    choice: 'local' | 'cloud',
    options: WireOptions & { deviceId: string },
  ): Promise<PlayerAuthAnswer>;
  refresh(refreshToken: string): Promise<PlayerAuthAnswer>;
  signOut(refreshToken: string | null, accessToken: string): Promise<void>;
  readCollection(name: string, options: WireOptions & { bearer: string }): Promise<ProfileEntry[]>;
  writeEntry(
    name: string,
    write: { key: string; valueText: string; version: number; createOnly: boolean },
    options: WireOptions & { bearer: string },
  ): Promise<{ version: number }>;
  /** Keeps a value that loses as a snapshot, so that it can be taken back. */
  keepLoser(collection: string, key: string, value: JsonObject, options: WireOptions): Promise<void>;
}

/** The player's own wire, in this one file, so that another form can take its place. Spec gap: Spec 4.4 shows no requests. */
export function createWire(settings: Settings, send: Sender): Wire {
  const { gameId, environment, baseUrl, authUrl } = settings;
  const call = (path: string, fields: object, { bearer, signal }: WireOptions) => ({
    method: 'POST' as const,
    url: authUrl + path,
    headers: bearer === undefined ? undefined : { [headers.authorization]: `Bearer ${bearer}` },
    body: JSON.stringify({ game_id: gameId, env: environment, ...fields }),
    signal,
    // Doing any of these twice is doing it once: the service says so of each.
    repeat: 'always' as const,
  });
  const authenticate = (path: string, fields: object, options: WireOptions = {}): Promise<PlayerAuthAnswer> =>
    send({ ...call(path, fields, options), answer: playerAuthShape });
  const entryCall = (path: string, options: WireOptions & { bearer: string }): EntryCall => ({
    url: baseUrl + path,
    environment,
    ...options,
  });

  return {
    enter: (method, fields, options) => authenticate(playerPaths[method], fields, options),
    choose: (ticket, choice, { deviceId, ...options }) =>
      authenticate(playerPaths.conflict, { device_id: deviceId, ticket, choice }, options),
    refresh: (refreshToken) => authenticate(playerPaths.refresh, { refresh_token: refreshToken }),
    signOut: (refreshToken, accessToken) =>
      send<void>({
        ...call(
          playerPaths.signOut,
          refreshToken === null ? {} : { refresh_token: refreshToken },
          refreshToken === null ? { bearer: accessToken } : {},
        ),
        answer: null,
        keepalive: true,
      }),
    readCollection: (name, options) => readEntries(send, entryCall(playerPaths.collection(gameId, name), options)),
    keepLoser: (collection, key, value, options) =>
      send<void>({ ...call(playerPaths.snapshots, { collection, key, value }, options), answer: null }),
    writeEntry: (name, { key, ...write }, options) =>
      writeEntry(send, { ...entryCall(playerPaths.entry(gameId, name, key), options), ...write }),
  };
}
