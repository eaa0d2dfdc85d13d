import type {
  CodeKind,
  CodeRecord,
  MakeCodeOutcome,
  MakeCodeRequest,
  ResetPasswordOutcome,
  ResetPasswordRequest,
} from '../code-requests.js';
import type { LinkKey } from '../records.js';
import { sameHash } from '../rules/codes.js';
import { endSessions } from './sessions.js';
import { linkKey, type MemoryTables } from './tables.js';

export function codeKey(link: LinkKey, kind: CodeKind): string {
  return `${kind}/${linkKey(link)}`;
}

/** `Store.makeCode`. */
export function makeCode(
  tables: MemoryTables,
  { link, kind, hash, tries, expiresAt }: MakeCodeRequest,
): MakeCodeOutcome {
  if (tables.activeAccount(link) === undefined || !tables.isUnchanged(link)) return 'link_changed';
  const { gameId, environment, method, subject, accountId, revision: linkRevision } = link;
  const of = { gameId, environment, method, subject, accountId, linkRevision };
  tables.codes.set(codeKey(link, kind), { ...of, kind, hash, triesLeft: tries, expiresAt, isUsed: false });
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

/** Counts the try first, and then compares. */
function tryCode(
  tables: MemoryTables,
  key: LinkKey,
  { kind, hash, now }: Pick<ResetPasswordRequest, 'kind' | 'hash' | 'now'>,
): CodeRecord | null {
  const code = tables.codes.get(codeKey(key, kind));
  if (code === undefined || code.expiresAt <= now || code.triesLeft === 0) return null;
  if (code.triesLeft !== null) code.triesLeft -= 1;
  return sameHash(code.hash, hash) ? code : null;
}
