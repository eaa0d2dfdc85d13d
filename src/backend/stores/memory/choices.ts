import type { MergeAccountsOutcome, MergeAccountsRequest } from '../choice-requests.js';
import { inOrderOfMoving, refusedMove } from '../rules/choices.js';
import { listEntries } from '../rules/held-entries.js';
import { makeRoomForDevice } from './links.js';
import { keepSnapshot, writeOver } from './snapshots.js';
import type { MemoryTables } from './tables.js';

/** Makes all links of an account lead to another one. */
export function mergeAccounts(tables: MemoryTables, request: MergeAccountsRequest): MergeAccountsOutcome {
  const { owner, into, snapshots, quotas, entryQuotas, now } = request;
  const [from, to] = [tables.account(owner), tables.account(into)];
  const moving = inOrderOfMoving([...(from?.links.values() ?? [])]);
  const there = [...(to?.links.values() ?? [])];
  const refused = refusedMove([from?.record, to?.record], { moving, there, now });
  if (refused !== null) return refused;
  if (from === undefined || to === undefined) return { outcome: 'no_account' };
  const entries = listEntries(from);
  const [kept, beside] = snapshots;
  let written = 0;
  if (request.entries === 'take') {
    const own = { reason: 'merge', entries: listEntries(to), snapshot: beside, now } as const;
    const outcome = writeOver(to, entries, { keep: own, quotas: entryQuotas, now });
    if ('outcome' in outcome) return outcome;
    written = outcome.written;
  }
  const reason = request.entries === 'take' ? 'merge' : 'cloud';
  keepSnapshot(to, { reason, entries, from: from.record, snapshot: kept, beside, now });
  const sessions = from.sessions.size;
  from.sessions.clear();
  for (const link of moving) {
    if (link.method === 'device') makeRoomForDevice(tables, to, { quotas, asking: null });
    tables.moveLink(link, to, now);
  }
  const customId = moving.find(({ method }) => method === 'custom')?.subject ?? null;
  return { outcome: 'merged', moved: moving.map(({ method }) => method), customId, sessions, written };
}
