import type {
  AuditRecord,
  AuditRequest,
  OperatorChange,
  OperatorChanges,
  OperatorKeyRecord,
  OperatorOutcome,
  OperatorRequest,
} from '../operator-requests.js';
import { type Owner, ownerOf } from '../records.js';
import { auditRecords } from '../rules/audit.js';
import { type AccountState, type Audited, type AuditedState, auditedOf, nothingSeen } from '../rules/audited-state.js';
import { deleteAccount, detailsOf, restoreAccount, undelete } from './accounts.js';
import { banAccount, unbanAccount } from './bans.js';
import { mergeAccounts, undoChoice } from './choices.js';
import { codeUntil, makeCode, makeSignInCode } from './codes.js';
import { updateEntry } from './entries.js';
import { retryEvents } from './events.js';
import { unlinkMethod } from './links.js';
import { removePlatform, savePlatform } from './platforms.js';
import { endSessions } from './sessions.js';
import { restoreSnapshot } from './snapshots.js';
import { linkKey, type MemoryTables } from './tables.js';

const changes: {
  readonly [Change in OperatorChange]: (
    tables: MemoryTables,
    request: OperatorChanges[Change]['request'],
  ) => OperatorChanges[Change]['outcome'];
} = {
  addOperatorKey(tables, key) {
    tables.operatorKeys.set(key.keyId, { ...key });
    return 'added';
  },
  removeOperatorKey(tables, keyId) {
    const key = tables.operatorKeys.get(keyId) ?? null;
    tables.operatorKeys.delete(keyId);
    return key;
  },
  updateEntry,
  restoreSnapshot,
  endSessions,
  unlinkMethod,
  deleteAccount,
  restoreAccount,
  undelete,
  banAccount,
  unbanAccount,
  makeCode,
  makeSignInCode,
  mergeAccounts,
  undoChoice,
  retryEvents,
  savePlatform,
  removePlatform,
  noteExport: (tables, owner) => tables.account(owner) !== undefined,
  noteSignIn: () => null,
};

/** `Store.changeAsOperator`. */
export function changeAsOperator<Change extends OperatorChange>(
  tables: MemoryTables,
  asked: OperatorRequest<Change>,
): OperatorOutcome<Change> {
  const { change, request, mark } = asked;
  if (mark.keyId !== null && !tables.operatorKeys.has(mark.keyId)) return 'no_key';
  const audited = auditedOf(asked);
  const other = otherOwner(tables, audited);
  const before = see(tables, audited, other, mark.at);
  const outcome = changes[change](tables, request);
  const after = see(tables, audited, other, mark.at);
  for (const record of auditRecords(asked, outcome, { before, after }))
    tables.audit.set(record.auditId, structuredClone(record));
  return outcome;
}

/** The account that the link leads to, if another. */
function otherOwner(tables: MemoryTables, audited: Audited | null): Owner | null {
  const link = audited?.link === undefined ? undefined : tables.links.get(linkKey(audited.link));
  return link === undefined || link.accountId === audited?.owner.accountId ? null : ownerOf(link);
}

function see(tables: MemoryTables, audited: Audited | null, other: Owner | null, at: number): AuditedState {
  if (audited === null) return nothingSeen;
  const { owner, code } = audited;
  return {
    account: readState(tables, owner),
    other: other === null ? null : readState(tables, other),
    codeUntil: code === undefined ? null : codeUntil(tables, code.key, code.kind, at),
  };
}

function readState(tables: MemoryTables, owner: Owner): AccountState | null {
  const account = tables.account(owner);
  return account === undefined ? null : { ...detailsOf(account), sessions: account.sessions.size };
}

/** `Store.findOperatorKey`. */
export function findOperatorKey(tables: MemoryTables, keyId: string): OperatorKeyRecord | null {
  const key = tables.operatorKeys.get(keyId);
  return key === undefined ? null : { ...key };
}

/** `Store.listOperatorKeys`. */
export function listOperatorKeys(tables: MemoryTables): OperatorKeyRecord[] {
  return [...tables.operatorKeys.values()]
    .map((key) => ({ ...key }))
    .sort((one, other) => one.createdAt - other.createdAt || (one.keyId < other.keyId ? -1 : 1));
}

/** `Store.readAudit`. */
export function readAudit(tables: MemoryTables, { owner, after, max }: AuditRequest): AuditRecord[] {
  return [...tables.audit.values()]
    .filter((entry) => owner === null || isOf(entry, owner))
    .sort((one, other) => other.at - one.at || (one.auditId < other.auditId ? 1 : -1))
    .filter(({ at, auditId }) => after === null || at < after.at || (at === after.at && auditId < after.id))
    .slice(0, max)
    .map((entry) => structuredClone(entry));
}

function isOf({ owner }: AuditRecord, { gameId, environment, accountId }: NonNullable<AuditRequest['owner']>): boolean {
  return owner?.gameId === gameId && owner.environment === environment && owner.accountId === accountId;
}
