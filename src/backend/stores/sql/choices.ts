import type { LinkMethod } from '../../../protocol/conflict.js';
import type {
  ChoiceRecord,
  ListChoicesRequest,
  MergeAccountsOutcome,
  MergeAccountsRequest,
  UndoChoiceOutcome,
  UndoChoiceRequest,
} from '../choice-requests.js';
import type { ListSnapshotsRequest } from '../entry-requests.js';
import type { AccountLink, Owner } from '../records.js';
import { choiceRecord, inOrderOfMoving, refusedMove, sessionsThatLeave, withEarlier } from '../rules/choices.js';
import type { HeldEntries } from '../rules/held-entries.js';
import { entriesToOverwrite, type SnapshotContent } from '../rules/snapshots.js';
import { accountKey, findAccountRecord, lockAccounts, whereAccount } from './accounts.js';
import { listEntries } from './entries.js';
import { addEvent, addReturn } from './events.js';
import { listLinks, makeRoomForDevice, moveLink } from './links.js';
import { placeValues } from './list-place.js';
import { writeOver } from './restore-snapshot.js';
import { endAllSessions, endSession, listSessions } from './sessions.js';
import { hasSnapshot, keepSnapshot, readSnapshot } from './snapshots.js';
import {
  escaped,
  firstRow,
  integerOf,
  RaceError,
  rows,
  type SqlRow,
  type Steps,
  textOf,
  textOrNull,
  unescaped,
} from './statement.js';

const columns = 'choice_id, choice, from_id, snapshot_id, made_at, expires_at, moved';

/** Makes all links of an account lead to another one, in one transaction. All checks stand before the first change. */
export function* mergeAccounts(request: MergeAccountsRequest): Steps<MergeAccountsOutcome> {
  const { owner, into, snapshots, quotas, entryQuotas, now, notice } = request;
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
    const origin = { fromId: owner.accountId, snapshotId: kept.snapshotId };
    const outcome = yield* writeOver(into, entries, { origin, keep: () => own, quotas: entryQuotas, now });
    if ('outcome' in outcome) return outcome;
    written = outcome.written;
  }
  const reason = request.entries === 'take' ? 'merge' : 'cloud';
  yield* keepSnapshot(into, { reason, entries, from: owner, snapshot: kept, beside, now });
  const sessions = yield* endAllSessions(owner);
  for (const link of moving) {
    if (link.method === 'device') yield* makeRoomForDevice(to, { quotas, asking: null });
    yield* moveLink(link, { to, now, notice });
  }
  if (moving.length > 0) yield* addReturn(to, { notice });
  yield* addEvent(into, 'merged', { notice, details: { otherUserId: owner.accountId } });
  const hasOwn = request.entries === 'take' && (yield* hasSnapshot({ ...into, snapshotId: beside.snapshotId }));
  const own = hasOwn ? beside.snapshotId : null;
  const choice = choiceRecord(into, { choice: 'support', from: owner, moved: moving, kept, own, now });
  yield* keepChoice(withEarlier(choice, yield* readChoice({ owner: into, now })));
  const customId = moving.find(({ method }) => method === 'custom')?.subject ?? null;
  return { outcome: 'merged', moved: moving.map(({ method }) => method), customId, sessions, written };
}

/** `Store.readChoice`. */
export function* readChoice({ owner, now }: ListSnapshotsRequest): Steps<ChoiceRecord | null> {
  const text = `SELECT ${columns} FROM @choices WHERE ${whereAccount} AND expires_at > $4`;
  const row = yield* firstRow(text, ...accountKey(owner), now);
  return row === null ? null : choiceFromRow(owner, row);
}

/** `Store.listChoices`, along the index `choices_of_game`. */
export function* listChoices({ scope, after, max, now }: ListChoicesRequest): Steps<ChoiceRecord[]> {
  const text = `SELECT account_id, ${columns} FROM @choices
    WHERE game_id = $1 AND environment = $2 AND (made_at, account_id) < ($3, $4) AND expires_at > $6
    ORDER BY made_at DESC, account_id DESC LIMIT $5`;
  const found = yield* rows(text, scope.gameId, scope.environment, ...placeValues(after), max, now);
  return found.map((row) => choiceFromRow({ ...scope, accountId: textOf(row, 'account_id') }, row));
}

/** Keeps the choice of an account that is locked, in the place of an earlier one. */
export function* keepChoice(record: ChoiceRecord): Steps<void> {
  yield* removeChoice(record);
  yield* rows(
    `INSERT INTO @choices (account_id, environment, game_id, ${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    ...accountKey(record),
    record.choiceId,
    record.choice,
    record.fromId,
    record.snapshotId,
    record.madeAt,
    record.expiresAt,
    JSON.stringify(record.moved.map(({ method, subject }) => [method, escaped(subject)])),
  );
}

function* removeChoice(owner: Owner): Steps<void> {
  yield* rows(`DELETE FROM @choices WHERE ${whereAccount}`, ...accountKey(owner));
}

/** Takes the latest choice of an account back, in one transaction. All checks stand before the first change. */
export function* undoChoice(request: UndoChoiceRequest): Steps<UndoChoiceOutcome> {
  const { owner, choiceId, snapshot, quotas, entryQuotas, now, notice } = request;
  const choice = yield* readChoice(request);
  if (choice?.choiceId !== choiceId) {
    return { outcome: (yield* findAccountRecord(owner)) === null ? 'no_account' : 'no_choice' };
  }
  const locked = yield* lockAccounts([owner, { ...owner, accountId: choice.fromId }]);
  // Whoever has changed the choice since has held the account's lock.
  if ((yield* readChoice(request))?.choiceId !== choiceId) throw new RaceError();
  const [account, former] = [locked.get(owner.accountId), locked.get(choice.fromId)];
  if (former === undefined) return { outcome: 'former_gone' };
  const links = yield* listLinks(owner);
  const [moving, staying] = divide(links, choice);
  if (moving.length < choice.moved.length) return { outcome: 'link_moved' };
  const refused = refusedMove([account, former], { moving, there: yield* listLinks(former), now });
  if (refused !== null) return refused;
  let written = 0;
  if (choice.snapshotId !== null) {
    const kept = yield* readSnapshot({ ...owner, snapshotId: choice.snapshotId }, now);
    if (kept === null) return { outcome: 'no_snapshot' };
    const keep = (held: HeldEntries): SnapshotContent => {
      return { reason: 'restore', entries: entriesToOverwrite(held, kept.entries), snapshot, now };
    };
    const outcome = yield* writeOver(owner, kept.entries, { origin: null, keep, quotas: entryQuotas, now });
    if ('outcome' in outcome) return outcome;
    written = outcome.written;
  }
  const ending = sessionsThatLeave(yield* listSessions(owner), { leaving: moving, staying });
  for (const session of ending) yield* endSession(session);
  for (const link of moving) {
    if (link.method === 'device') yield* makeRoomForDevice(former, { quotas, asking: null });
    yield* moveLink(link, { to: former, now, notice });
  }
  const [first] = moving;
  if (first !== undefined) {
    const details = { method: first.method, otherUserId: owner.accountId };
    yield* addReturn(former, { notice });
    yield* addEvent(former, 'linked', { notice, details });
  }
  yield* removeChoice(owner);
  return { outcome: 'undone', choice, sessions: ending.length, written };
}

/** The links that a choice has moved, and the others. */
function divide(links: readonly AccountLink[], { moved }: ChoiceRecord): [AccountLink[], AccountLink[]] {
  const isMoved = (link: AccountLink): boolean =>
    moved.some(({ method, subject }) => method === link.method && subject === link.subject);
  return [links.filter(isMoved), links.filter((link) => !isMoved(link))];
}

function choiceFromRow({ gameId, environment, accountId }: Owner, row: SqlRow): ChoiceRecord {
  const moved = JSON.parse(textOf(row, 'moved')) as [LinkMethod, string][];
  return {
    gameId,
    environment,
    accountId,
    choiceId: textOf(row, 'choice_id'),
    choice: textOf(row, 'choice') as ChoiceRecord['choice'],
    fromId: textOf(row, 'from_id'),
    moved: moved.map(([method, subject]) => ({ method, subject: unescaped(subject) })),
    snapshotId: textOrNull(row, 'snapshot_id'),
    madeAt: integerOf(row, 'made_at'),
    expiresAt: integerOf(row, 'expires_at'),
  };
}
