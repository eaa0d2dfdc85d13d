import type {
  CodeKind,
  CodeRecord,
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
import { type LinkKey, ownerOf } from '../records.js';
import { banOf } from '../rules/bans.js';
import { accountCodeKey, isShown } from '../rules/codes.js';
import { count } from './counts.js';
import { addEvent } from './events.js';
import { copyLink, makeRoomForDevice } from './links.js';
import { addSession, endSessions, markUsed } from './sessions.js';
import { codeKey, linkKey, type MemoryTables } from './tables.js';

/** `Store.makeCode`. */
export function makeCode(
  tables: MemoryTables,
  { link, kind, hash, tries, expiresAt, mailAddress }: MakeCodeRequest,
): MakeCodeOutcome {
  if (tables.activeAccount(link) === undefined || !tables.isUnchanged(link)) return 'link_changed';
  const { gameId, environment, method, subject, accountId, revision: linkRevision } = link;
  const of = { gameId, environment, method, subject, accountId, linkRevision };
  const code = { kind, hash, triesLeft: tries, expiresAt, isUsed: false, mailAddress };
  tables.codes.set(codeKey(link, kind), { ...of, ...code });
  return 'made';
}

/** Until when the code of a kind counts; null where there is none that does. */
export function codeUntil(tables: MemoryTables, key: LinkKey, kind: CodeKind, now: number): number | null {
  const code = tables.codes.get(codeKey(key, kind));
  const counts = code !== undefined && code.expiresAt > now && !code.isUsed && code.triesLeft !== 0;
  return counts ? code.expiresAt : null;
}

/** Keeps a code that signs in to an account. */
export function makeSignInCode(
  tables: MemoryTables,
  { owner, hash, expiresAt }: MakeSignInCodeRequest,
): MakeSignInCodeOutcome {
  if (tables.activeAccount(owner) === undefined) return 'no_account';
  const [key, { accountId }] = [accountCodeKey(owner), owner];
  const code = { kind: 'sign_in', hash, triesLeft: null, expiresAt, isUsed: false, mailAddress: null } as const;
  tables.codes.set(codeKey(key, 'sign_in'), { ...key, accountId, linkRevision: 0, ...code });
  return 'made';
}

/** `Store.signInByCode`. */
export function signInByCode(tables: MemoryTables, request: SignInByCodeRequest): SignInByCodeOutcome {
  const { scope, hashes, usedHashes, session: asked, device, quotas, now, notice } = request;
  const shown = [...hashes, ...usedHashes];
  const isRight = (code: CodeRecord) => code.kind === 'sign_in' && code.expiresAt > now && isShown(code.hash, shown);
  const code = [...tables.codes.values()].find(isRight);
  const account = code === undefined ? undefined : tables.activeAccount({ ...scope, accountId: code.accountId });
  if (code === undefined || account === undefined) return { outcome: 'wrong_code' };
  const owner = ownerOf(account.record);
  if (banOf(account.record, now) !== null) return { outcome: 'banned', owner };
  Object.assign(code, { isUsed: true, hash: usedHashes[0] });
  const wasOrphan = account.record.orphanedAt !== null;
  if (!tables.links.has(linkKey(device))) {
    makeRoomForDevice(tables, account, { quotas, asking: null });
    tables.addLink(account, device, now);
    if (wasOrphan) addEvent(tables, owner, 'restored', { notice });
    else addEvent(tables, owner, 'linked', { notice, details: { method: device.method } });
  } else if (wasOrphan) account.record.orphanedAt = now;
  const session = { ...asked, ...owner };
  addSession(account, session, quotas);
  markUsed(tables, { session, now });
  count(tables, owner, now, [`sign_in_${session.method}`]);
  return { outcome: 'opened', session };
}

/** `Store.resetPassword`. */
export function resetPassword(
  tables: MemoryTables,
  { link: key, to, ...shown }: ResetPasswordRequest,
): ResetPasswordOutcome {
  const code = tryCode(tables, key, shown);
  const account = code === null ? undefined : tables.activeAccount(code);
  const link = account?.links.get(linkKey(key));
  if (code === null || account === undefined || link?.revision !== code.linkRevision) return 'wrong_code';
  if (code.isUsed) return 'repeated';
  link.credential = to;
  endSessions(tables, account.record);
  Object.assign(code, { isUsed: true, linkRevision: link.revision });
  return 'reset';
}

/** `Store.verifyMailAddress`. */
export function verifyMailAddress(
  tables: MemoryTables,
  { session, link: key, hashes, now }: VerifyMailAddressRequest,
): VerifyMailAddressOutcome {
  const account = tables.activeAccount(session);
  if (account === undefined || !account.sessions.has(session.sessionId)) return { outcome: 'no_session' };
  const link = account.links.get(linkKey(key));
  const code = link === undefined ? null : tryCode(tables, key, { kind: 'verify', hashes, now });
  if (link === undefined || code === null || link.revision !== code.linkRevision) return { outcome: 'wrong_code' };
  if (code.isUsed) return { outcome: 'repeated' };
  const before = copyLink(link);
  Object.assign(link, { mailAddress: code.mailAddress, mailAddressAt: now });
  tables.renewLink(link);
  Object.assign(code, { isUsed: true, linkRevision: link.revision });
  return { outcome: 'verified', before, mailAddress: code.mailAddress };
}

/** `Store.removeMailAddress`. */
export function removeMailAddress(
  tables: MemoryTables,
  { owner, session }: RemoveMailAddressRequest,
): RemoveMailAddressOutcome {
  const account = tables.activeAccount(owner);
  if (account === undefined || !account.sessions.has(session)) return { outcome: 'no_session' };
  const link = [...account.links.values()].find(({ method }) => method === 'name');
  if (link === undefined) return { outcome: 'not_linked' };
  const before = copyLink(link);
  Object.assign(link, { mailAddress: null, mailAddressAt: null });
  tables.renewLink(link);
  return { outcome: 'removed', before };
}

/** Counts the try first, and then compares. */
function tryCode(
  tables: MemoryTables,
  key: LinkKey,
  { kind, hashes, now }: { kind: CodeKind; hashes: readonly string[]; now: number },
): CodeRecord | null {
  const code = tables.codes.get(codeKey(key, kind));
  if (code === undefined || code.expiresAt <= now || code.triesLeft === 0) return null;
  if (code.triesLeft !== null) code.triesLeft -= 1;
  return isShown(code.hash, hashes) ? code : null;
}
