import type { OperatorScope } from '../../../protocol/admin-messages.js';
import type { Environment } from '../../../protocol/environments.js';
import type {
  AuditDetails,
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
import {
  deleteAccount,
  endSessions,
  requireSameOwner,
  restoreAccount,
  undelete,
  unlinkMethod,
} from './account-operations.js';
import { findAccountRecord, lockAccounts } from './accounts.js';
import { banAccount, unbanAccount } from './bans.js';
import { mergeAccounts, undoChoice } from './choices.js';
import { codeUntil, makeCode, makeSignInCode } from './codes.js';
import { updateLockedEntry } from './entries.js';
import { retryEvents } from './events.js';
import { findLink, readAccount } from './links.js';
import { placeValues } from './list-place.js';
import { removePlatform, savePlatform } from './platforms.js';
import { restoreSnapshot } from './restore-snapshot.js';
import { countSessions } from './sessions.js';
import { firstRow, integerOf, rows, type SqlRow, type SqlRunner, type Steps, textOf, textOrNull } from './statement.js';

const keyColumns = 'key_id, name, scope, hash, created_at, created_by';

const changes: {
  readonly [Change in OperatorChange]: (
    request: OperatorChanges[Change]['request'],
    runner: SqlRunner,
  ) => Steps<OperatorChanges[Change]['outcome']>;
} = {
  *addOperatorKey({ keyId, name, scope, hash, createdAt, createdBy }) {
    const text = `INSERT INTO @operator_keys (${keyColumns}) VALUES ($1, $2, $3, $4, $5, $6)`;
    yield* rows(text, keyId, name, scope, hash, createdAt, createdBy);
    return 'added';
  },
  *removeOperatorKey(keyId) {
    const row = yield* firstRow(`DELETE FROM @operator_keys WHERE key_id = $1 RETURNING ${keyColumns}`, keyId);
    return row === null ? null : keyFromRow(row);
  },
  updateEntry: (request, { rowLocks }) => updateLockedEntry(request, rowLocks),
  restoreSnapshot: (request, { rowLocks }) => restoreSnapshot(request, { rowLocks }),
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
  *noteExport(owner) {
    return (yield* findAccountRecord(owner)) !== null;
  },
  // biome-ignore lint/correctness/useYield: it changes nothing but the log.
  *noteSignIn() {
    return null;
  },
};

/** `Store.changeAsOperator`, in one transaction. */
export function* changeAsOperator<Change extends OperatorChange>(
  asked: OperatorRequest<Change>,
  runner: SqlRunner,
): Steps<OperatorOutcome<Change>> {
  const { change, request, mark } = asked;
  if (mark.keyId !== null && !(yield* lockKey(mark.keyId, runner.rowLocks.present))) return 'no_key';
  const audited = auditedOf(asked);
  const other = audited === null ? null : yield* lockAudited(audited);
  const before = yield* see(audited, other, mark.at);
  const outcome = yield* changes[change](request, runner);
  const after = yield* see(audited, other, mark.at);
  for (const record of auditRecords(asked, outcome, { before, after })) yield* addToAudit(record);
  return outcome;
}

/** Keeps what the log tells of from being changed by others. Answers the account that the link leads to, if another. */
function* lockAudited({ owner, link }: Audited): Steps<Owner | null> {
  const seen = link === undefined ? null : yield* findLink(link);
  const other = seen === null || seen.accountId === owner.accountId ? null : ownerOf(seen);
  yield* lockAccounts(other === null ? [owner] : [owner, other]);
  if (link !== undefined) yield* requireSameOwner(link, seen);
  return other;
}

function* see(audited: Audited | null, other: Owner | null, at: number): Steps<AuditedState> {
  if (audited === null) return nothingSeen;
  const { owner, code } = audited;
  return {
    account: yield* readState(owner),
    other: other === null ? null : yield* readState(other),
    codeUntil: code === undefined ? null : yield* codeUntil(code.key, code.kind, at),
  };
}

function* readState(owner: Owner): Steps<AccountState | null> {
  const details = yield* readAccount(owner);
  return details === null ? null : { ...details, sessions: (yield* countSessions(owner)).sessions };
}

/** Keeps a key from being taken away until the transaction ends; false where there is none. */
function* lockKey(keyId: string, present: string): Steps<boolean> {
  const text = `SELECT key_id FROM @operator_keys WHERE key_id = $1 ${present}`;
  return (yield* rows(text, keyId)).length > 0;
}

function* addToAudit({ owner, what, before, after, ...mark }: AuditRecord): Steps<void> {
  yield* rows(
    `INSERT INTO @audit (audit_id, at, expires_at, key_id, key_name, action, account_id, environment, game_id, details)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    mark.auditId,
    mark.at,
    mark.expiresAt,
    mark.keyId,
    mark.keyName,
    mark.action,
    owner?.accountId ?? null,
    owner?.environment ?? null,
    owner?.gameId ?? null,
    JSON.stringify({ what, before, after }),
  );
}

export function* findOperatorKey(keyId: string): Steps<OperatorKeyRecord | null> {
  const row = yield* firstRow(`SELECT ${keyColumns} FROM @operator_keys WHERE key_id = $1`, keyId);
  return row === null ? null : keyFromRow(row);
}

export function* listOperatorKeys(): Steps<OperatorKeyRecord[]> {
  return (yield* rows(`SELECT ${keyColumns} FROM @operator_keys ORDER BY created_at, key_id`)).map(keyFromRow);
}

/** `Store.readAudit`. Each form of it has an index that it goes along. */
export function* readAudit({ owner, after, max }: AuditRequest): Steps<AuditRecord[]> {
  const ofOwner = owner === null ? '' : 'AND account_id = $4 AND environment = $5 AND game_id = $6';
  const found = yield* rows(
    `SELECT audit_id, at, expires_at, key_id, key_name, action, account_id, environment, game_id, details FROM @audit
      WHERE (at, audit_id) < ($1, $2) ${ofOwner} ORDER BY at DESC, audit_id DESC LIMIT $3`,
    ...placeValues(after),
    max,
    ...(owner === null ? [] : [owner.accountId, owner.environment, owner.gameId]),
  );
  return found.map(auditFromRow);
}

function auditFromRow(row: SqlRow): AuditRecord {
  return {
    auditId: textOf(row, 'audit_id'),
    at: integerOf(row, 'at'),
    expiresAt: integerOf(row, 'expires_at'),
    keyId: textOrNull(row, 'key_id'),
    keyName: textOf(row, 'key_name'),
    action: textOf(row, 'action'),
    owner: ownerFromRow(row),
    ...(JSON.parse(textOf(row, 'details')) as Omit<AuditDetails, 'owner'>),
  };
}

function ownerFromRow(row: SqlRow): Owner | null {
  const accountId = textOrNull(row, 'account_id');
  if (accountId === null) return null;
  return { accountId, environment: integerOf(row, 'environment') as Environment, gameId: textOf(row, 'game_id') };
}

function keyFromRow(row: SqlRow): OperatorKeyRecord {
  return {
    keyId: textOf(row, 'key_id'),
    name: textOf(row, 'name'),
    scope: textOf(row, 'scope') as OperatorScope,
    hash: textOf(row, 'hash'),
    createdAt: integerOf(row, 'created_at'),
    createdBy: textOf(row, 'created_by'),
  };
}
