import type { AuditDetails, OperatorChange, OperatorChanges, OperatorKeyRecord } from '../operator-requests.js';

/**
 * What the audit log says of each change; null where nothing was changed. It names what was changed, and holds none of a
 * player's values: they are the player's, and go when the account goes.
 */
const detailsOf: {
  readonly [Change in OperatorChange]: (
    request: OperatorChanges[Change]['request'],
    outcome: OperatorChanges[Change]['outcome'],
  ) => AuditDetails | null;
} = {
  addOperatorKey: (key) => ({ owner: null, what: { key: key.keyId }, after: shownKey(key) }),
  removeOperatorKey: (keyId, removed) =>
    removed === null ? null : { owner: null, what: { key: keyId }, before: shownKey(removed) },
};

export function auditDetails<Change extends OperatorChange>(
  change: Change,
  request: OperatorChanges[Change]['request'],
  outcome: OperatorChanges[Change]['outcome'],
): AuditDetails | null {
  return detailsOf[change](request, outcome);
}

function shownKey({ name, scope }: OperatorKeyRecord) {
  return { name, scope };
}
