import type { BackendOptions, SecretReference } from '../../backend/index.js';
import type { Io } from '../io.js';
import { findSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';

type SigningKey = NonNullable<BackendOptions['signingKey']>;

export function isReference(value: unknown): value is SecretReference {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  return names.length === 1 && (names[0] === 'env' || names[0] === 'file');
}

/** What a reference leads to; null where that is not there. */
export async function referenced(reference: SecretReference, at: string, io: Io): Promise<string | null> {
  const [file, variable] = 'file' in reference ? [reference.file, ''] : [undefined, reference.env];
  return findSecret(io, { what: 'the secret', option: at, place: at, file, variable });
}

/** A value as it is, or the text that it refers to. Throws UsageError where that is not there. */
export async function referencedText<Value>(
  value: Value | SecretReference,
  at: string,
  io: Io,
): Promise<Value | string> {
  if (!isReference(value)) return value;
  const text = await referenced(value, at, io);
  if (text === null) throw new UsageError(unresolved(value, at));
  return text;
}

export function unresolved(reference: SecretReference, at: string): string {
  return 'env' in reference ? `${at}: the variable ${reference.env} is not set` : `${at}: the file is empty`;
}

export function jwkOf(text: string): SigningKey {
  try {
    return JSON.parse(text) as SigningKey;
  } catch {
    throw new UsageError('the signing key must be a JWK as JSON: savepoint new-key signing makes one');
  }
}
