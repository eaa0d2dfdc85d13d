import * as z from 'zod/mini';
import { entryNameProblem } from '../../protocol/entry-name.js';
import { serviceSizes } from '../../protocol/gaps/service-sizes.js';
import { checkValueText } from '../../protocol/value-text.js';
import { canBeTaken, usernameSubject } from './usernames.js';

/** A file of players: a header where there are hashes of Firebase's, and then one player on each line. */

const base64 = z.string().check(z.regex(/^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/, 'must be base64'));

/** The parameters of a Firebase project's password hashes, as its console shows them. */
const importHeader = z.strictObject({
  firebase: z.strictObject({
    signerKey: base64,
    saltSeparator: base64,
    rounds: z.int().check(z.minimum(1), z.maximum(16)),
    memCost: z.int().check(z.minimum(1), z.maximum(16)),
  }),
});

export type ImportHeader = z.infer<typeof importHeader>;

/** Our own hashes, whose parameters no line may raise so that a sign-in takes the service's memory. */
const ownHash = z
  .string()
  .check(
    z.regex(
      /^(scrypt\$(1024|2048|4096|8192|16384|32768|65536),\d{1,2},\d{1,2}|pbkdf2-sha256\$\d{1,7})\$[\w-]{8,}\$[\w-]{20,}$/,
      'must be a hash as savepoint makes it',
    ),
  );

const username = z.string().check(
  z.minLength(serviceSizes.usernameLength.min),
  z.maxLength(serviceSizes.usernameLength.max),
  z.refine((name) => {
    try {
      return usernameSubject(name) !== '' && canBeTaken(name);
    } catch {
      return false;
    }
  }, 'must be a name that can be taken'),
);

const entryName = z
  .string()
  .check(
    z.refine((name) => entryNameProblem(name) === null, 'must be a name of 1 to 128 bytes without control characters'),
  );

const value = z
  .record(z.string(), z.unknown())
  .check(z.refine((held) => checkValueText(JSON.stringify(held)).ok, 'must be a value that a game may write'));

const importedPlayer = z
  .strictObject({
    customId: z.optional(
      z.string().check(z.minLength(serviceSizes.signedIdLength.min), z.maxLength(serviceSizes.signedIdLength.max)),
    ),
    name: z.optional(
      z.union([
        z.strictObject({ name: username, hash: ownHash }),
        z.strictObject({ name: username, firebase: z.strictObject({ salt: base64, passwordHash: base64 }) }),
      ]),
    ),
    entries: z.optional(z.array(z.strictObject({ collection: entryName, key: entryName, value }))),
  })
  .check(
    z.refine(({ customId, name }) => customId !== undefined || name !== undefined, 'must have customId or name'),
    z.refine(
      ({ entries = [] }) =>
        new Set(entries.map(({ collection, key }) => JSON.stringify([collection, key]))).size === entries.length,
      { error: 'must not have one key twice', path: ['entries'] },
    ),
  );

export type ImportedPlayer = z.infer<typeof importedPlayer>;

/** What is wrong with a line, by its place in it. */
export interface LineProblem {
  path: PropertyKey[];
  problem: string;
}

/** Reads a line; only the first one may be a header. */
export function readImportLine(
  text: string,
  isFirst: boolean,
): { header: ImportHeader } | { player: ImportedPlayer } | LineProblem {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { path: [], problem: 'is no JSON' };
  }
  const isHeader = isFirst && typeof json === 'object' && json !== null && 'firebase' in json;
  if (isHeader) {
    const header = importHeader.safeParse(json);
    return header.success ? { header: header.data } : firstProblem(header.error);
  }
  const player = importedPlayer.safeParse(json);
  return player.success ? { player: player.data } : firstProblem(player.error);
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
    case 'invalid_union':
      return 'has neither the form for a hash of savepoint nor the one for Firebase';
    default:
      return issue.message;
  }
}
