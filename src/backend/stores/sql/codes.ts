import type {
  CodeKind,
  MakeCodeOutcome,
  MakeCodeRequest,
  RemoveMailAddressOutcome,
  RemoveMailAddressRequest,
  ResetPasswordOutcome,
  ResetPasswordRequest,
  VerifyMailAddressOutcome,
  VerifyMailAddressRequest,
} from '../code-requests.js';
import { type CheckedLink, type LinkKey, ownerOf } from '../records.js';
import { isShown } from '../rules/codes.js';
import { type LockedAccount, lockActiveAccount } from './accounts.js';
import { linkHash } from './link-hash.js';
import { findLink, isUnchanged, listLinks, renewLinks, setCredential, setMailAddress } from './links.js';
import { endAllSessions, findSession } from './sessions.js';
import { firstRow, integerOf, rows, type Steps, textOf, textOrNull } from './statement.js';

/** `Store.makeCode`. */
export function* makeCode(request: MakeCodeRequest): Steps<MakeCodeOutcome> {
  const { link, kind, hash, tries, expiresAt, mailAddress } = request;
  const account = yield* lockActiveAccount(link);
  if (account === null || !(yield* isUnchanged(link))) return 'link_changed';
  yield* rows(
    `INSERT INTO @codes (link_hash, kind, hash, account_id, link_revision, tries_left, expires_at, used, mail_address)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8) ON CONFLICT (link_hash, kind) DO UPDATE SET hash = excluded.hash,
        account_id = excluded.account_id, link_revision = excluded.link_revision, tries_left = excluded.tries_left,
        expires_at = excluded.expires_at, used = 0, mail_address = excluded.mail_address`,
    linkHash(link),
    kind,
    hash,
    link.accountId,
    link.revision,
    tries,
    expiresAt,
    mailAddress,
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
  yield* markUsed(key, shown.kind, account);
  return 'reset';
}

/** A code that was used is right for as long as the link is what the code has made of it. */
function* markUsed(key: LinkKey, kind: CodeKind, account: LockedAccount): Steps<void> {
  const text = 'UPDATE @codes SET used = 1, link_revision = $3 WHERE link_hash = $1 AND kind = $2';
  yield* rows(text, linkHash(key), kind, account.revision);
}

/** `Store.verifyMailAddress`. */
export function* verifyMailAddress(request: VerifyMailAddressRequest): Steps<VerifyMailAddressOutcome> {
  const { session, link: key, hashes, now } = request;
  const account = yield* lockActiveAccount(session);
  if (account === null || (yield* findSession(session)) === null) return { outcome: 'no_session' };
  const tried = yield* tryCode(account, key, { kind: 'verify', hashes, now });
  const before = tried === null || !(yield* isUnchanged(tried.link)) ? null : yield* findLink(key);
  if (tried === null || before === null) return { outcome: 'wrong_code' };
  if (tried.isUsed) return { outcome: 'repeated' };
  const { mailAddress } = tried;
  yield* setMailAddress(tried.link, { to: mailAddress, revision: account.revision });
  yield* markUsed(key, 'verify', account);
  return { outcome: 'verified', before, mailAddress };
}

/** `Store.removeMailAddress`. */
export function* removeMailAddress({ owner, session }: RemoveMailAddressRequest): Steps<RemoveMailAddressOutcome> {
  const account = yield* lockActiveAccount(owner);
  const asking = account === null ? null : yield* findSession({ ...ownerOf(owner), sessionId: session });
  if (account === null || asking === null) return { outcome: 'no_session' };
  const name = (yield* listLinks(account)).find(({ method }) => method === 'name');
  if (name === undefined) return { outcome: 'not_linked' };
  const { lastUsedAt: _, ...before } = name;
  yield* setMailAddress(before, { to: null, revision: account.revision });
  return { outcome: 'removed', before };
}

/** Counts the try first, and then compares: the link that a right code was made for, as it was then. */
function* tryCode(
  { gameId, environment, accountId }: LockedAccount,
  key: LinkKey,
  { kind, hashes, now }: { kind: CodeKind; hashes: readonly string[]; now: number },
): Steps<{ link: CheckedLink; isUsed: boolean; mailAddress: string | null } | null> {
  const code = yield* firstRow(
    `UPDATE @codes SET tries_left = tries_left - 1
      WHERE link_hash = $1 AND kind = $2 AND account_id = $3 AND expires_at > $4 AND coalesce(tries_left, 1) > 0
      RETURNING hash, link_revision, used, mail_address`,
    linkHash(key),
    kind,
    accountId,
    now,
  );
  if (code === null || !isShown(textOf(code, 'hash'), hashes)) return null;
  const { method, subject } = key;
  const link = { gameId, environment, method, subject, accountId, revision: integerOf(code, 'link_revision') };
  return { link, isUsed: integerOf(code, 'used') === 1, mailAddress: textOrNull(code, 'mail_address') };
}
