import type { SecretReference } from '../../backend/index.js';
import type { Io } from '../io.js';
import { findSecret } from '../secrets.js';

export function isReference(value: unknown): value is SecretReference {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(value);
  return names.length === 1 && (names[0] === 'env' || names[0] === 'file');
}

/** What a reference leads to; null where that is not there. */
export async function referenced(reference: SecretReference, at: string, io: Io): Promise<string | null> {
  const [file, variable] = 'file' in reference ? [reference.file, ''] : [undefined, reference.env];
  return findSecret(io, { what: 'the secret', option: at, file, variable });
}

export function unresolved(reference: SecretReference, at: string): string {
  return 'env' in reference ? `${at}: the variable ${reference.env} is not set` : `${at}: the file is empty`;
}
