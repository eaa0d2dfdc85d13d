import type { LinkMethod } from '../../../protocol/conflict.js';
import type { Notifying } from '../event-requests.js';
import type {
  AccountDetails,
  AccountLink,
  CheckedLink,
  LinkKey,
  LinkRecord,
  NewLink,
  Owner,
  SessionRecord,
} from '../records.js';
import { startOfDay } from '../rules/last-use.js';
import { devicesInTheWay } from '../rules/longest-unused.js';
import type { LoginQuotas, MarkUsedRequest } from '../session-requests.js';
import { accountColumns, accountFromRow, accountKey, type LockedAccount, whereAccount } from './accounts.js';
import { count } from './counts.js';
import { addEvent } from './events.js';
import { linkHash } from './link-hash.js';
import {
  type CountedSessions,
  countedSessions,
  countedSessionsFromRow,
  endAllSessions,
  endSessionsFrom,
} from './sessions.js';
import {
  escaped,
  firstRow,
  integerOf,
  integerOrNull,
  RaceError,
  rows,
  type SqlRow,
  type Steps,
  textOf,
  textOrNull,
  unescaped,
} from './statement.js';

/** What names an account, and the revision for its links that this transaction changes. */
type LinkHolder = Owner & Pick<LockedAccount, 'revision'>;

export function* findLink(key: LinkKey): Steps<LinkRecord | null> {
  const text =
    'SELECT account_id, label, credential, mail_address, mail_address_at, linked_at, revision FROM @links WHERE link_hash = $1';
  const row = yield* firstRow(text, linkHash(key));
  if (row === null) return null;
  const { gameId, environment, method, subject } = key;
  return { gameId, environment, accountId: textOf(row, 'account_id'), method, subject, ...linkContentFromRow(row) };
}

/** An account's links, oldest first. */
export function* listLinks(owner: Owner): Steps<AccountLink[]> {
  const columns =
    'method, subject, label, credential, mail_address, mail_address_at, linked_at, last_used_at, revision';
  const text = `SELECT ${columns} FROM @account_links WHERE ${whereAccount} ORDER BY ordinal, method, subject`;
  return (yield* rows(text, ...accountKey(owner))).map((row) => linkFromRow(owner, row));
}

/** `Store.readAccount`, in one statement. */
export function* readAccount(owner: Owner): Steps<AccountDetails | null> {
  const found = yield* rows(
    `SELECT ${accountColumns}, method, subject, label, credential, mail_address, mail_address_at, linked_at,
        last_used_at, k.revision AS revision
      FROM @accounts LEFT JOIN @account_links k USING (account_id, environment, game_id)
      WHERE ${whereAccount} ORDER BY ordinal, method, subject`,
    ...accountKey(owner),
  );
  const [first] = found;
  if (first === undefined) return null;
  const linked = found.filter((row) => textOrNull(row, 'method') !== null);
  return { account: accountFromRow(owner, first), links: linked.map((row) => linkFromRow(owner, row)) };
}

export function linkFromRow({ gameId, environment, accountId }: Owner, row: SqlRow): AccountLink {
  const method = textOf(row, 'method') as LinkMethod;
  return {
    gameId,
    environment,
    accountId,
    method,
    subject: unescaped(textOf(row, 'subject')),
    ...linkContentFromRow(row),
    // An earlier version has kept it without the time.
    lastUsedAt: integerOrNull(row, 'last_used_at') ?? integerOf(row, 'linked_at'),
  };
}

function linkContentFromRow(
  row: SqlRow,
): Pick<LinkRecord, 'label' | 'credential' | 'mailAddress' | 'mailAddressAt' | 'linkedAt' | 'revision'> {
  const label = textOrNull(row, 'label');
  return {
    label: label === null ? null : unescaped(label),
    credential: textOrNull(row, 'credential'),
    mailAddress: textOrNull(row, 'mail_address'),
    mailAddressAt: integerOrNull(row, 'mail_address_at'),
    linkedAt: integerOf(row, 'linked_at'),
    revision: integerOf(row, 'revision'),
  };
}

/**
 * Whether a link of an account that is locked is still what it was when a credential was checked against it.
 */
export function* isUnchanged({ method, subject, revision, ...owner }: CheckedLink): Steps<boolean> {
  const text = `SELECT method FROM @account_links
    WHERE ${whereAccount} AND method = $4 AND subject = $5 AND revision = $6`;
  return (yield* rows(text, ...accountKey(owner), method, escaped(subject), revision)).length > 0;
}

/** The links that are used with a session: its own, and the one of its device. */
const whereUsed = `${whereAccount} AND (method = $4 AND subject = $5 OR method = 'device' AND subject = $6)
  AND coalesce(last_used_at, linked_at) < $7`;

function usedKey(session: SessionRecord, now: number) {
  const { method, subject, device } = session;
  return [...accountKey(session), method, escaped(subject), escaped(device), startOfDay(now)] as const;
}

/** `Store.markUsed`. The account comes first, as everybody locks it first. */
export function* markUsed({ session, now }: MarkUsedRequest): Steps<void> {
  const seen = `UPDATE @accounts SET last_seen_at = $5 WHERE ${whereAccount} AND last_seen_at < $4 RETURNING account_id`;
  const isFirst = (yield* rows(seen, ...accountKey(session), startOfDay(now), now)).length > 0;
  yield* rows(`UPDATE @account_links SET last_used_at = $8 WHERE ${whereUsed}`, ...usedKey(session, now), now);
  if (isFirst) yield* count(session, now, ['active']);
}

/** What a sign-in finds in the account that is locked. */
export interface FoundForSignIn {
  /** Whether a link that it uses was not used on this day before. */
  isFirstUse: boolean;
  /** The sessions that the account has. */
  counted: CountedSessions;
}

/** Null where the session's link is not what it was when its credential was checked. */
export function* findForSignIn(session: SessionRecord, linkRevision: number): Steps<FoundForSignIn | null> {
  const row = yield* firstRow(
    `SELECT (SELECT count(*) FROM @account_links WHERE ${whereUsed}) AS unused, sessions, marked, newest
      FROM @account_links, (${countedSessions}) AS counted WHERE ${whereAccount} AND method = $4 AND subject = $5 AND revision = $8`,
    ...usedKey(session, session.openedAt),
    linkRevision,
  );
  return row === null ? null : { isFirstUse: integerOf(row, 'unused') > 0, counted: countedSessionsFromRow(row) };
}

/** Links a subject to an account that is locked. Null where the subject leads somewhere, if only since this moment. */
export function* addLinkIfFree(owner: LinkHolder, link: NewLink, now: number): Steps<LinkRecord | null> {
  const claimed = yield* addFirstLinkIfFree(owner, link, usedFirst(now));
  if (claimed !== null) yield* clearOrphaned(owner);
  return claimed;
}

/** Since when a link leads to its account, and when somebody last came by it. */
type LinkTimes = Pick<AccountLink, 'linkedAt' | 'lastUsedAt'>;

/** The times of a link that is made now. */
export const usedFirst = (now: number): LinkTimes => ({ linkedAt: now, lastUsedAt: now });

/** The same for an account that this transaction makes: it is no orphan, and need not be marked as none. */
export function* addFirstLinkIfFree(owner: LinkHolder, link: NewLink, times: LinkTimes): Steps<LinkRecord | null> {
  const label = link.label === null ? null : escaped(link.label);
  const claimed = yield* firstRow(
    `INSERT INTO @links (link_hash, account_id, label, credential, linked_at, revision, mail_address, mail_address_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      ON CONFLICT (link_hash) DO NOTHING RETURNING link_hash`,
    linkHash(link),
    owner.accountId,
    label,
    link.credential,
    times.linkedAt,
    owner.revision,
    link.mailAddress ?? null,
    link.mailAddressAt ?? null,
  );
  if (claimed === null) return null;
  return yield* addAccountLink(owner, link, times);
}

/** The same where this transaction has found the subject free; a race where it no longer is. */
export function* addLink(owner: LinkHolder, link: NewLink, now: number): Steps<LinkRecord> {
  const added = yield* addLinkIfFree(owner, link, now);
  if (added === null) throw new RaceError();
  return added;
}

/** Writes a link beside its account. */
function* addAccountLink(owner: LinkHolder, link: NewLink, { linkedAt, lastUsedAt }: LinkTimes): Steps<LinkRecord> {
  const { method, subject, label, credential, mailAddress = null, mailAddressAt = null } = link;
  yield* rows(
    `INSERT INTO @account_links
      (account_id, environment, game_id, method, subject, label, credential, linked_at, last_used_at, revision,
        mail_address, mail_address_at, ordinal)
      SELECT CAST($1 AS text), CAST($2 AS smallint), CAST($3 AS text), CAST($4 AS text), CAST($5 AS text),
        CAST($6 AS text), CAST($7 AS text), CAST($8 AS bigint), CAST($9 AS bigint), CAST($10 AS bigint),
        CAST($11 AS text), CAST($12 AS bigint), coalesce(max(ordinal), 0) + 1
      FROM @account_links WHERE ${whereAccount}`,
    ...accountKey(owner),
    method,
    escaped(subject),
    label === null ? null : escaped(label),
    credential,
    linkedAt,
    lastUsedAt,
    owner.revision,
    mailAddress,
    mailAddressAt,
  );
  const { gameId, environment, accountId, revision } = owner;
  return {
    gameId,
    environment,
    method,
    subject,
    label,
    credential,
    mailAddress,
    mailAddressAt,
    accountId,
    linkedAt,
    revision,
  };
}

/** Marks an account as one that something leads to. */
function* clearOrphaned(owner: Owner): Steps<void> {
  yield* rows(
    `UPDATE @accounts SET orphaned_at = NULL WHERE ${whereAccount} AND orphaned_at IS NOT NULL`,
    ...accountKey(owner),
  );
}

/** Takes away the devices that are in the way of another one, and ends the sessions that came from them. */
export function* makeRoomForDevice(
  account: LockedAccount,
  { quotas, asking }: { quotas: LoginQuotas; asking: string | null },
): Steps<void> {
  for (const link of devicesInTheWay(yield* listLinks(account), quotas.devices, asking)) {
    yield* endSessionsFrom(account, link, null);
    yield* removeLink(link);
  }
}

/** Removes a link from its account, which is locked and has another link. */
export function* removeLink(link: LinkRecord): Steps<void> {
  yield* rows('DELETE FROM @links WHERE link_hash = $1', linkHash(link));
  yield* removeAccountLink(link);
}

function* removeAccountLink(link: LinkRecord): Steps<void> {
  const text = `DELETE FROM @account_links WHERE ${whereAccount} AND method = $4 AND subject = $5`;
  yield* rows(text, ...accountKey(link), link.method, escaped(link.subject));
}

/**
 * Makes a link lead to another account; both are locked. The former one is an orphan and has no session
 * if it was the last link.
 */
export function* moveLink(
  link: LinkRecord,
  { to, now, notice }: Notifying & { to: LinkHolder; now: number },
): Steps<void> {
  yield* removeAccountLink(link);
  const moved = yield* rows(
    `UPDATE @links SET account_id = $2, linked_at = $3, revision = $4 WHERE link_hash = $1 AND account_id = $5
      RETURNING link_hash`,
    linkHash(link),
    to.accountId,
    now,
    to.revision,
    link.accountId,
  );
  if (moved.length === 0) throw new RaceError();
  yield* addAccountLink(to, link, usedFirst(now));
  yield* clearOrphaned(to);
  const left = yield* rows(`SELECT method FROM @account_links WHERE ${whereAccount} LIMIT 1`, ...accountKey(link));
  if (left.length > 0) return;
  yield* rows(`UPDATE @accounts SET orphaned_at = $4 WHERE ${whereAccount}`, ...accountKey(link), now);
  yield* endAllSessions(link);
  yield* addEvent(link, 'orphaned', { notice, details: { otherUserId: to.accountId } });
}

/** Replaces the credential of a link, whose account is locked, and gives the link a revision. */
export function* setCredential(link: CheckedLink, { to, revision }: { to: string; revision: number }): Steps<void> {
  const { method, subject } = link;
  yield* rows('UPDATE @links SET credential = $2, revision = $3 WHERE link_hash = $1', linkHash(link), to, revision);
  yield* rows(
    `UPDATE @account_links SET credential = $6, revision = $7 WHERE ${whereAccount} AND method = $4 AND subject = $5`,
    ...accountKey(link),
    method,
    escaped(subject),
    to,
    revision,
  );
}

/** Replaces the e-mail address of a link, whose account is locked, and gives the link a revision. */
export function* setMailAddress(
  link: LinkKey & Owner,
  { to, at, revision }: { to: string | null; at: number | null; revision: number },
): Steps<void> {
  const { method, subject } = link;
  yield* rows(
    'UPDATE @links SET mail_address = $2, mail_address_at = $3, revision = $4 WHERE link_hash = $1',
    linkHash(link),
    to,
    at,
    revision,
  );
  yield* rows(
    `UPDATE @account_links SET mail_address = $6, mail_address_at = $7, revision = $8
      WHERE ${whereAccount} AND method = $4 AND subject = $5`,
    ...accountKey(link),
    method,
    escaped(subject),
    to,
    at,
    revision,
  );
}

/** Gives all links of an account that is locked a new revision: what they have allowed before is allowed no longer. */
export function* renewLinks(account: LockedAccount): Steps<void> {
  yield* rows(
    `UPDATE @account_links SET revision = $4 WHERE ${whereAccount}`,
    ...accountKey(account),
    account.revision,
  );
  for (const link of yield* listLinks(account)) {
    yield* rows('UPDATE @links SET revision = $2 WHERE link_hash = $1', linkHash(link), account.revision);
  }
}
