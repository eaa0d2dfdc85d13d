import type {
  CodeKind,
  MakeCodeOutcome,
  MakeCodeRequest,
  MakeSignInCodeOutcome,
  MakeSignInCodeRequest,
  RemoveMailAddressOutcome,
  RemoveMailAddressRequest,
  ResetPasswordOutcome,
  ResetPasswordRequest,
  SignInByCodeOutcome,
  SignInByCodeRequest,
  VerifyMailAddressOutcome,
  VerifyMailAddressRequest,
} from '../code-requests.js';
import { type CheckedLink, type LinkKey, type Owner, ownerOf } from '../records.js';
import { banOf } from '../rules/bans.js';
import { accountCodeKey, isShown } from '../rules/codes.js';
import { accountKey, type LockedAccount, lockActiveAccount, whereAccount } from './accounts.js';
import { count } from './counts.js';
import { addEvent } from './events.js';
import { linkHash } from './link-hash.js';
import {
  addLink,
  findLink,
  isUnchanged,
  listLinks,
  makeRoomForDevice,
  markUsed as markLinksUsed,
  renewLinks,
  setCredential,
  setMailAddress,
} from './links.js';
import { addSession, countSessions, endAllSessions, findSession, makeRoomForSession } from './sessions.js';
import { firstRow, integerOf, RaceError, rows, type Steps, textOf, textOrNull } from './statement.js';

/** `Store.makeCode`. */
export function* makeCode(request: MakeCodeRequest): Steps<MakeCodeOutcome> {
  const { link, kind, hash, tries, expiresAt, mailAddress } = request;
  const account = yield* lockActiveAccount(link);
  if (account === null || !(yield* isUnchanged(link))) return 'link_changed';
  yield* keepCode(link, {
    kind,
    hash,
    tries,
    expiresAt,
    mailAddress,
    accountId: link.accountId,
    revision: link.revision,
  });
  return 'made';
}

/** Keeps a code that signs in to an account. */
export function* makeSignInCode(request: MakeSignInCodeRequest): Steps<MakeSignInCodeOutcome> {
  const { owner, hash, expiresAt } = request;
  const account = yield* lockActiveAccount(owner);
  if (account === null) return 'no_account';
  const { accountId } = owner;
  const kept = { kind: 'sign_in', hash, tries: null, expiresAt, mailAddress: null, accountId, revision: 0 } as const;
  yield* keepCode(accountCodeKey(owner), kept);
  return 'made';
}

/** In the place of the former one of its kind. */
function* keepCode(
  key: LinkKey,
  {
    kind,
    hash,
    tries,
    expiresAt,
    mailAddress,
    accountId,
    revision,
  }: Pick<MakeCodeRequest, 'hash' | 'tries' | 'expiresAt' | 'mailAddress'> &
    Pick<CheckedLink, 'accountId' | 'revision'> & { kind: CodeKind },
): Steps<void> {
  yield* rows(
    `INSERT INTO @codes (link_hash, kind, hash, account_id, link_revision, tries_left, expires_at, used, mail_address)
      VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8) ON CONFLICT (link_hash, kind) DO UPDATE SET hash = excluded.hash,
        account_id = excluded.account_id, link_revision = excluded.link_revision, tries_left = excluded.tries_left,
        expires_at = excluded.expires_at, used = 0, mail_address = excluded.mail_address`,
    linkHash(key),
    kind,
    hash,
    accountId,
    revision,
    tries,
    expiresAt,
    mailAddress,
  );
}

/** Until when the code of a kind counts; null where there is none that does. */
export function* codeUntil(key: LinkKey, kind: CodeKind, now: number): Steps<number | null> {
  const row = yield* firstRow(
    `SELECT expires_at FROM @codes
      WHERE link_hash = $1 AND kind = $2 AND expires_at > $3 AND used = 0 AND coalesce(tries_left, 1) > 0`,
    linkHash(key),
    kind,
    now,
  );
  return row === null ? null : integerOf(row, 'expires_at');
}

/** `Store.signInByCode`. */
export function* signInByCode(request: SignInByCodeRequest): Steps<SignInByCodeOutcome> {
  const { scope, usedHashes, session: asked, device, quotas, now, notice } = request;
  const found = yield* findSignInCode(request);
  if (found === null) return { outcome: 'wrong_code' };
  const account = yield* lockActiveAccount({ ...scope, accountId: found.accountId });
  if (account === null) return { outcome: 'wrong_code' };
  const owner = ownerOf(account);
  if (banOf(account, now) !== null) return { outcome: 'banned', owner };
  const usedNow = yield* rows(
    "UPDATE @codes SET used = 1, hash = $3 WHERE link_hash = $1 AND kind = 'sign_in' AND hash = $2 RETURNING hash",
    linkHash(accountCodeKey(owner)),
    found.hash,
    usedHashes[0],
  );
  // Somebody has used it, or made another one, since it was found.
  if (usedNow.length === 0) throw new RaceError();
  const onDevice = yield* findLink(device);
  if (onDevice === null) {
    yield* makeRoomForDevice(account, { quotas, asking: null });
    yield* addLink(account, device, now);
    if (account.orphanedAt === null) yield* addEvent(owner, 'linked', { notice, details: { method: device.method } });
    else yield* addEvent(owner, 'restored', { notice });
  } else if (account.orphanedAt !== null) {
    yield* rows(`UPDATE @accounts SET orphaned_at = $4 WHERE ${whereAccount}`, ...accountKey(owner), now);
  }
  const session = { ...asked, ...owner };
  yield* makeRoomForSession(owner, yield* countSessions(owner), quotas);
  yield* addSession(session);
  yield* markLinksUsed({ session, now });
  yield* count(owner, now, [`sign_in_${session.method}`]);
  return { outcome: 'opened', session };
}

/** The code that is shown, where it was not used yet or was used on this device, and the hash that it has. */
function* findSignInCode({
  hashes,
  usedHashes,
  now,
}: SignInByCodeRequest): Steps<(Pick<Owner, 'accountId'> & { hash: string }) | null> {
  for (const hash of [...hashes, ...usedHashes]) {
    const text = "SELECT account_id FROM @codes WHERE hash = $1 AND kind = 'sign_in' AND expires_at > $2";
    const row = yield* firstRow(text, hash, now);
    if (row !== null) return { accountId: textOf(row, 'account_id'), hash };
  }
  return null;
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
  yield* setMailAddress(tried.link, { to: mailAddress, at: now, revision: account.revision });
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
  yield* setMailAddress(before, { to: null, at: null, revision: account.revision });
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
