import type { AuditEntry } from '../../protocol/admin-messages.js';
import type { Service } from '../service.js';
import type { AuditRecord } from '../stores/operator-requests.js';
import type { ListPlace, Owner } from '../stores/records.js';
import { type Page, pageOf } from './pages.js';

/** A page of what operators have done, newest first: to one player, or all. */
export async function readAudit(
  { store }: Service,
  owner: Owner | null,
  page: Page<ListPlace>,
): Promise<{ entries: AuditEntry[]; cursor?: string }> {
  const found = await store.readAudit({ owner, after: page.after, max: page.max + 1 });
  const { items, ...next } = pageOf(page, found, ({ at, auditId: id }) => ({ at, id }));
  return { entries: items.map(showEntry), ...next };
}

export function showEntry({
  auditId: id,
  at,
  keyId,
  keyName,
  action,
  owner,
  what,
  before,
  after,
}: AuditRecord): AuditEntry {
  return {
    id,
    at,
    by: { id: keyId, name: keyName },
    action,
    ...(owner === null ? {} : { gameId: owner.gameId, env: owner.environment, userId: owner.accountId }),
    what,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
