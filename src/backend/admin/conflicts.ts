import type { GameConflict } from '../../protocol/admin-conflicts.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import type { Service } from '../service.js';
import type { ListPlace, Scope } from '../stores/records.js';
import { type Page, pageOf } from './pages.js';

/** A page of the conflicts of a game in which the player has not chosen yet, the one that was met last first. */
export async function listConflicts(
  { store, now }: Service,
  scope: Scope,
  page: Page<ListPlace>,
): Promise<{ conflicts: GameConflict[]; cursor?: string }> {
  const found = await store.listOpenConflicts({ scope, after: page.after, max: page.max + 1, now: now() });
  const { items, ...next } = pageOf(page, found, ({ expiresAt: at, sessionId: id }) => ({ at, id }));
  const conflicts = items.map(({ sessionId: id, method, localId, cloudId, expiresAt }) => ({
    id,
    method,
    localUserId: localId,
    cloudUserId: cloudId,
    openedAt: expiresAt - accountDefaults.ticketTtlMs,
    expiresAt,
  }));
  return { conflicts, ...next };
}
