import type { FailureCode } from '../../protocol/failures.js';
import type { OperationName } from '../../protocol/operations.js';
import type { SchemaName } from './schemas.js';

/**
 * What a request must carry: nothing, the game's private key, a signature, a player's access token, or one if it likes.
 */
export type Authorization = 'none' | 'key' | 'signature' | 'player' | 'maybe-player';

export interface OperationDescription {
  summary: string;
  authorization: Authorization;
  /** The schemas of the request's body, which fits one of them; no body if left out. */
  takes?: readonly SchemaName[];
  /** The schema of the answer's body, with status 200; the answer is 204 if left out. */
  gives?: SchemaName;
  /** The codes that it can refuse with, besides `internal` and `unavailable`. */
  refuses: readonly FailureCode[];
}

const body: FailureCode[] = ['invalid_json', 'invalid_request', 'too_large', 'unsupported_media_type'];
/** A body that names a game and an environment. */
const scoped: FailureCode[] = [...body, 'invalid_env', 'not_found'];
const player: FailureCode[] = ['unauthorized', 'token_expired'];
const ofScope: FailureCode[] = ['wrong_game', 'wrong_env'];
const recent: FailureCode[] = ['reauthentication_required'];
const enters: FailureCode[] = [...scoped, ...player, ...ofScope, 'account_deleted', 'method_already_linked'];
const credential: FailureCode[] = [
  ...enters,
  'invalid_credentials',
  'rate_limited',
  'profile_conflict',
  'conflict_stale',
  'user_not_found',
];
const names: FailureCode[] = ['name_not_allowed', 'password_too_short'];
const entryNames: FailureCode[] = ['invalid_env', 'invalid_key'];
const write: FailureCode[] = [...body, ...entryNames, 'invalid_version', 'value_not_storable', 'version_mismatch'];

/** What the document says of every operation; its method and path are in the table of operations. */
export const descriptions: { readonly [operation in OperationName]: OperationDescription } = {
  authenticate: {
    summary: "Signs a player in on the word of the game's back end.",
    authorization: 'signature',
    takes: ['ServerAuthRequest'],
    gives: 'AuthAnswer',
    refuses: [
      ...body,
      'invalid_env',
      'invalid_signature',
      'timestamp_out_of_window',
      'nonce_reused',
      'nonce_store_full',
      'account_deleted',
    ],
  },
  readUserCollection: {
    summary: "Reads a user's collection, for the game.",
    authorization: 'key',
    gives: 'CollectionAnswer',
    refuses: [...entryNames, 'unauthorized', 'user_not_found'],
  },
  updateUserEntry: {
    summary: 'Writes an entry, for the game.',
    authorization: 'key',
    takes: ['UpdateRequest'],
    gives: 'UpdateAnswer',
    refuses: [...write, 'unauthorized', 'user_not_found', 'account_deleted'],
  },
  readPublicKeys: {
    summary: 'The public keys that access tokens are signed with.',
    authorization: 'none',
    gives: 'KeySet',
    refuses: [],
  },
  readApiDocument: {
    summary: 'This document.',
    authorization: 'none',
    gives: 'Document',
    refuses: [],
  },
  signInAsGuest: {
    summary: 'Signs a device in, or links it.',
    authorization: 'maybe-player',
    takes: ['GuestRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...enters, ...recent, 'rate_limited'],
  },
  signInWithName: {
    summary: 'Signs in by name and password; with an access token, links the name.',
    authorization: 'maybe-player',
    takes: ['NameRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...credential, ...names],
  },
  signInWithIdentityToken: {
    summary: 'Signs in by an ID token of an identity provider; with an access token, links it.',
    authorization: 'maybe-player',
    takes: ['IdentityRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: credential,
  },
  signInWithSocialToken: {
    summary: 'Signs in by the token of a social network; with an access token, links it.',
    authorization: 'maybe-player',
    takes: ['SocialRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...credential, 'platform_not_registered'],
  },
  signInWithRecoveryCode: {
    summary: 'Signs in by a recovery code.',
    authorization: 'maybe-player',
    takes: ['RecoveryRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: credential,
  },
  peek: {
    summary: 'What a credential would do, before anything does.',
    authorization: 'maybe-player',
    takes: ['NameRequest', 'IdentityRequest', 'SocialRequest', 'RecoveryRequest'],
    gives: 'PeekAnswer',
    refuses: [
      ...scoped,
      ...player,
      ...ofScope,
      ...names,
      'invalid_key',
      'invalid_credentials',
      'rate_limited',
      'account_deleted',
      'platform_not_registered',
    ],
  },
  resolveConflict: {
    summary: 'Carries out the choice in a conflict.',
    authorization: 'none',
    takes: ['ConflictRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [
      ...scoped,
      'invalid_key',
      'value_not_storable',
      'conflict_stale',
      'method_already_linked',
      'merge_not_allowed',
    ],
  },
  readConflictSides: {
    summary: 'Both profiles of an open conflict.',
    authorization: 'none',
    takes: ['ConflictSidesRequest'],
    gives: 'ConflictSidesAnswer',
    refuses: [...scoped, 'conflict_stale'],
  },
  refreshSession: {
    summary: 'Takes a refresh token for its successor.',
    authorization: 'none',
    takes: ['RefreshRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...scoped, ...player, ...ofScope, 'refresh_token_reused'],
  },
  signOut: {
    summary: 'Ends a session, or all of the account.',
    authorization: 'maybe-player',
    takes: ['SignOutRequest'],
    refuses: [...scoped, ...player, ...ofScope],
  },
  signOutOthers: {
    summary: 'Unlinks what was linked since a moment, ends every session of the account, and begins a new one.',
    authorization: 'player',
    takes: ['SignOutOthersRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...scoped, ...player, ...ofScope, ...recent, 'would_orphan'],
  },
  readAccount: {
    summary: 'Who the account is, and what leads to it.',
    authorization: 'player',
    gives: 'AccountAnswer',
    refuses: player,
  },
  deleteAccount: {
    summary: 'Begins to delete the account; it can be restored for 30 days.',
    authorization: 'player',
    gives: 'DeletionAnswer',
    refuses: [...player, ...recent],
  },
  listDevices: {
    summary: 'The devices that lead to the account.',
    authorization: 'player',
    gives: 'DevicesAnswer',
    refuses: player,
  },
  revokeDevice: {
    summary: 'Takes a device away from the account, and ends the sessions on it.',
    authorization: 'player',
    refuses: [...player, 'not_found', 'invalid_key', 'would_orphan'],
  },
  exportAccount: {
    summary: 'Everything that is held on the player.',
    authorization: 'player',
    gives: 'ExportAnswer',
    refuses: [...player, 'rate_limited'],
  },
  changePassword: {
    summary: "Changes the password of the account's name.",
    authorization: 'player',
    takes: ['PasswordRequest'],
    refuses: [...scoped, ...player, ...ofScope, 'password_too_short', 'invalid_credentials', 'rate_limited'],
  },
  makeRecoveryCode: {
    summary: 'Makes a recovery code; the former one ends.',
    authorization: 'player',
    gives: 'RecoveryCodeAnswer',
    refuses: [...player, ...recent],
  },
  listSnapshots: {
    summary: 'What lost, newest first.',
    authorization: 'player',
    gives: 'SnapshotsAnswer',
    refuses: player,
  },
  addSnapshot: {
    summary: 'Keeps an entry that lost a mismatch.',
    authorization: 'player',
    takes: ['SnapshotRequest'],
    gives: 'SnapshotAddedAnswer',
    refuses: [...scoped, ...player, ...ofScope, 'invalid_key', 'value_not_storable'],
  },
  readSnapshot: {
    summary: 'A snapshot with its entries.',
    authorization: 'player',
    gives: 'SnapshotAnswer',
    refuses: [...player, 'not_found', 'invalid_key'],
  },
  restoreSnapshot: {
    summary: 'Writes a snapshot back as new versions.',
    authorization: 'player',
    gives: 'RestoreAnswer',
    refuses: [...player, 'not_found', 'invalid_key', 'too_large'],
  },
  unlinkMethod: {
    summary: 'Takes a method away from the account.',
    authorization: 'player',
    gives: 'AccountAnswer',
    refuses: [...player, 'not_found', 'invalid_key', 'would_orphan'],
  },
  readCollection: {
    summary: "Reads a player's own collection.",
    authorization: 'player',
    gives: 'PlayerCollectionAnswer',
    refuses: [...entryNames, ...player, ...ofScope],
  },
  updateEntry: {
    summary: "Writes a player's own entry.",
    authorization: 'player',
    takes: ['PlayerUpdateRequest'],
    gives: 'UpdateAnswer',
    refuses: [...write, ...player, ...ofScope],
  },
};
