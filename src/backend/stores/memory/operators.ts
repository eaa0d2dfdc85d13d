import type {
  AuditRecord,
  AuditRequest,
  OperatorChange,
  OperatorChanges,
  OperatorKeyRecord,
  OperatorOutcome,
  OperatorRequest,
} from '../operator-requests.js';
import { auditRecords } from '../rules/audit.js';
import { deleteAccount, restoreAccount, undelete } from './accounts.js';
import { banAccount, unbanAccount } from './bans.js';
import { mergeAccounts, undoChoice } from './choices.js';
import { makeCode, makeSignInCode } from './codes.js';
import { updateEntry } from './entries.js';
import { retryEvents } from './events.js';
import { unlinkMethod } from './links.js';
import { removePlatform, savePlatform } from './platforms.js';
import { endSessions } from './sessions.js';
import { restoreSnapshot } from './snapshots.js';
import type { MemoryTables } from './tables.js';

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
  const outcome = changes[change](tables, request);
  for (const record of auditRecords(asked, outcome)) tables.audit.set(record.auditId, structuredClone(record));
  return outcome;
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
