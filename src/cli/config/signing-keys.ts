import type { BackendOptions, SecretReference, ServiceConfig } from '../../backend/index.js';
import type { Io } from '../io.js';
import { findSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import type { Missing } from './games.js';
import { isReference, jwkOf, referenced, unresolved } from './references.js';

type SigningKey = NonNullable<BackendOptions['signingKey']>;

export interface KeyArguments {
  'signing-key-file'?: string | undefined;
  'former-signing-key-file'?: readonly string[] | undefined;
}

/** The key to sign with; null where there is none, which `missing` has been told. */
export async function readSigningKey(
  given: KeyArguments,
  config: ServiceConfig,
  io: Io,
  missing: Missing,
): Promise<SigningKey | null> {
  const found = await findSecret(io, {
    what: 'the signing key',
    option: 'signing-key-file',
    file: given['signing-key-file'],
    variable: 'SAVEPOINT_SIGNING_KEY',
  });
  if (found !== null) return jwkOf(found);
  const { signingKey } = config;
  if (signingKey !== undefined && !isReference(signingKey)) return signingKey;
  const text = signingKey === undefined ? null : await referenced(signingKey, 'signingKey', io);
  if (text !== null) return jwkOf(text);
  if (signingKey !== undefined) return missing(unresolved(signingKey, 'signingKey'));
  return missing(
    'No key to sign tokens with: make one with savepoint new-key signing --out signing-key.json, and give --signing-key-file, SAVEPOINT_SIGNING_KEY or SAVEPOINT_SIGNING_KEY_FILE',
  );
}

/** The keys that signed before it: those of the command line, else of the environment, else of the file. */
export async function readFormerKeys(
  given: KeyArguments,
  config: ServiceConfig,
  io: Io,
  missing: Missing,
): Promise<SigningKey[]> {
  const option = 'former-signing-key-file';
  const source = { what: 'the former signing key', option, variable: 'SAVEPOINT_FORMER_SIGNING_KEYS' };
  const files = given[option] ?? [undefined];
  const found = await Promise.all(files.map((file) => findSecret(io, { ...source, file })));
  const texts = found.filter((text) => text !== null);
  return texts.length > 0
    ? texts.flatMap((text) => formerKeysOf(text, 'the former signing keys'))
    : resolvedFormerKeys(config, io, missing);
}

/** Those of the file, or of what it refers to. */
export async function resolvedFormerKeys(
  { formerSigningKeys = [] }: ServiceConfig,
  io: Io,
  missing: Missing,
): Promise<SigningKey[]> {
  // Whoever writes JSON may write anything.
  const listed: unknown = formerSigningKeys;
  if (!Array.isArray(listed))
    throw new UsageError("formerSigningKeys must be a list, such as [{ file: 'old-key.json' }]");
  const resolved = await Promise.all(
    listed.map(async (key: SigningKey | SecretReference, index) => {
      const at = `formerSigningKeys[${index}]`;
      if (!isReference(key)) return [key];
      const text = await referenced(key, at, io);
      if (text !== null) return formerKeysOf(text, at);
      missing(unresolved(key, at));
      return [];
    }),
  );
  return resolved.flat();
}

/** One key, or a list of them. */
function formerKeysOf(text: string, what: string): SigningKey[] {
  try {
    const keys = JSON.parse(text) as SigningKey | SigningKey[];
    return Array.isArray(keys) ? keys : [keys];
  } catch {
    throw new UsageError(`${what} must be a JWK as JSON, or a list of them: the file of the old key is one`);
  }
}
