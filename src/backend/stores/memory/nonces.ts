import type { ClaimedNonceRequest, NonceRequest } from '../requests.js';
import type { MemoryTables } from './tables.js';

/** `Store.claimNonce`. */
export function claimNonce(
  tables: MemoryTables,
  { gameId, nonce, expiresAt, now, max }: NonceRequest,
): 'claimed' | 'reused' | 'full' {
  const nonces = tables.nonces.get(gameId) ?? new Map<string, number>();
  tables.nonces.set(gameId, nonces);
  const claimedUntil = nonces.get(nonce);
  if (claimedUntil !== undefined && claimedUntil > now) return 'reused';
  if (nonces.size >= max) for (const [held, until] of nonces) if (until <= now) nonces.delete(held);
  if (nonces.size >= max) return 'full';
  nonces.set(nonce, expiresAt);
  return 'claimed';
}

/** `Store.isNonceClaimed`. */
export function isNonceClaimed(tables: MemoryTables, { gameId, nonce, now }: ClaimedNonceRequest): boolean {
  return (tables.nonces.get(gameId)?.get(nonce) ?? now) > now;
}
