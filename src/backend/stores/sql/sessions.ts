import type { LinkMethod } from '../../../protocol/conflict.js';
import type { CheckedLink, LinkKey, Owner, RefreshRecord, SessionKey, SessionRecord } from '../records.js';
import type { DeviceRequest } from '../requests.js';
import { accountCodeKey } from '../rules/codes.js';
import { sessionsInTheWay, usedAt } from '../rules/longest-unused.js';
import { formerLinksAfter } from '../rules/session-links.js';
import type { LoginQuotas } from '../session-requests.js';
import { accountKey, whereAccount } from './accounts.js';
import { linkHash } from './link-hash.js';
import {
  escaped,
  firstRow,
  integerOf,
  integerOrNull,
  rows,
  type SqlRow,
  type Steps,
  textOf,
  unescaped,
} from './statement.js';

const columns =
  'session_id, revision, opened_at, expires_at, method, subject, device, refresh_tokens, authenticated_at, former_links';

/** Keeps a session; its account is locked. `newest` is the place of the last one that the account got. */
export function* addSession(session: SessionRecord, newest = 0): Steps<void> {
  yield* rows(
    `INSERT INTO @sessions (account_id, environment, game_id, ${columns}, used_at, ordinal)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    ...accountKey(session),
    session.sessionId,
    session.revision,
    session.openedAt,
    session.expiresAt,
    session.method,
    escaped(session.subject),
    session.device,
    JSON.stringify(session.refreshTokens),
    session.authenticatedAt,
    storedLinks(session.formerLinks),
    usedAt(session),
    newest + 1,
  );
}

export function* findSession(key: SessionKey): Steps<SessionRecord | null> {
  const text = `SELECT ${columns} FROM @sessions WHERE ${whereAccount} AND session_id = $4`;
  const row = yield* firstRow(text, ...accountKey(key), key.sessionId);
  return row === null ? null : sessionFromRow(key, row);
}

export function* listSessions(owner: Owner): Steps<SessionRecord[]> {
  const text = `SELECT ${columns} FROM @sessions WHERE ${whereAccount} ORDER BY ordinal, session_id`;
  return (yield* rows(text, ...accountKey(owner))).map((row) => sessionFromRow(owner, row));
}

/** `Store.knowsDevice`. */
export function* knowsDevice({ owner, device }: DeviceRequest): Steps<boolean> {
  const found = yield* rows(
    `SELECT 1 AS known FROM @account_links WHERE ${whereAccount} AND method = 'device' AND subject = $4
      UNION ALL SELECT 1 FROM @sessions WHERE ${whereAccount} AND device = $4 LIMIT 1`,
    ...accountKey(owner),
    escaped(device),
  );
  return found.length > 0;
}

export function* updateSession(session: SessionRecord): Steps<boolean> {
  const changed = yield* rows(
    `UPDATE @sessions SET revision = revision + 1, opened_at = $6, expires_at = $7, refresh_tokens = $8, used_at = $9
      WHERE ${whereAccount} AND session_id = $4 AND revision = $5 RETURNING revision`,
    ...accountKey(session),
    session.sessionId,
    session.revision,
    session.openedAt,
    session.expiresAt,
    JSON.stringify(session.refreshTokens),
    usedAt(session),
  );
  return changed.length > 0;
}

/** Makes a session come from a link that was shown just now. */
export function* moveSession(session: SessionRecord, link: CheckedLink, now: number): Steps<SessionRecord | null> {
  const row = yield* firstRow(
    `UPDATE @sessions SET revision = revision + 1, method = $5, subject = $6, authenticated_at = $7, former_links = $8
      WHERE ${whereAccount} AND session_id = $4 RETURNING ${columns}`,
    ...accountKey(session),
    session.sessionId,
    link.method,
    escaped(link.subject),
    now,
    storedLinks(formerLinksAfter(session, link)),
  );
  return row === null ? null : sessionFromRow(session, row);
}

export function* endSession(key: SessionKey): Steps<void> {
  yield* rows(`DELETE FROM @sessions WHERE ${whereAccount} AND session_id = $4`, ...accountKey(key), key.sessionId);
}

/** The sessions of an account. */
export interface CountedSessions {
  sessions: number;
  /** Of how many it is known when they were last used: not of those that an earlier version has kept. */
  marked: number;
  /** The newest one's place. */
  newest: number;
}

export const countedSessions = `
  SELECT count(*) AS sessions, count(used_at) AS marked, coalesce(max(ordinal), 0) AS newest
    FROM @sessions WHERE ${whereAccount}`;

export function countedSessionsFromRow(row: SqlRow): CountedSessions {
  const of = (column: keyof CountedSessions): number => integerOf(row, column);
  return { sessions: of('sessions'), marked: of('marked'), newest: of('newest') };
}

export function* countSessions(owner: Owner): Steps<CountedSessions> {
  return countedSessionsFromRow((yield* firstRow(countedSessions, ...accountKey(owner))) ?? {});
}

/** Ends the sessions that are in the way of another one: the rule is that of `sessionsInTheWay`. */
export function* makeRoomForSession(owner: Owner, counted: CountedSessions, quotas: LoginQuotas): Steps<void> {
  const surplus = counted.sessions + 1 - quotas.sessions;
  if (surplus <= 0) return;
  const areMarked = counted.marked === counted.sessions;
  const ending = areMarked ? yield* longestUnused(owner, surplus) : yield* longestUnusedByTokens(owner, quotas);
  for (const sessionId of ending) yield* endSession({ ...owner, sessionId });
}

function* longestUnused(owner: Owner, max: number): Steps<string[]> {
  const text = `SELECT session_id FROM @sessions WHERE ${whereAccount} ORDER BY used_at, ordinal, session_id LIMIT $4`;
  return (yield* rows(text, ...accountKey(owner), max)).map((row) => textOf(row, 'session_id'));
}

/** The same where an earlier version has kept one of them: when it was last used is in its tokens alone. */
function* longestUnusedByTokens(owner: Owner, quotas: LoginQuotas): Steps<string[]> {
  const text = `SELECT session_id, refresh_tokens FROM @sessions WHERE ${whereAccount} ORDER BY ordinal, session_id`;
  const sessions = (yield* rows(text, ...accountKey(owner))).map((row) => {
    return { sessionId: textOf(row, 'session_id'), refreshTokens: refreshTokensOf(row) };
  });
  return sessionsInTheWay(sessions, quotas.sessions).map(({ sessionId }) => sessionId);
}

/** Answers how many there were. The code that would sign in to the account ends with them. */
export function* endAllSessions(owner: Owner): Steps<number> {
  const codes = "DELETE FROM @codes WHERE link_hash = $1 AND kind = 'sign_in'";
  yield* rows(codes, linkHash(accountCodeKey(owner)));
  const text = `DELETE FROM @sessions WHERE ${whereAccount} RETURNING session_id`;
  return (yield* rows(text, ...accountKey(owner))).length;
}

/** Ends the sessions that come from a link, or came from it before, except the one to keep. */
export function* endSessionsFrom(owner: Owner, { method, subject }: LinkKey, keep: string | null): Steps<void> {
  // Without the text of the link only a list that has it becomes another one: in both engines, and of any characters.
  const text = `DELETE FROM @sessions WHERE ${whereAccount} AND session_id <> $6
    AND ((method = $4 AND subject = $5) OR replace(former_links, $7, '') <> former_links)`;
  const former = JSON.stringify([method, subject]);
  yield* rows(text, ...accountKey(owner), method, escaped(subject), keep ?? '', former);
}

/** Ends the sessions that are on a device, except the one to keep. */
export function* endSessionsOn(owner: Owner, device: string, keep: string | null): Steps<void> {
  const text = `DELETE FROM @sessions WHERE ${whereAccount} AND device = $4 AND session_id <> $5`;
  yield* rows(text, ...accountKey(owner), device, keep ?? '');
}

function sessionFromRow({ gameId, environment, accountId }: Owner, row: SqlRow): SessionRecord {
  const session: SessionRecord = {
    gameId,
    environment,
    accountId,
    sessionId: textOf(row, 'session_id'),
    openedAt: integerOf(row, 'opened_at'),
    // An earlier version has kept it without the time.
    authenticatedAt: integerOrNull(row, 'authenticated_at') ?? integerOf(row, 'opened_at'),
    expiresAt: integerOf(row, 'expires_at'),
    refreshTokens: refreshTokensOf(row),
    revision: integerOf(row, 'revision'),
    method: textOf(row, 'method') as LinkMethod,
    subject: unescaped(textOf(row, 'subject')),
    device: textOf(row, 'device'),
  };
  if (row['former_links'] !== null) session.formerLinks = JSON.parse(textOf(row, 'former_links'));
  return session;
}

function storedLinks(links: SessionRecord['formerLinks']): string | null {
  return links === undefined ? null : JSON.stringify(links);
}

function refreshTokensOf(row: SqlRow): RefreshRecord[] {
  return JSON.parse(textOf(row, 'refresh_tokens')) as RefreshRecord[];
}
