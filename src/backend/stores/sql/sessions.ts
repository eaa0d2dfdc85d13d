import type { LinkMethod } from '../../../protocol/conflict.js';
import type { CheckedLink, LinkKey, Owner, RefreshRecord, SessionKey, SessionRecord } from '../records.js';
import type { DeviceRequest } from '../requests.js';
import { accountCodeKey } from '../rules/codes.js';
import { sessionsInTheWay } from '../rules/longest-unused.js';
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
  'session_id, revision, opened_at, expires_at, method, subject, device, refresh_tokens, authenticated_at';

/** Keeps a session; its account is locked. */
export function* addSession(session: SessionRecord): Steps<void> {
  yield* rows(
    `INSERT INTO @sessions (account_id, environment, game_id, ${columns}, ordinal)
      SELECT CAST($1 AS text), CAST($2 AS smallint), CAST($3 AS text), CAST($4 AS text), CAST($5 AS bigint),
        CAST($6 AS bigint), CAST($7 AS bigint), CAST($8 AS text), CAST($9 AS text), CAST($10 AS text),
        CAST($11 AS text), CAST($12 AS bigint), coalesce(max(ordinal), 0) + 1
      FROM @sessions WHERE ${whereAccount}`,
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
    `UPDATE @sessions SET revision = revision + 1, opened_at = $6, expires_at = $7, refresh_tokens = $8
      WHERE ${whereAccount} AND session_id = $4 AND revision = $5 RETURNING revision`,
    ...accountKey(session),
    session.sessionId,
    session.revision,
    session.openedAt,
    session.expiresAt,
    JSON.stringify(session.refreshTokens),
  );
  return changed.length > 0;
}

/** Makes a session come from a link that was shown just now. */
export function* moveSession(
  key: SessionKey,
  { method, subject }: CheckedLink,
  now: number,
): Steps<SessionRecord | null> {
  const row = yield* firstRow(
    `UPDATE @sessions SET revision = revision + 1, method = $5, subject = $6, authenticated_at = $7
      WHERE ${whereAccount} AND session_id = $4 RETURNING ${columns}`,
    ...accountKey(key),
    key.sessionId,
    method,
    escaped(subject),
    now,
  );
  return row === null ? null : sessionFromRow(key, row);
}

export function* endSession(key: SessionKey): Steps<void> {
  yield* rows(`DELETE FROM @sessions WHERE ${whereAccount} AND session_id = $4`, ...accountKey(key), key.sessionId);
}

/** Ends the sessions that are in the way of another one. Of all others nothing is read but when they were used. */
export function* makeRoomForSession(owner: Owner, quotas: LoginQuotas): Steps<void> {
  const text = `SELECT session_id, refresh_tokens FROM @sessions WHERE ${whereAccount} ORDER BY ordinal, session_id`;
  const sessions = (yield* rows(text, ...accountKey(owner))).map((row) => {
    return { ...owner, sessionId: textOf(row, 'session_id'), refreshTokens: refreshTokensOf(row) };
  });
  for (const session of sessionsInTheWay(sessions, quotas.sessions)) yield* endSession(session);
}

/** Answers how many there were. The code that would sign in to the account ends with them. */
export function* endAllSessions(owner: Owner): Steps<number> {
  const codes = "DELETE FROM @codes WHERE link_hash = $1 AND kind = 'sign_in'";
  yield* rows(codes, linkHash(accountCodeKey(owner)));
  const text = `DELETE FROM @sessions WHERE ${whereAccount} RETURNING session_id`;
  return (yield* rows(text, ...accountKey(owner))).length;
}

/** Ends the sessions that came from a link, except the one to keep. */
export function* endSessionsFrom(owner: Owner, { method, subject }: LinkKey, keep: string | null): Steps<void> {
  const text = `DELETE FROM @sessions WHERE ${whereAccount} AND method = $4 AND subject = $5 AND session_id <> $6`;
  yield* rows(text, ...accountKey(owner), method, escaped(subject), keep ?? '');
}

/** Ends the sessions that are on a device, except the one to keep. */
export function* endSessionsOn(owner: Owner, device: string, keep: string | null): Steps<void> {
  const text = `DELETE FROM @sessions WHERE ${whereAccount} AND device = $4 AND session_id <> $5`;
  yield* rows(text, ...accountKey(owner), device, keep ?? '');
}

function sessionFromRow({ gameId, environment, accountId }: Owner, row: SqlRow): SessionRecord {
  return {
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
}

function refreshTokensOf(row: SqlRow): RefreshRecord[] {
  return JSON.parse(textOf(row, 'refresh_tokens')) as RefreshRecord[];
}
