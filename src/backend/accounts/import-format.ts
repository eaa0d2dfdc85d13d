import * as z from 'zod/mini';
import { entryNameProblem } from '../../protocol/entry-name.js';
import { isEntryTimes } from '../../protocol/entry-times.js';
import { serviceSizes } from '../../protocol/gaps/service-sizes.js';
import { sizes } from '../../protocol/gaps/sizes.js';
import { versions } from '../../protocol/gaps/versions.js';
import { isUuid } from '../../protocol/ids.js';
import { lastMoment } from '../../protocol/last-moment.js';
import { type SnapshotReason, snapshotReasons } from '../../protocol/player-messages.js';
import { checkValueText, itemTexts, memberText } from '../../protocol/value-text.js';
import { type CarriedPlatform, readPlatformLine } from '../registry/platform-line.js';
import { isWrittenLedger, type WrittenLedger } from '../stores/rules/ledger.js';
import { hashProblem } from './stored-hash.js';
import { usernameSubject } from './usernames.js';

/** A file of players: a header where there are hashes of Firebase's, and then one player on each line. */

const base64 = z.string().check(z.regex(/^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/, 'must be base64'));

/** 2^`memCost` is the cost of such a hash's scrypt, and `rounds` its blocks. */
const firebaseBounds = { rounds: 16, memCost: 16 };

/** The parameters of a Firebase project's password hashes, as its console shows them. */
const importHeader = z.strictObject({
  firebase: z.strictObject({
    signerKey: base64,
    saltSeparator: base64,
    rounds: z.int().check(z.minimum(1), z.maximum(firebaseBounds.rounds)),
    memCost: z.int().check(z.minimum(1), z.maximum(firebaseBounds.memCost)),
  }),
});

export type ImportHeader = z.infer<typeof importHeader>;

const storedHash = z.string().check(({ value: hash, issues }) => {
  const problem = hashProblem(hash);
  if (problem !== null) issues.push({ code: 'custom', input: hash, message: problem, continue: true });
});

const username = z.string().check(
  z.minLength(serviceSizes.usernameLength.min),
  z.maxLength(serviceSizes.usernameLength.max),
  // One that nobody could take today stays its owner's, who has it elsewhere.
  z.refine((name) => {
    try {
      return usernameSubject(name) !== '';
    } catch {
      return false;
    }
  }, 'must be a name that somebody can sign in with'),
);

const entryName = z
  .string()
  .check(
    z.refine((name) => entryNameProblem(name) === null, 'must be a name of 1 to 128 bytes without control characters'),
  );

const uuid = z.string().check(z.refine(isUuid, 'must be a UUID'));
const moment = z.int().check(z.minimum(0), z.maximum(lastMoment));
/** Of an id that another service has given, and of why somebody is banned: operators elsewhere may have written more. */
const longestText = 1_024;
const foreignId = z.string().check(z.minLength(1), z.maxLength(longestText));
/** The hash of a device's id or of a recovery code. */
const secretHash = z.string().check(z.regex(/^[\w-]{43}$/, 'must be a hash as savepoint exports it'));

/** Since when something leads to the player, and when somebody last came by it. */
const linkTimes = { linkedAt: z.optional(moment), lastUsedAt: z.optional(moment) };
const methodTimes = z.optional(z.strictObject(linkTimes));

/** There is room for as many writes again as anybody can count. */
const highestVersion = 1_000_000_000_000;
const version = z.int().check(z.minimum(0), z.maximum(highestVersion));
const jsonObject = z.custom<object>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'must be a JSON object',
);
const entryTimes = z.optional(z.custom<object>(isEntryTimes, 'must be times by fields'));
const importedEntry = {
  collection: entryName,
  key: entryName,
  value: jsonObject,
  times: entryTimes,
  version: z.optional(version),
  changedAt: z.optional(moment),
};

const eachOnce = z.refine<{ collection: string; key: string }[]>(
  (entries) => new Set(entries.map(({ collection, key }) => JSON.stringify([collection, key]))).size === entries.length,
  'must not have one key twice',
);

const carriedEntry = z
  .strictObject({
    ...importedEntry,
    writes: z.optional(z.custom<WrittenLedger>((value) => typeof value === 'object', 'must be the writes of devices')),
  })
  .check(
    z.refine(({ writes, version: at = versions.first }) => writes === undefined || isWrittenLedger(writes, at), {
      error: 'must be the last write of each device, none with a later version than the entry',
      path: ['writes'],
    }),
  );

const importedSnapshot = z.strictObject({
  snapshotId: uuid,
  createdAt: moment,
  expiresAt: moment,
  reason: z.literal(snapshotReasons),
  fromId: uuid,
  entries: z
    .array(z.strictObject({ ...importedEntry, version: z.optional(z.union([version, z.literal(-1)])) }))
    .check(z.minLength(1), eachOnce),
});

/** Whether a line has anything that leads to the player. */
function isLedTo(line: { [member: string]: unknown; devices?: readonly unknown[] | undefined }): boolean {
  const { customId, name, identity, social, devices = [], recovery } = line;
  return [customId, name, identity, social, devices[0], recovery].some((one) => one !== undefined);
}

const importedPlayer = z
  .strictObject({
    gameId: z.optional(uuid),
    environment: z.optional(z.literal([0, 1, 2])),
    userId: z.optional(uuid),
    createdAt: z.optional(moment),
    lastSeenAt: z.optional(moment),
    ban: z.optional(
      z.strictObject({ at: moment, until: z.nullable(moment), reason: z.string().check(z.maxLength(longestText)) }),
    ),
    customId: z.optional(
      z.string().check(z.minLength(serviceSizes.signedIdLength.min), z.maxLength(serviceSizes.signedIdLength.max)),
    ),
    name: z.optional(
      z
        .strictObject({
          name: username,
          hash: z.optional(storedHash),
          firebase: z.optional(z.strictObject({ salt: base64, passwordHash: base64 })),
          mailAddress: z.optional(z.email().check(z.maxLength(serviceSizes.mailAddressLength))),
          mailAddressAt: z.optional(moment),
        })
        .check(
          z.refine(({ hash, firebase }) => hash === undefined || firebase === undefined, 'must have one hash, not two'),
        ),
    ),
    identity: z.optional(z.strictObject({ issuer: foreignId, subject: foreignId })),
    social: z.optional(z.strictObject({ platform: foreignId, id: foreignId })),
    recovery: z.optional(secretHash),
    devices: z.optional(z.array(z.union([secretHash, z.strictObject({ device: secretHash, ...linkTimes })]))),
    methods: z.optional(
      z.strictObject({
        customId: methodTimes,
        name: methodTimes,
        identity: methodTimes,
        social: methodTimes,
        recovery: methodTimes,
      }),
    ),
    orphanedAt: z.optional(moment),
    deletedAt: z.optional(moment),
    entries: z.optional(z.array(carriedEntry).check(eachOnce)),
    snapshots: z.optional(z.array(importedSnapshot)),
  })
  .check(
    z.refine(
      // Of a guest who is being deleted only the code is left, by which the player takes that back.
      ({ orphanedAt, deletedAt, recovery, ...line }) =>
        orphanedAt !== undefined || isLedTo({ ...line, ...(deletedAt === undefined ? {} : { recovery }) }),
      'must have customId or name',
    ),
    z.refine(
      ({ orphanedAt, userId, ...line }) => orphanedAt === undefined || (userId !== undefined && !isLedTo(line)),
      {
        error: 'must have a userId, and nothing that leads to it',
        path: ['orphanedAt'],
      },
    ),
    z.refine(({ gameId, environment }) => (gameId === undefined) === (environment === undefined), {
      error: 'must have gameId and environment, or neither',
      path: ['gameId'],
    }),
    z.refine(({ snapshots = [] }) => new Set(snapshots.map(({ snapshotId }) => snapshotId)).size === snapshots.length, {
      error: 'must not have one snapshot twice',
      path: ['snapshots'],
    }),
  );

/** An entry with its value's JSON, letter for letter as the line has it. */
export interface ImportedEntry {
  collection: string;
  key: string;
  text: string;
  times?: string;
  version?: number | undefined;
  changedAt?: number | undefined;
  writes?: WrittenLedger;
}

/** A snapshot as it was exported. */
export interface ImportedSnapshot extends Omit<z.infer<typeof importedSnapshot>, 'entries'> {
  reason: SnapshotReason;
  entries: readonly ImportedEntry[];
}

export interface ImportedPlayer extends Omit<z.infer<typeof importedPlayer>, 'entries' | 'snapshots'> {
  entries: readonly ImportedEntry[];
  snapshots: readonly ImportedSnapshot[];
}

/** What is wrong with a line, by its place in it. */
export interface LineProblem {
  path: PropertyKey[];
  problem: string;
}

/** Reads a line: a player, or a platform of a game; only the first one may be a header. */
export function readImportLine(
  text: string,
  { isFirst, valueBytes }: { isFirst: boolean; valueBytes: number },
): { header: ImportHeader } | { platform: CarriedPlatform } | { player: ImportedPlayer } | LineProblem {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { path: [], problem: 'is no JSON' };
  }
  if (typeof json === 'object' && json !== null && 'platform' in json) {
    const read = readPlatformLine(json);
    return 'platform' in read ? read : { ...read, problem: 'must be a platform as savepoint exports it' };
  }
  const isHeader = isFirst && typeof json === 'object' && json !== null && 'firebase' in json;
  if (isHeader) {
    const header = importHeader.safeParse(json);
    return header.success ? { header: header.data } : firstProblem(header.error);
  }
  const player = importedPlayer.safeParse(json);
  if (!player.success) return firstProblem(player.error);
  const entries = entriesOf(player.data.entries ?? [], memberText(text, 'entries'), valueBytes);
  if (!Array.isArray(entries)) return { ...entries, path: ['entries', ...entries.path] };
  const snapshots: ImportedSnapshot[] = [];
  const texts = itemTexts(memberText(text, 'snapshots') ?? '[]');
  for (const [index, { entries: lost, ...about }] of (player.data.snapshots ?? []).entries()) {
    const kept = entriesOf(lost, memberText(texts[index] ?? '{}', 'entries'), valueBytes);
    if (!Array.isArray(kept)) return { ...kept, path: ['snapshots', index, 'entries', ...kept.path] };
    snapshots.push({ ...about, entries: kept });
  }
  return { player: { ...player.data, entries, snapshots } };
}

/** Entries with their values' texts; `text` is that of their array, null for one that the line has not. */
function entriesOf(
  entries: readonly (Omit<ImportedEntry, 'text' | 'times' | 'writes'> & {
    times?: object | undefined;
    writes?: WrittenLedger | undefined;
  })[],
  text: string | null,
  valueBytes: number,
): ImportedEntry[] | LineProblem {
  const read: ImportedEntry[] = [];
  const texts = itemTexts(text ?? '[]');
  for (const [index, { collection, key, times, version, changedAt, writes }] of entries.entries()) {
    const value = checkValueText(memberText(texts[index] ?? '', 'value') ?? '', valueBytes);
    if (!value.ok) return { path: [index, 'value'], problem: value.problem };
    const timesText = JSON.stringify(times ?? {});
    if (timesText.length > sizes.entryTimesBytes) {
      return { path: [index, 'times'], problem: 'is too small or too large' };
    }
    read.push({
      collection,
      key,
      text: value.text,
      version,
      changedAt,
      ...(times === undefined ? {} : { times: timesText }),
      ...(writes === undefined ? {} : { writes }),
    });
  }
  return read;
}

function firstProblem({ issues: [issue] }: z.core.$ZodError): LineProblem {
  return { path: issue?.path ?? [], problem: issue === undefined ? 'is not as it must be' : wordsOf(issue) };
}

/** Never shows a value: it may be a hash. */
function wordsOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be of the type ${issue.expected}`;
    case 'unrecognized_keys':
      return `has what nobody knows: ${issue.keys.join(', ')}`;
    case 'too_small':
    case 'too_big':
      return 'is too small or too large';
    default:
      return issue.message;
  }
}
