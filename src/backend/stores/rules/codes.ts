import { equalBytes } from '../../../protocol/signing.js';

/** Whether a hash is one of those that are shown, in a time that does not tell how much of one is right, nor which. */
export function isShown(hash: string, shown: readonly string[]): boolean {
  const encoder = new TextEncoder();
  return shown.filter((one) => equalBytes(encoder.encode(hash), encoder.encode(one))).length > 0;
}
