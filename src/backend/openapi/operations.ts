import type { FailureCode } from '../../protocol/failures.js';
import type { OperationName } from '../../protocol/operations.js';
import { adminDescriptions } from './admin-operations.js';
import type { OperationDescription } from './description.js';

const body: FailureCode[] = ['invalid_json', 'invalid_request', 'too_large', 'unsupported_media_type'];
/** A body that names a game and an environment. */
const scoped: FailureCode[] = [...body, 'invalid_env', 'not_found'];
const player: FailureCode[] = ['unauthorized', 'token_expired'];
const ofScope: FailureCode[] = ['wrong_game', 'wrong_env'];
const recent: FailureCode[] = ['reauthentication_required'];
const enters: FailureCode[] = [
  ...scoped,
  ...player,
  ...ofScope,
  'account_banned',
  'account_deleted',
  'method_already_linked',
];
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
const write: FailureCode[] = [
  ...body,
  ...entryNames,
  'invalid_version',
  'value_not_storable',
  'version_mismatch',
  'quota_exceeded',
];

/** What the document says of every operation; its method and path are in the table of operations. */
export const descriptions: { readonly [operation in OperationName]: OperationDescription } = {
  authenticate: {
    summary: "Signs a player in on the word of the game's back end.",
    description:
      "The game's back end has checked who the player is, and says so by the player's own id there. An id that is not known yet is linked to the account of the device, or gets an account of its own where that one is somebody's. A nonce counts once, and a timestamp for five minutes.",
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
      'account_banned',
      'account_deleted',
    ],
  },
  readUserCollection: {
    summary: "Reads a user's collection, for the game.",
    description:
      'Answers every entry of the collection, by key, each with the version that the next write is based on. A collection without entries is an empty list.',
    authorization: 'key',
    gives: 'CollectionAnswer',
    refuses: [...entryNames, 'unauthorized', 'user_not_found'],
  },
  readUserUsage: {
    summary: "How much a user's account holds, for the game.",
    description: 'Each quota of the account, with how much of it is used, for a back end that writes much.',
    authorization: 'key',
    gives: 'UsageAnswer',
    refuses: ['invalid_env', 'unauthorized', 'user_not_found'],
  },
  updateUserEntry: {
    summary: 'Writes an entry, for the game.',
    description:
      'Writes the value where the version is the one that is stored. With version -1 it overwrites, or creates the entry; with `If-None-Match: *` besides, it only creates it. A mismatch answers what is stored, and changes nothing.',
    authorization: 'key',
    takes: ['UpdateRequest'],
    gives: 'UpdateAnswer',
    refuses: [...write, 'unauthorized', 'user_not_found', 'account_deleted'],
  },
  readPublicKeys: {
    summary: 'The public keys that access tokens are signed with.',
    description:
      'Whoever is given an access token can check it by these keys without asking the service. Keys that signed before are listed for as long as their tokens count.',
    authorization: 'none',
    gives: 'KeySet',
    refuses: [],
  },
  readApiDocument: {
    summary: 'This document.',
    description: 'Describes every operation of the service as OpenAPI 3.1.',
    authorization: 'none',
    gives: 'Document',
    refuses: [],
  },
  ...adminDescriptions,
  signInAsGuest: {
    summary: 'Signs a device in, or links it.',
    description:
      'A device that is not known yet gets an account. With an access token, the device is linked to that account.',
    authorization: 'maybe-player',
    takes: ['GuestRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...enters, ...recent, 'rate_limited'],
  },
  signInWithName: {
    summary: 'Signs in by name and password; with an access token, links the name.',
    description:
      'A name that nobody has is taken, with a password of 8 characters or more. With an access token it is linked to that account; where it belongs to another one the answer is a conflict, and nothing has changed. The password of a name that somebody has may be shorter, where it was imported.',
    authorization: 'maybe-player',
    takes: ['NameRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...credential, ...names],
  },
  signInWithIdentityToken: {
    summary: 'Signs in by an ID token of an identity provider; with an access token, links it.',
    description:
      "The provider is found by the token's issuer. A player who is not known yet gets an account. Where the token belongs to another account than that of the access token, the answer is a conflict, and nothing has changed.",
    authorization: 'maybe-player',
    takes: ['IdentityRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: credential,
  },
  signInWithSocialToken: {
    summary: 'Signs in by the token of a social network; with an access token, links it.',
    description:
      'The token is checked by what the game has registered for the platform. A player who is not known yet gets an account. Where the token belongs to another account than that of the access token, the answer is a conflict, and nothing has changed.',
    authorization: 'maybe-player',
    takes: ['SocialRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...credential, 'platform_not_registered'],
  },
  signInWithRecoveryCode: {
    summary: 'Signs in by a recovery code.',
    description: 'Leads to the account that the code was made for. It never makes an account or a link.',
    authorization: 'maybe-player',
    takes: ['RecoveryRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: credential,
  },
  requestReset: {
    summary: 'Has the game deliver a code to a player who has forgotten the password.',
    description:
      'Every name is answered alike, whether somebody has it or not, and the code is delivered after the answer. The code has six digits and counts for ten minutes; a new one takes its place.',
    authorization: 'none',
    takes: ['ResetRequest'],
    refuses: [...scoped, 'name_not_allowed', 'rate_limited'],
  },
  resetPassword: {
    summary: 'Sets a new password by a code.',
    description:
      'The code is one that the game has delivered, or one that an operator has made. All sessions of the account end, and nobody is signed in: that takes the name and the new password. A code may be tried five times. A wrong code, one that has expired, and a name that nobody has are refused alike.',
    authorization: 'none',
    takes: ['NewPasswordRequest'],
    refuses: [...scoped, ...names, 'invalid_credentials', 'rate_limited'],
  },
  peek: {
    summary: 'What a credential would do, before anything does.',
    description:
      'Says whether a sign-in with the credential would link it, change nothing, or meet another account, and then which one. It is counted as a try, and changes nothing.',
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
      'account_banned',
      'account_deleted',
      'platform_not_registered',
    ],
  },
  resolveConflict: {
    summary: 'Carries out the choice in a conflict.',
    description:
      '`local` gives the login method to the account of the device, `cloud` gives the device to the account of the method, and `merge` besides writes the entries that are sent. It is one step: all of it or nothing. What loses is kept in a snapshot. The same choice sent again is answered as before.',
    authorization: 'none',
    takes: ['ConflictRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [
      ...scoped,
      'invalid_key',
      'value_not_storable',
      'unauthorized',
      'account_banned',
      'conflict_stale',
      'method_already_linked',
      'merge_not_allowed',
      'quota_exceeded',
    ],
  },
  readConflictSides: {
    summary: 'Both profiles of an open conflict.',
    description:
      'All entries of both accounts, and those of the local one as they were when both were last merged, for a client that merges them.',
    authorization: 'none',
    takes: ['ConflictSidesRequest'],
    gives: 'ConflictSidesAnswer',
    refuses: [...scoped, 'conflict_stale'],
  },
  refreshSession: {
    summary: 'Takes a refresh token for its successor.',
    description:
      'Answers a new access token and the next refresh token. The same token sent again soon is answered with the same successor, for answers get lost; reuse after that ends the session.',
    authorization: 'none',
    takes: ['RefreshRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...scoped, ...player, ...ofScope, 'account_banned', 'refresh_token_reused'],
  },
  signOut: {
    summary: 'Ends a session, or all of the account.',
    description:
      'The session is that of the refresh token, or that of the access token. With `everywhere` all sessions of the account end, which needs the access token.',
    authorization: 'maybe-player',
    takes: ['SignOutRequest'],
    refuses: [...scoped, ...player, ...ofScope],
  },
  signOutOthers: {
    summary: 'Unlinks what was linked since a moment, ends every session of the account, and begins a new one.',
    description:
      'Ends every session, takes away each method and device that was linked since a moment, and answers a new session for the one that asks. The method that was shown last stays.',
    authorization: 'player',
    takes: ['SignOutOthersRequest'],
    gives: 'PlayerAuthAnswer',
    refuses: [...scoped, ...player, ...ofScope, ...recent, 'would_orphan'],
  },
  readAccount: {
    summary: 'Who the account is, and what leads to it.',
    description: 'The user id, when the account was made, and the methods that are linked to it.',
    authorization: 'player',
    gives: 'AccountAnswer',
    refuses: player,
  },
  readUsage: {
    summary: 'How much the account holds, and how much it may hold.',
    description:
      'Each quota of the account, with how much of it is used: a write beyond it is refused with `quota_exceeded`.',
    authorization: 'player',
    gives: 'UsageAnswer',
    refuses: player,
  },
  deleteAccount: {
    summary: 'Begins to delete the account; it can be restored for 30 days.',
    description:
      'All sessions end at once. Until the time that is answered, a sign-in with `restore`, or the recovery code of the answer, takes the deletion back.',
    authorization: 'player',
    gives: 'DeletionAnswer',
    refuses: [...player, ...recent],
  },
  listDevices: {
    summary: 'The devices that lead to the account.',
    description:
      'When each device was linked and last used, and whether it is the one that asks. The ids are names for `revokeDevice`, and let nobody in.',
    authorization: 'player',
    gives: 'DevicesAnswer',
    refuses: player,
  },
  revokeDevice: {
    summary: 'Takes a device away from the account, and ends the sessions on it.',
    description: 'Removes the link of the device. The sessions on it end, except the one that asks.',
    authorization: 'player',
    refuses: [...player, 'not_found', 'would_orphan'],
  },
  exportAccount: {
    summary: 'Everything that is held on the player.',
    description:
      'The account, its methods, sessions, entries and snapshots as one JSON object, sent in pieces as it is read. It holds no secret.',
    authorization: 'player',
    gives: 'ExportAnswer',
    refuses: [...player, 'rate_limited'],
  },
  changePassword: {
    summary: "Changes the password of the account's name.",
    description: 'The old password is asked for. All other sessions of the account that came from the name end.',
    authorization: 'player',
    takes: ['PasswordRequest'],
    refuses: [...scoped, ...player, ...ofScope, 'password_too_short', 'invalid_credentials', 'rate_limited'],
  },
  setAddress: {
    summary: 'Has a code sent to an e-mail address of the player, or takes the address away.',
    description:
      "The address is optional data of the account's name. It counts once the player has shown the code, and the former one counts until then. The code has six digits and counts for ten minutes; a new one takes its place. With null the address is taken away at once. It finds nobody and signs nobody in: codes to set a new password are sent there.",
    authorization: 'player',
    takes: ['AddressRequest'],
    refuses: [...scoped, ...player, ...ofScope, ...recent, 'delivery_not_set_up', 'rate_limited'],
  },
  verifyAddress: {
    summary: 'Makes an e-mail address count by the code that was sent there.',
    description: 'A code may be tried five times. The former address is told that it counts no longer.',
    authorization: 'player',
    takes: ['VerificationRequest'],
    refuses: [...scoped, ...player, ...ofScope, 'invalid_credentials', 'rate_limited'],
  },
  makeRecoveryCode: {
    summary: 'Makes a recovery code; the former one ends.',
    description:
      'The code leads to the account from any device. It is answered this once; the service keeps only its hash.',
    authorization: 'player',
    gives: 'RecoveryCodeAnswer',
    refuses: [...player, ...recent],
  },
  listSnapshots: {
    summary: 'What lost, newest first.',
    description:
      'Entries that lost in a conflict, to a forced write or a mismatch, without their values. Each is kept for 30 days.',
    authorization: 'player',
    gives: 'SnapshotsAnswer',
    refuses: player,
  },
  addSnapshot: {
    summary: 'Keeps an entry that lost a mismatch.',
    description:
      "Kept for a player whose device holds a value that another device's has taken the place of. With a name it is kept once, however often it is sent.",
    authorization: 'player',
    takes: ['SnapshotRequest'],
    gives: 'SnapshotAddedAnswer',
    refuses: [...scoped, ...player, ...ofScope, 'invalid_key', 'value_not_storable'],
  },
  readSnapshot: {
    summary: 'A snapshot with its entries.',
    description: 'What the list says of it, and the values of its entries.',
    authorization: 'player',
    gives: 'SnapshotAnswer',
    refuses: [...player, 'not_found'],
  },
  restoreSnapshot: {
    summary: 'Writes a snapshot back as new versions.',
    description: 'Each entry of the snapshot is written over what is stored, which is kept in a snapshot of its own.',
    authorization: 'player',
    gives: 'RestoreAnswer',
    refuses: [...player, 'not_found', 'quota_exceeded'],
  },
  unlinkMethod: {
    summary: 'Takes a method away from the account.',
    description:
      'The sessions that came from the method end, but for the one that asks. The last method of an account stays.',
    authorization: 'player',
    gives: 'AccountAnswer',
    refuses: [...player, ...recent, 'not_found', 'would_orphan'],
  },
  listCollections: {
    summary: 'Which collections the player has, and whether anything in them is new.',
    description:
      'Answers the name and the revision of each collection that has an entry. The revision is the sum of the versions of its entries, each plus one: whoever adds up the versions that they know sees by it whether to read the collection again.',
    authorization: 'player',
    gives: 'CollectionsAnswer',
    refuses: ['invalid_env', ...player, ...ofScope],
  },
  readCollection: {
    summary: "Reads a player's own collection.",
    description:
      'Answers every entry of the collection, by key, with its version, and with what the devices keep beside it for their merges.',
    authorization: 'player',
    gives: 'PlayerCollectionAnswer',
    refuses: [...entryNames, ...player, ...ofScope],
  },
  updateEntry: {
    summary: "Writes a player's own entry.",
    description:
      'Writes the value where the version is the one that is stored. With version -1 it overwrites, or creates the entry; with `If-None-Match: *` besides, it only creates it. A mismatch answers what is stored, and changes nothing.',
    authorization: 'player',
    takes: ['PlayerUpdateRequest'],
    gives: 'UpdateAnswer',
    refuses: [...write, ...player, ...ofScope],
  },
};
