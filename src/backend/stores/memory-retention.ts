import { type MemoryTables, ownerKey } from './memory-tables.js';

/** `Store.removeExpired` on the tables. */
export function removeExpiredFrom(
  tables: MemoryTables,
  { now, orphanedBefore, batch }: { now: number; orphanedBefore: number; batch: number },
): number {
  let removed = 0;
  for (const remove of expired(tables, now, orphanedBefore)) {
    if (removed >= batch) break;
    remove();
    removed += 1;
  }
  return removed;
}

function* expired(tables: MemoryTables, now: number, orphanedBefore: number): Generator<() => void> {
  for (const nonces of tables.nonces.values()) {
    for (const [nonce, until] of nonces) if (until <= now) yield () => nonces.delete(nonce);
  }
  for (const [key, ticket] of tables.tickets) if (ticket.expiresAt <= now) yield () => tables.tickets.delete(key);
  for (const [key, attempt] of tables.attempts) if (attempt.expiresAt <= now) yield () => tables.attempts.delete(key);
  for (const account of tables.accounts.values()) {
    const { record, sessions } = account;
    for (const [id, session] of sessions) if (session.expiresAt <= now) yield () => sessions.delete(id);
    if (record.orphanedAt !== null && record.orphanedAt < orphanedBefore) {
      yield () => tables.accounts.delete(ownerKey(record));
    }
  }
}
