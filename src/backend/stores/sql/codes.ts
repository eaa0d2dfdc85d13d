import type {
  CodeKind,
  MakeCodeOutcome,
  MakeCodeRequest,
  ResetPasswordOutcome,
  ResetPasswordRequest,
} from '../code-requests.js';
import type { CheckedLink, LinkKey } from '../records.js';
import { sameHash } from '../rules/codes.js';
import { type LockedAccount, lockActiveAccount } from './accounts.js';
import { linkHash } from './link-hash.js';
import { findLink, isUnchanged, renewLinks, setCredential } from './links.js';
import { endAllSessions } from './sessions.js';
import { firstRow, integerOf, rows, type Steps, textOf } from './statement.js';

/** `Store.makeCode`. */
export function* makeCode({ link, kind, hash, tries, expiresAt }: MakeCodeRequest): Steps<MakeCodeOutcome> {
  const account = yield* lockActiveAccount(link);
  if (account === null || !(yield* isUnchanged(link))) return 'link_changed';
  yield* rows(
    `INSERT INTO @codes (link_hash, kind, hash, account_id, link_revision, tries_left, expires_at, used)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 0) ON CONFLICT (link_hash, kind) DO UPDATE SET hash = excluded.hash,
        account_id = excluded.account_id, link_revision = excluded.link_revision, tries_left = excluded.tries_left,
        expires_at = excluded.expires_at, used = 0`,
    linkHash(link),
    kind,
    hash,
    link.accountId,
    link.revision,
    tries,
    expiresAt,
  );
  return 'made';
}

/** `Store.resetPassword`. */
export function* resetPassword({ link: key, to, ...shown }: ResetPasswordRequest): Steps<ResetPasswordOutcome> {
  const found = yield* findLink(key);
  // The account is locked first, as everybody locks it.
  const account = found === null ? null : yield* lockActiveAccount(found);
  const tried = account === null ? null : yield* tryCode(account, key, shown);
  if (account === null || tried === null) return 'wrong_code';
  const { link, isUsed } = tried;
  if (!(yield* isUnchanged(link))) return 'wrong_code';
  if (isUsed) return 'repeated';
  yield* setCredential(link, { to, revision: account.revision });
  yield* endAllSessions(account);
  yield* renewLinks(account);
  const text = 'UPDATE @codes SET used = 1, link_revision = $3 WHERE link_hash = $1 AND kind = $2';
  yield* rows(text, linkHash(key), shown.kind, account.revision);
  return 'reset';
}

/** Counts the try first, and then compares: the link that a right code was made for, as it was then. */
function* tryCode(
  { gameId, environment, accountId }: LockedAccount,
  key: LinkKey,
  { kind, hash, now }: { kind: CodeKind; hash: string; now: number },
): Steps<{ link: CheckedLink; isUsed: boolean } | null> {
  const code = yield* firstRow(
    `UPDATE @codes SET tries_left = tries_left - 1
      WHERE link_hash = $1 AND kind = $2 AND account_id = $3 AND expires_at > $4 AND coalesce(tries_left, 1) > 0
      RETURNING hash, link_revision, used`,
    linkHash(key),
    kind,
    accountId,
    now,
  );
  if (code === null || !sameHash(textOf(code, 'hash'), hash)) return null;
  const { method, subject } = key;
  const link = { gameId, environment, method, subject, accountId, revision: integerOf(code, 'link_revision') };
  return { link, isUsed: integerOf(code, 'used') === 1 };
}
