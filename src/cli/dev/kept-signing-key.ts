import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { BackendOptions, ServiceConfig } from '../../backend/index.js';
import { jwkOf, referencedText } from '../config/references.js';
import type { FoundSealingKeys } from '../config/sealing-keys.js';
import type { Io } from '../io.js';
import { writeSmallFile } from '../new-file.js';
import { newSigningKey } from '../new-key.js';
import { UsageError } from '../usage-error.js';

type SigningKey = NonNullable<BackendOptions['signingKey']>;

/**
 * The key of the file, or one that is kept beside the store's file, so that players stay signed in over a restart. Null
 * where nothing is kept: the service makes one for as long as it runs.
 */
export async function devSigningKey(
  config: ServiceConfig,
  storeFile: string | null,
  io: Io,
): Promise<SigningKey | null> {
  if (config.signingKey !== undefined) {
    const given = await referencedText(config.signingKey, 'signingKey', io);
    return typeof given === 'string' ? jwkOf(given) : given;
  }
  return storeFile === null ? null : keptKey(`${storeFile}.signing-key.json`);
}

/**
 * The keys that are given, or one that is made of the signing key, so that what it seals can be opened after a restart.
 * Where nothing is kept it is one for as long as the service runs.
 */
export function devSealingKeys(
  { sealingKey, formerSealingKeys }: FoundSealingKeys,
  signingKey: SigningKey | null,
): Pick<BackendOptions, 'sealingKey' | 'formerSealingKeys'> {
  const secret = signingKey?.d ?? randomBytes(32).toString('hex');
  const made = createHash('sha256').update(`a sealing key for development:${secret}`).digest('base64url');
  return { sealingKey: sealingKey ?? made, formerSealingKeys };
}

async function keptKey(file: string): Promise<SigningKey> {
  try {
    // Whoever comes second finds the key of the first.
    await writeSmallFile(file, `${JSON.stringify(await newSigningKey())}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new UsageError(`the store's signing key cannot be written to ${file} (${code})`);
  }
  return jwkOf(await readFile(file, 'utf8'));
}
