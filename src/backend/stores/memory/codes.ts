import type {
  CodeKind,
  CodeRecord,
  MakeCodeOutcome,
  MakeCodeRequest,
  RemoveMailAddressOutcome,
  RemoveMailAddressRequest,
  ResetPasswordOutcome,
  ResetPasswordRequest,
  VerifyMailAddressOutcome,
  VerifyMailAddressRequest,
} from '../code-requests.js';
import type { LinkKey } from '../records.js';
import { isShown } from '../rules/codes.js';
import { copyLink } from './links.js';
import { endSessions } from './sessions.js';
import { linkKey, type MemoryTables } from './tables.js';

export function codeKey(link: LinkKey, kind: CodeKind): string {
  return `${kind}/${linkKey(link)}`;
}

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
  link.mailAddress = code.mailAddress;
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
  link.mailAddress = null;
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
