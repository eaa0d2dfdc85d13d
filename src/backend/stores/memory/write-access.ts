import type { WriteRefusal } from '../entry-requests.js';
import type { Owner } from '../records.js';
import { refusedWrite } from '../rules/write-access.js';
import type { MemoryAccount, MemoryTables } from './tables.js';

/** The account for whoever may change its entries, or why they may not. */
export function accountForWrite(
  tables: MemoryTables,
  owner: Owner,
  sessionId: string | null,
): MemoryAccount | WriteRefusal {
  const account = tables.account(owner);
  const hasSession = sessionId !== null && account?.sessions.has(sessionId) === true;
  const refused = refusedWrite(account?.record ?? null, { sessionId, hasSession });
  return refused ?? (account as MemoryAccount);
}
