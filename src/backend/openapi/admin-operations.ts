import type { adminOperations } from '../../protocol/admin-operations.js';
import type { FailureCode } from '../../protocol/failures.js';
import type { OperationDescription } from './description.js';

const operator: FailureCode[] = ['unauthorized', 'insufficient_scope', 'rate_limited'];

/** What the document says of the operators' requests. */
export const adminDescriptions: { readonly [operation in keyof typeof adminOperations]: OperationDescription } = {
  listGames: {
    summary: 'The games that the service keeps players for.',
    description:
      'Each by its id. It takes a key with the scope `read`, as all that changes nothing unless it says otherwise.',
    authorization: 'operator',
    gives: 'GamesAnswer',
    refuses: operator,
  },
  listOperatorKeys: {
    summary: "The operators' keys.",
    description: 'The keys that count, without what is secret of them. It takes a key with the scope `admin`.',
    authorization: 'operator',
    gives: 'OperatorKeysAnswer',
    refuses: operator,
  },
  makeOperatorKey: {
    summary: 'Makes a key for an operator.',
    description:
      'The key is answered this once; the service keeps only its hash. It takes a key with the scope `admin`, and the audit log has it.',
    authorization: 'operator',
    takes: ['OperatorKeyRequest'],
    gives: 'OperatorKeyAnswer',
    refuses: [...operator, 'invalid_json', 'invalid_request', 'too_large', 'unsupported_media_type'],
  },
  revokeOperatorKey: {
    summary: "Takes an operator's key away, for good.",
    description:
      'The key no longer counts, nor does what is under way with it and has changed nothing yet. It takes a key with the scope `admin`, and the audit log has it.',
    authorization: 'operator',
    refuses: [...operator, 'not_found', 'invalid_key'],
  },
  readAuditLog: {
    summary: 'What operators have done.',
    description:
      'Every change by an operator, newest first: who, what, when, whose, before and after. It holds no secret and no value of a player.',
    authorization: 'operator',
    gives: 'AuditAnswer',
    refuses: [...operator, 'invalid_request'],
  },
};
