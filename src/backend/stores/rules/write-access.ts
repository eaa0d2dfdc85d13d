import type { WriteRefusal } from '../entry-requests.js';
import type { AccountRecord } from '../records.js';

/**
 * Why a write may not be made in an account; null where it may. `sessionId` is that of the player who asks, null for
 * the game's back end; `hasSession` says whether the session lives.
 */
export function refusedWrite(
  account: Pick<AccountRecord, 'deletedAt'> | null,
  { sessionId, hasSession }: { sessionId: string | null; hasSession: boolean },
): WriteRefusal | null {
  const isActive = account !== null && account.deletedAt === null;
  if (sessionId !== null) return hasSession && isActive ? null : { outcome: 'no_session' };
  if (account === null) return { outcome: 'no_account' };
  return account.deletedAt === null ? null : { outcome: 'deleted', deletedAt: account.deletedAt };
}
