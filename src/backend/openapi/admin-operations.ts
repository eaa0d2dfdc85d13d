import type { adminOperations } from '../../protocol/admin-operations.js';
import type { FailureCode } from '../../protocol/failures.js';
import type { OperationDescription } from './description.js';

const operator: FailureCode[] = ['unauthorized', 'insufficient_scope', 'rate_limited'];

/** What has a game and an environment in its address. */
const ofGame: FailureCode[] = [...operator, 'not_found', 'invalid_env', 'invalid_key'];
const ofPlayer: FailureCode[] = [...ofGame, 'user_not_found'];

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
  listPlayers: {
    summary: 'The players of a game, or the one who is called so.',
    description:
      'A page of a list: all, by when they came first or last, those that nothing leads to, or those that are being deleted. With `id`, `name`, `custom`, or `method`, `provider` and `subject`, the one player who is called exactly so, or none.',
    authorization: 'operator',
    gives: 'PlayersAnswer',
    refuses: [...ofGame, 'invalid_request', 'name_not_allowed'],
  },
  readPlayer: {
    summary: 'A player, without what is in the saves.',
    description: 'The login methods, devices, sessions and conflicts that are open, and how much the account holds.',
    authorization: 'operator',
    gives: 'PlayerAnswer',
    refuses: ofPlayer,
  },
  readPlayerAudit: {
    summary: 'What operators have done to a player.',
    description: 'The entries of the audit log on this player, newest first, also after the account is gone.',
    authorization: 'operator',
    gives: 'AuditAnswer',
    refuses: [...ofPlayer, 'invalid_request'],
  },
  listPlayerEntries: {
    summary: "A player's entries, without their values.",
    description: 'Each with its version, when it was written last, and how large it is; by collection and key.',
    authorization: 'operator',
    gives: 'EntriesAnswer',
    refuses: [...ofPlayer, 'invalid_request'],
  },
  readPlayerEntry: {
    summary: "One of a player's entries.",
    description: 'The entry with its value, letter for letter, and the version that a change of it is based on.',
    authorization: 'operator',
    gives: 'EntryAnswer',
    refuses: [...ofPlayer, 'not_found'],
  },
  listPlayerSnapshots: {
    summary: "A player's snapshots, newest first.",
    description:
      'What lost in a conflict, to a forced write, a mismatch or a restored snapshot: the reason says which choice it was, and `fromUserId` whose entries they were.',
    authorization: 'operator',
    gives: 'SnapshotsAnswer',
    refuses: ofPlayer,
  },
  readPlayerSnapshot: {
    summary: "One of a player's snapshots.",
    description: 'What the list says of it, and the values of its entries.',
    authorization: 'operator',
    gives: 'SnapshotAnswer',
    refuses: [...ofPlayer, 'not_found'],
  },
};
