import { equalBytes } from '../../../protocol/signing.js';
import type { LinkKey, Owner } from '../records.js';

/** Under which key the code is kept that signs in to an account: one that no link has, so that each account has one. */
export function accountCodeKey({ gameId, environment, accountId }: Owner): LinkKey {
  return { gameId, environment, method: 'recovery', subject: accountId };
}

/** Whether a hash is one of those that are shown, in a time that does not tell how much of one is right, nor which. */
export function isShown(hash: string, shown: readonly string[]): boolean {
  const encoder = new TextEncoder();
  return shown.filter((one) => equalBytes(encoder.encode(hash), encoder.encode(one))).length > 0;
}
