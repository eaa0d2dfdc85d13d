import type { ExpiryRequest } from '../requests.js';
import { isAccountExpired } from '../rules/retention.js';
import type { MemoryAccount, MemoryTables } from './tables.js';

/** `Store.removeExpired`. */
export function removeExpired(tables: MemoryTables, request: ExpiryRequest): number {
  let removed = 0;
  for (const remove of expired(tables, request)) {
    if (removed >= request.batch) break;
    remove();
    removed += 1;
  }
  return removed;
}

function* expired(tables: MemoryTables, request: ExpiryRequest): Generator<() => void> {
  const { now } = request;
  for (const nonces of tables.nonces.values()) {
    for (const [nonce, until] of nonces) if (until <= now) yield () => nonces.delete(nonce);
  }
  for (const [key, ticket] of tables.tickets) if (ticket.expiresAt <= now) yield () => tables.tickets.delete(key);
  for (const [key, attempt] of tables.attempts) if (attempt.expiresAt <= now) yield () => tables.attempts.delete(key);
  for (const [key, code] of tables.codes) if (code.expiresAt <= now) yield () => tables.codes.delete(key);
  for (const [id, event] of tables.events) if (event.expiresAt <= now) yield () => tables.events.delete(id);
  for (const [id, entry] of tables.audit) if (entry.expiresAt <= now) yield () => tables.audit.delete(id);
  for (const account of tables.accounts.values()) {
    const { record, sessions, snapshots } = account;
    for (const [id, session] of sessions) if (session.expiresAt <= now) yield () => sessions.delete(id);
    for (const [id, snapshot] of snapshots) if (snapshot.expiresAt <= now) yield () => snapshots.delete(id);
    if (account.choice !== null && account.choice.expiresAt <= now)
      yield () => Object.assign(account, { choice: null });
    // Somebody may be playing: an operator's code, for one, signs in on a device that leads elsewhere.
    if (isAccountExpired(record, request) && !hasLivingSession(account, now)) yield () => tables.removeAccount(account);
  }
}

function hasLivingSession({ sessions }: MemoryAccount, now: number): boolean {
  for (const { expiresAt } of sessions.values()) if (expiresAt > now) return true;
  return false;
}
