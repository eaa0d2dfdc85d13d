import { equalBytes } from '../../../protocol/signing.js';

/** Whether two hashes are the same, in a time that does not tell how much of them is. */
export function sameHash(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  return equalBytes(encoder.encode(one), encoder.encode(other));
}
