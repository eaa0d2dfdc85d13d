import type {
  ChoiceRecord,
  ListChoicesRequest,
  MergeAccountsOutcome,
  MergeAccountsRequest,
  UndoChoiceOutcome,
  UndoChoiceRequest,
} from '../choice-requests.js';
import type { ListSnapshotsRequest } from '../entry-requests.js';
import { choiceRecord, inOrderOfMoving, refusedMove, sessionsThatLeave, withEarlier } from '../rules/choices.js';
import { listEntries } from '../rules/held-entries.js';
import { entriesToOverwrite } from '../rules/snapshots.js';
import { addEvent, addReturn } from './events.js';
import { makeRoomForDevice, moveLink } from './links.js';
import { isBehind } from './list-place.js';
import { keepSnapshot, readSnapshot, writeOver } from './snapshots.js';
import { linkKey, type MemoryTables } from './tables.js';

/** Makes all links of an account lead to another one. */
export function mergeAccounts(tables: MemoryTables, request: MergeAccountsRequest): MergeAccountsOutcome {
  const { owner, into, snapshots, quotas, entryQuotas, now, notice } = request;
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
    const origin = { fromId: owner.accountId, snapshotId: kept.snapshotId };
    const outcome = writeOver(to, entries, { origin, keep: own, quotas: entryQuotas, now });
    if ('outcome' in outcome) return outcome;
    written = outcome.written;
  }
  const reason = request.entries === 'take' ? 'merge' : 'cloud';
  keepSnapshot(to, { reason, entries, from: from.record, snapshot: kept, beside, now });
  const sessions = from.sessions.size;
  tables.endAllSessions(from);
  if (moving.length > 0) addReturn(tables, to, { notice });
  for (const link of moving) {
    if (link.method === 'device') makeRoomForDevice(tables, to, { quotas, asking: null });
    moveLink(tables, link, { to, now, notice });
  }
  addEvent(tables, into, 'merged', { notice, details: { otherUserId: owner.accountId } });
  const own = request.entries === 'take' && to.snapshots.has(beside.snapshotId) ? beside.snapshotId : null;
  const choice = choiceRecord(into, { choice: 'support', from: owner, moved: moving, kept, own, now });
  to.choice = withEarlier(choice, readChoice(tables, { owner: into, now }));
  const customId = moving.find(({ method }) => method === 'custom')?.subject ?? null;
  return { outcome: 'merged', moved: moving.map(({ method }) => method), customId, sessions, written };
}

/** `Store.readChoice`. */
export function readChoice(tables: MemoryTables, { owner, now }: ListSnapshotsRequest): ChoiceRecord | null {
  const choice = tables.account(owner)?.choice ?? null;
  return choice === null || choice.expiresAt <= now ? null : structuredClone(choice);
}

/** `Store.listChoices`. */
export function listChoices(tables: MemoryTables, { scope, after, max, now }: ListChoicesRequest): ChoiceRecord[] {
  return [...tables.accounts.values()]
    .flatMap(({ choice }) => (choice === null || choice.expiresAt <= now ? [] : choice))
    .filter(({ gameId, environment }) => gameId === scope.gameId && environment === scope.environment)
    .filter(({ madeAt: at, accountId: id }) => after === null || isBehind({ at, id }, after))
    .sort((one, other) => other.madeAt - one.madeAt || (one.accountId < other.accountId ? 1 : -1))
    .slice(0, max)
    .map((choice) => structuredClone(choice));
}

/** Takes the latest choice of an account back. */
export function undoChoice(tables: MemoryTables, request: UndoChoiceRequest): UndoChoiceOutcome {
  const { owner, choiceId, snapshot, quotas, entryQuotas, now, notice } = request;
  const account = tables.account(owner);
  if (account === undefined) return { outcome: 'no_account' };
  const choice = readChoice(tables, request);
  if (choice?.choiceId !== choiceId) return { outcome: 'no_choice' };
  const former = tables.account({ ...owner, accountId: choice.fromId });
  if (former === undefined) return { outcome: 'former_gone' };
  const moving = choice.moved.flatMap((key) => account.links.get(linkKey({ ...owner, ...key })) ?? []);
  if (moving.length < choice.moved.length) return { outcome: 'link_moved' };
  const refused = refusedMove([account.record, former.record], { moving, there: [...former.links.values()], now });
  if (refused !== null) return refused;
  let written = 0;
  if (choice.snapshotId !== null) {
    const kept = readSnapshot(tables, { key: { ...owner, snapshotId: choice.snapshotId }, now });
    if (kept === null) return { outcome: 'no_snapshot' };
    const keep = { reason: 'restore', entries: entriesToOverwrite(account, kept.entries), snapshot, now } as const;
    const outcome = writeOver(account, kept.entries, { origin: null, keep, quotas: entryQuotas, now });
    if ('outcome' in outcome) return outcome;
    written = outcome.written;
  }
  const staying = [...account.links.values()].filter((link) => !moving.includes(link));
  const ending = sessionsThatLeave([...account.sessions.values()], { leaving: moving, staying });
  for (const { sessionId } of ending) account.sessions.delete(sessionId);
  if (moving.length > 0) addReturn(tables, former, { notice });
  for (const link of moving) {
    if (link.method === 'device') makeRoomForDevice(tables, former, { quotas, asking: null });
    moveLink(tables, link, { to: former, now, notice });
  }
  const [first] = moving;
  if (first !== undefined) {
    const details = { method: first.method, otherUserId: owner.accountId };
    addEvent(tables, former.record, 'linked', { notice, details });
  }
  account.choice = null;
  return { outcome: 'undone', choice, sessions: ending.length, written };
}
