import { base64url } from 'jose';
import {
  type NewOperatorKey,
  type OperatorKey,
  type OperatorScope,
  operatorScopes,
} from '../../protocol/admin-messages.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { isUuid } from '../../protocol/ids.js';
import { equalBytes } from '../../protocol/signing.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { sha256 } from '../sha256.js';
import type {
  OperatorChange,
  OperatorChanges,
  OperatorKeyRecord,
  OperatorRequest,
} from '../stores/operator-requests.js';

/** Whoever has shown an operator's key. */
export interface Operator {
  /** The key's id; null for the one that the environment gives. */
  keyId: string | null;
  name: string;
  scope: OperatorScope;
}

/** What the audit log calls the key that no store has. */
const firstKeyName = 'the key of the environment';

const secretBytes = 32;
const keyForm = /^op_([0-9a-f-]{36})_[\w-]{43}$/;

/**
 * The operator whose key this is. Every key that does not count has the same answer, and the time that it takes tells
 * neither how close it came nor whether its id is known. Refuses with `insufficient_scope` a key that allows less.
 */
export async function requireOperator(
  service: Service,
  token: string | null,
  needed: OperatorScope,
): Promise<Operator> {
  const operator = await findOperator(service, token ?? '');
  if (operator === null) throw new Refusal('unauthorized');
  if (operatorScopes.indexOf(operator.scope) < operatorScopes.indexOf(needed)) {
    throw new Refusal('insufficient_scope', { detail: `It needs a key with the scope ${needed}.` });
  }
  return operator;
}

/** The operator whose key this is; null where it is nobody's. */
export async function findOperator({ store, firstOperatorKey }: Service, token: string): Promise<Operator | null> {
  const isFirst = await firstOperatorKey.accepts(token);
  const keyId = keyForm.exec(token)?.[1];
  const record = isUuid(keyId) ? await store.findOperatorKey(keyId) : null;
  const digest = await sha256(token);
  const holds = equalBytes(record === null ? new Uint8Array(digest.length) : base64url.decode(record.hash), digest);
  if (isFirst) return { keyId: null, name: firstKeyName, scope: 'admin' };
  return record !== null && holds ? { keyId: record.keyId, name: record.name, scope: record.scope } : null;
}

/**
 * Carries out what an operator asks for, with an entry in the audit log. Refuses an operator whose key was taken
 * away since it was checked.
 */
export async function changeAs<Change extends OperatorChange>(
  { store, newId, now }: Service,
  operator: Operator,
  { action, ...asked }: { action: string } & Omit<OperatorRequest<Change>, 'mark'>,
): Promise<OperatorChanges[Change]['outcome']> {
  const at = now();
  const { keyId, name: keyName } = operator;
  const ids = { auditId: newId(), otherAuditId: newId() };
  const mark = { ...ids, keyId, keyName, action, at, expiresAt: at + operatorDefaults.auditKeptMs };
  const outcome = await store.changeAsOperator({ ...asked, mark });
  if (outcome === 'no_key') throw new Refusal('unauthorized');
  return outcome as OperatorChanges[Change]['outcome'];
}

export async function listOperatorKeys({ store }: Service): Promise<OperatorKey[]> {
  return (await store.listOperatorKeys()).map(showKey);
}

/** Makes a key. It is answered this once: the store has its hash, which is enough, because nobody guesses 256 bits. */
export async function makeOperatorKey(
  service: Service,
  operator: Operator,
  { name, scope }: Pick<OperatorKey, 'name' | 'scope'>,
): Promise<NewOperatorKey> {
  const keyId = service.newId();
  const key = `op_${keyId}_${base64url.encode(service.random(secretBytes))}`;
  const hash = base64url.encode(await sha256(key));
  const record = { keyId, name, scope, hash, createdAt: service.now(), createdBy: operator.name };
  await changeAs(service, operator, { action: 'makeOperatorKey', change: 'addOperatorKey', request: record });
  return { ...showKey(record), key };
}

/** Takes a key away. What is under way with it and has changed nothing yet is refused. */
export async function revokeOperatorKey(service: Service, operator: Operator, keyId: string): Promise<void> {
  if (!isUuid(keyId)) throw new Refusal('not_found');
  const removed = await changeAs(service, operator, {
    action: 'revokeOperatorKey',
    change: 'removeOperatorKey',
    request: keyId.toLowerCase(),
  });
  if (removed === null) throw new Refusal('not_found');
}

function showKey({ keyId: id, name, scope, createdAt, createdBy }: OperatorKeyRecord): OperatorKey {
  return { id, name, scope, createdAt, createdBy };
}
