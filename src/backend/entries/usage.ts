import type { AccountUsage, QuotaUsage } from '../../protocol/player-messages.js';
import type { Service } from '../service.js';
import type { Owner } from '../stores/records.js';

/** How much an account holds, and how much it may hold; null where there is no such account. */
export async function readUsage({ store, quotas, now }: Service, owner: Owner): Promise<AccountUsage | null> {
  const used = await store.readUsage({ owner, now: now() });
  if (used === null) return null;
  const of = (name: keyof AccountUsage): QuotaUsage => ({ used: used[name], limit: quotas[name] });
  return {
    values: of('values'),
    entries: of('entries'),
    collections: of('collections'),
    snapshots: of('snapshots'),
    snapshotBytes: of('snapshotBytes'),
    devices: of('devices'),
    sessions: of('sessions'),
  };
}
