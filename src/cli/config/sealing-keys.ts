import type { ServiceConfig } from '../../backend/index.js';
import { isSealingKey } from '../../backend/registry/sealing.js';
import type { Io } from '../io.js';
import { findSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import type { Missing } from './games.js';
import { isReference, referenced, unresolved } from './references.js';

export interface SealingArguments {
  'sealing-key-file'?: string | undefined;
  'former-sealing-key-file'?: readonly string[] | undefined;
}

/** The key that seals secrets, and those that did before. */
export interface FoundSealingKeys {
  /** Null where none is given, which is no mistake as long as no platform has a secret. */
  sealingKey: string | null;
  formerSealingKeys: string[];
}

/** What the command line, else the environment, else the file has. */
export async function readSealingKeys(
  given: SealingArguments,
  config: Pick<ServiceConfig, 'sealingKey' | 'formerSealingKeys'>,
  io: Io,
  missing: Missing,
): Promise<FoundSealingKeys> {
  const found = await findSecret(io, {
    what: 'the sealing key',
    option: 'sealing-key-file',
    file: given['sealing-key-file'],
    variable: 'SAVEPOINT_SEALING_KEY',
  });
  const configured = found === null ? await resolved(config.sealingKey, 'sealingKey', io, missing) : null;
  const option = 'former-sealing-key-file';
  const source = { what: 'the former sealing keys', option, variable: 'SAVEPOINT_FORMER_SEALING_KEYS' };
  const files = given[option] ?? [undefined];
  const texts = await Promise.all(files.map((file) => findSecret(io, { ...source, file })));
  const former = texts.filter((text) => text !== null).flatMap(listOf);
  return {
    sealingKey: checked(found ?? configured),
    formerSealingKeys: (former.length > 0 ? former : await formerOf(config, io, missing)).map(checked),
  };
}

async function formerOf(
  { formerSealingKeys = [] }: Pick<ServiceConfig, 'formerSealingKeys'>,
  io: Io,
  missing: Missing,
): Promise<string[]> {
  // Whoever writes JSON may write anything.
  const listed: unknown = formerSealingKeys;
  if (!Array.isArray(listed)) throw new UsageError("formerSealingKeys must be a list, such as [{ env: 'OLD_KEY' }]");
  const texts = await Promise.all(
    formerSealingKeys.map((key, index) => resolved(key, `formerSealingKeys[${index}]`, io, missing)),
  );
  return texts.filter((text) => text !== null).flatMap(listOf);
}

async function resolved(
  key: ServiceConfig['sealingKey'],
  at: string,
  io: Io,
  missing: Missing,
): Promise<string | null> {
  if (key === undefined || !isReference(key)) return key ?? null;
  return (await referenced(key, at, io)) ?? missing(unresolved(key, at));
}

/** One key, or several with commas or line breaks between them. */
function listOf(text: string): string[] {
  return text.split(/[,\s]+/).filter((part) => part !== '');
}

function checked<Key extends string | null>(key: Key): Key {
  if (key === null || isSealingKey(key)) return key;
  throw new UsageError('a sealing key must be 32 bytes in base64url: savepoint new-key sealing makes one');
}
