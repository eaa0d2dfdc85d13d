import type { MergeAccountsOutcome, MergeAccountsRequest } from '../choice-requests.js';
import { inOrderOfMoving, refusedMove } from '../rules/choices.js';
import { lockAccounts } from './accounts.js';
import { listEntries } from './entries.js';
import { listLinks, makeRoomForDevice, moveLink } from './links.js';
import { writeOver } from './restore-snapshot.js';
import { endAllSessions } from './sessions.js';
import { keepSnapshot } from './snapshots.js';
import type { Steps } from './statement.js';

/** Makes all links of an account lead to another one, in one transaction. All checks stand before the first change. */
export function* mergeAccounts(request: MergeAccountsRequest): Steps<MergeAccountsOutcome> {
  const { owner, into, snapshots, quotas, entryQuotas, now } = request;
  const locked = yield* lockAccounts([owner, into]);
  const [from, to] = [locked.get(owner.accountId), locked.get(into.accountId)];
  const moving = inOrderOfMoving(yield* listLinks(owner));
  const refused = refusedMove([from, to], { moving, there: yield* listLinks(into), now });
  if (refused !== null) return refused;
  if (from === undefined || to === undefined) return { outcome: 'no_account' };
  const entries = yield* listEntries(owner);
  const [kept, beside] = snapshots;
  let written = 0;
  if (request.entries === 'take') {
    const own = { reason: 'merge', entries: yield* listEntries(into), snapshot: beside, now } as const;
    const outcome = yield* writeOver(into, entries, { keep: () => own, quotas: entryQuotas, now });
    if ('outcome' in outcome) return outcome;
    written = outcome.written;
  }
  const reason = request.entries === 'take' ? 'merge' : 'cloud';
  yield* keepSnapshot(into, { reason, entries, from: owner, snapshot: kept, beside, now });
  const sessions = yield* endAllSessions(owner);
  for (const link of moving) {
    if (link.method === 'device') yield* makeRoomForDevice(to, { quotas, asking: null });
    yield* moveLink(link, to, now);
  }
  const customId = moving.find(({ method }) => method === 'custom')?.subject ?? null;
  return { outcome: 'merged', moved: moving.map(({ method }) => method), customId, sessions, written };
}
