import { randomBytes } from 'node:crypto';

/** A text of 256 random bits, which nobody guesses. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
