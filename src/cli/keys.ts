import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import type { BackendOptions, GameOptions } from '../backend/index.js';
import { sealingKeyName } from '../backend/registry/sealing.js';
import { publicJwkOf } from '../backend/sessions/tokens.js';
import { moment, table, writeJson } from './admin/table.js';
import { readArguments } from './arguments.js';
import { readGames } from './config/games.js';
import { loadConfig, usualConfig } from './config/load-config.js';
import { type FoundSealingKeys, readSealingKeys } from './config/sealing-keys.js';
import { readFormerKeys, readSigningKey } from './config/signing-keys.js';
import type { ExitCode, Io } from './io.js';
import { UsageError } from './usage-error.js';

/** A key as a list may show it. */
interface ListedKey {
  /**
   * Of a signing key the one that tokens name it by; of a private key a name that is made of it
   * and tells nothing of it.
   */
  id: string;
  kind: 'signing' | 'former' | 'former, public only' | 'private' | 'sealing' | 'former sealing';
  /** The game that a private key is of. */
  game: string | null;
  /** When it was made, as far as it says so, or else when its file was written; null where neither is known. */
  since: number | null;
}

type SigningKey = NonNullable<BackendOptions['signingKey']>;

/** In hexadecimal digits: enough to tell a game's keys apart, and too little to search for a key by it. */
const nameLength = 8;
const dayMs = 24 * 60 * 60 * 1000;

/** `savepoint keys`: which keys `savepoint serve` has by the same configuration, and how old they are. */
export async function keys(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'keys' }, args, {
    config: { type: 'string' },
    'game-id': { type: 'string' },
    'private-key-file': { type: 'string' },
    'signing-key-file': { type: 'string' },
    'former-signing-key-file': { type: 'string', multiple: true },
    'sealing-key-file': { type: 'string' },
    'former-sealing-key-file': { type: 'string', multiple: true },
    json: { type: 'boolean' },
  });
  const problems: string[] = [];
  const missing = (problem: string): null => {
    problems.push(problem);
    return null;
  };
  const written = new Map<string, number>();
  const noting: Io = { ...io, foundIn: (file, secret) => written.set(secret, statSync(file).mtimeMs) };
  const file = values.config ?? usualConfig();
  const config = file === null ? {} : await loadConfig(file);
  const games = await readGames(values, config, noting, missing);
  const signing = await readSigningKey(values, config, noting, missing);
  const former = await readFormerKeys(values, config, noting, missing);
  const sealing = await readSealingKeys(values, config, noting, missing);
  if (games === null || signing === null || problems.length > 0) {
    throw new UsageError(`keys are missing:\n${problems.map((one) => `  ${one}\n`).join('')}`.trimEnd());
  }
  const listed = [
    ...(await signingKeys([signing, ...former], written)),
    ...privateKeys(games, written),
    ...(await sealingKeys(sealing, written)),
  ];
  if (values.json === true) writeJson(io, { keys: listed });
  else show(listed, io);
  return 0;
}

/** The first one signs; `written` are the texts of files, which may hold a list of keys. */
function signingKeys(all: readonly SigningKey[], written: ReadonlyMap<string, number>): Promise<ListedKey[]> {
  return Promise.all(
    all.map(async (key, index) => {
      const { x = '', d, iat } = key as SigningKey & { iat?: unknown };
      const file = [...written].find(([text]) => text.includes(x));
      return {
        id: (await publicJwkOf(key)).kid,
        kind:
          index === 0 ? ('signing' as const) : d === undefined ? ('former, public only' as const) : ('former' as const),
        game: null,
        since: typeof iat === 'number' ? iat * 1000 : (file?.[1] ?? null),
      };
    }),
  );
}

function privateKeys(games: readonly GameOptions[], written: ReadonlyMap<string, number>): ListedKey[] {
  return games.flatMap(({ id: game, privateKeys: all }) =>
    all.map((key) => ({ id: nameOf(key), kind: 'private' as const, game, since: written.get(key) ?? null })),
  );
}

/** By the names that what they have sealed has of them. */
function sealingKeys(
  { sealingKey, formerSealingKeys }: FoundSealingKeys,
  written: ReadonlyMap<string, number>,
): Promise<ListedKey[]> {
  const present = sealingKey === null ? [] : [sealingKey];
  return Promise.all(
    [...present, ...formerSealingKeys].map(async (key) => ({
      id: await sealingKeyName(key),
      kind: key === sealingKey ? ('sealing' as const) : ('former sealing' as const),
      game: null,
      since: [...written].find(([text]) => text.includes(key))?.[1] ?? null,
    })),
  );
}

function nameOf(key: string): string {
  return createHash('sha256').update(`name of a private key:${key}`).digest('hex').slice(0, nameLength);
}

function show(listed: readonly ListedKey[], io: Io): void {
  const now = Date.now();
  table(
    io,
    {
      ID: ({ id }) => id,
      KIND: ({ kind }) => kind,
      GAME: ({ game }) => game ?? '-',
      SINCE: ({ since }) => (since === null ? '-' : moment(since)),
      DAYS: ({ since }) => (since === null ? '-' : String(Math.floor(Math.max(0, now - since) / dayMs))),
    },
    listed,
  );
}
