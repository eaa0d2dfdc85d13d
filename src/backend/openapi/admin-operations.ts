import type { adminOperations } from '../../protocol/admin-operations.js';
import type { FailureCode } from '../../protocol/failures.js';
import type { OperationDescription } from './description.js';

const operator: FailureCode[] = ['unauthorized', 'insufficient_scope', 'rate_limited'];

const body: FailureCode[] = ['invalid_json', 'invalid_request', 'too_large', 'unsupported_media_type'];
/** What has a game and an environment in its address. */
const ofGame: FailureCode[] = [...operator, 'not_found', 'invalid_env'];
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
    refuses: [...operator, 'not_found'],
  },
  readAuditLog: {
    summary: 'What operators have done.',
    description:
      'Every change by an operator, newest first: who, what, when, whose, before and after, where there is a state before or after. It names devices and login methods as the view of the player does, and counts sessions. It holds no secret and no value of a player.',
    authorization: 'operator',
    gives: 'AuditAnswer',
    refuses: [...operator, 'invalid_request'],
  },
  readCounts: {
    summary: 'What happened in a game, by days.',
    description:
      'Accounts that were made, accounts that somebody came to, conflicts and what was chosen in them, and sign-ins by their login methods, for each day in UTC from `from` to `to`. A day is counted as it goes on.',
    authorization: 'operator',
    gives: 'CountsAnswer',
    refuses: [...ofGame, 'invalid_request'],
  },
  listConflicts: {
    summary: 'The open conflicts of a game.',
    description:
      'The conflicts in which the player has not chosen yet, the one that was met last first: the two accounts, the login method that was shown, since when and until when the choice is open. A session has one at most.',
    authorization: 'operator',
    gives: 'ConflictsAnswer',
    refuses: [...ofGame, 'invalid_request'],
  },
  listChoices: {
    summary: 'The latest choices in conflicts of a game.',
    description:
      'The latest choice that each account was chosen by, as long as it can be taken back, the one that was made last first: what the player chose, or that an operator merged the accounts, and what led to the other account before.',
    authorization: 'operator',
    gives: 'ChoicesAnswer',
    refuses: [...ofGame, 'invalid_request'],
  },
  readWebhooks: {
    summary: "What a game's back end has not been told yet.",
    description:
      'How many events of its webhook wait for their turn, and a page of those that were tried often enough and set aside, the latest first: what happened, to whom, how often it was tried and how the last try was answered. What an event tells besides is for the receiver alone.',
    authorization: 'operator',
    gives: 'WebhookQueueAnswer',
    refuses: [...operator, 'not_found', 'invalid_request'],
  },
  retryWebhooks: {
    summary: 'Sends events again that were set aside.',
    description:
      'The one with `id`, or a thousand of those that have waited for longest; `hasMore` says whether to ask again. They are tried as if they had just happened, each before the later ones of its account. It takes a key with the scope `support`, and the audit log has it.',
    authorization: 'operator',
    takes: ['RetryWebhooksRequest'],
    gives: 'RetriedWebhooksAnswer',
    refuses: [...operator, ...body, 'not_found'],
  },
  listPlatformPresets: {
    summary: 'The presets by which platforms are registered.',
    description:
      'Each social network, game portal and identity provider whose tokens the service knows how to check, and the fields that it needs to know.',
    authorization: 'operator',
    gives: 'PlatformPresetsAnswer',
    refuses: operator,
  },
  listPlatforms: {
    summary: 'The platforms that players of a game may sign in with.',
    description:
      'Those of the configuration, which no operator can change, and those that operators have registered. Of what is secret the names of the fields alone; `problem` says why one cannot be used.',
    authorization: 'operator',
    gives: 'PlatformsAnswer',
    refuses: ofGame,
  },
  savePlatform: {
    summary: 'Registers a platform, or changes one.',
    description:
      'Where `version` is the one that is stored, 0 or null for a new one. A secret field that is left out keeps what is there, and null takes it away; where an address changes, the secrets are given again. A social platform has the name of one that another preset has checked, also when that is gone, only where `takesOver` says so: whoever it says has the id of a player gets the account of that player. Secrets are sealed, and nobody can read them again. All processes take the change up within 5 s. It takes a key with the scope `admin`, and the audit log has it, without what is secret.',
    authorization: 'operator',
    takes: ['SavePlatformRequest'],
    gives: 'PlatformAnswer',
    refuses: [
      ...ofGame,
      ...body,
      'version_mismatch',
      'platform_configured',
      'issuer_taken',
      'platform_name_in_use',
      'too_many_platforms',
      'sealing_key_missing',
    ],
  },
  removePlatform: {
    summary: 'Removes a platform.',
    description:
      'Where `version` is the one that is stored. Nobody signs in with it from then on; the links of players who did stay, and count again when it is registered again under this name. It takes a key with the scope `admin`, and the audit log has it.',
    authorization: 'operator',
    refuses: [...ofGame, 'invalid_request', 'version_mismatch', 'platform_configured'],
  },
  tryPlatform: {
    summary: 'Checks a token as if a player had brought it.',
    description:
      'It tells whose token it is and how each step of the check went, and changes nothing. With `preset` and `settings` these are tried as they would be saved; a secret field that is left out is the one that is stored. It takes a key with the scope `admin`.',
    authorization: 'operator',
    takes: ['TryPlatformRequest'],
    gives: 'PlatformTrialAnswer',
    refuses: [...ofGame, ...body],
  },
  listPlayers: {
    summary: 'The players of a game, or the one who is called so.',
    description:
      'A page of a list: all, by when they came first or last, those that nothing leads to, those that are being deleted, or those that are banned, by when the ban ends. With `id`, `name`, `custom`, or `method`, `provider` and `subject`, the one player who is called exactly so, or none.',
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
  readPlayerTimeline: {
    summary: 'What happened to a player, newest first.',
    description:
      'All that the service keeps with a time: when the account was made, what leads to it and since when, the sessions that are open, conflicts in which the player has not chosen yet, choices and other losses with what is kept of them and can be restored, the last write of each entry, and what operators have done. `kind` says which. Of a session that has ended and of a write that another one has followed there is nothing but what a snapshot keeps. Of an account that is gone it has what operators have done.',
    authorization: 'operator',
    gives: 'TimelineAnswer',
    refuses: [...ofPlayer, 'invalid_request'],
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
  exportPlayer: {
    summary: 'Everything that is held on a player.',
    description:
      'The same as the player can export, sent in pieces as it is read. It holds no secret. It takes a key with the scope `support`, as all that follows unless it says otherwise, and the audit log has that it was given out.',
    authorization: 'operator',
    gives: 'ExportAnswer',
    refuses: ofPlayer,
  },
  updatePlayerEntry: {
    summary: "Changes one of a player's entries.",
    description:
      "Writes the value where the version is the one that is stored; with version -1 it overwrites, or creates the entry; with `If-None-Match: *` besides, it only creates it. What is overwritten is kept in a snapshot. The player's devices merge it as they do what another device has written.",
    authorization: 'operator',
    takes: ['UpdateRequest'],
    gives: 'UpdateAnswer',
    refuses: [
      ...ofPlayer,
      ...body,
      'invalid_version',
      'value_not_storable',
      'version_mismatch',
      'quota_exceeded',
      'account_deleted',
    ],
  },
  restorePlayerSnapshot: {
    summary: 'Writes a snapshot of a player back as new versions.',
    description:
      "Each entry of the snapshot is written over what is stored, which is kept in a snapshot of its own. The player's devices load it as what another device has written.",
    authorization: 'operator',
    gives: 'RestoreAnswer',
    refuses: [...ofPlayer, 'quota_exceeded', 'account_deleted'],
  },
  signOutPlayer: {
    summary: 'Ends all sessions of a player.',
    description: 'Whoever has a login method or a linked device can sign in again.',
    authorization: 'operator',
    refuses: ofPlayer,
  },
  unlinkPlayerMethod: {
    summary: "Takes a login method away from a player's account.",
    description: 'The sessions that came from the method end. The last method of an account stays.',
    authorization: 'operator',
    refuses: [...ofPlayer, 'would_orphan'],
  },
  revokePlayerDevice: {
    summary: "Takes a device away from a player's account, and ends the sessions on it.",
    description: 'The device is named as the player has it in the list. The last method of an account stays.',
    authorization: 'operator',
    refuses: [...ofPlayer, 'would_orphan'],
  },
  banPlayer: {
    summary: 'Keeps a player out, until a time or for good.',
    description:
      'All sessions end at once, and nobody gets into the account until then: sign-ins, refreshes and choices in a conflict are refused with `account_banned`, which carries `until` and `reason`. An earlier ban is replaced. What the player has stays as it is, and the game, by its private key, goes on to read and write it.',
    authorization: 'operator',
    takes: ['BanRequest'],
    refuses: [...ofPlayer, ...body],
  },
  unbanPlayer: {
    summary: 'Ends a ban before its time.',
    description: 'The player can sign in again. A ban that has ended counts as none.',
    authorization: 'operator',
    refuses: ofPlayer,
  },
  deletePlayer: {
    summary: "Begins to delete a player's account; it can be restored for 30 days.",
    description:
      'All sessions end at once. Until the time that is answered, a sign-in with `restore`, the recovery code of the answer, or an operator takes the deletion back. It takes a key with the scope `admin`.',
    authorization: 'operator',
    gives: 'DeletionAnswer',
    refuses: [...ofPlayer, 'account_deleted'],
  },
  restorePlayer: {
    summary: 'Takes a deletion back, or gives a player an account again.',
    description:
      'With `device_id` the device leads to the account from then on, wherever it led before, also where nothing led to the account any more.',
    authorization: 'operator',
    takes: ['RestorePlayerRequest'],
    refuses: [...ofPlayer, ...body],
  },
  mergePlayers: {
    summary: "Makes all that leads to a player's account lead to another one.",
    description:
      "At support's word, for a player who has two: the login methods, devices and the custom id of `user` lead to `into` from then on, and the sessions of `user` end. `entries` says whose saves count: `keep` (the default) leaves those of `into` as they are, `take` writes those of `user` over them, entry by entry. What is not chosen is kept in snapshots of `into`, as after a choice in a conflict. Nothing leads to `user` any more, which can be restored for 30 days. `method_already_linked`, and nothing is done, where both have a link of a kind of which an account has one: unlink one first. A custom id is named in the answer and moves only where `into` has none. It takes a key with the scope `admin`.",
    authorization: 'operator',
    takes: ['MergePlayersRequest'],
    gives: 'MergedPlayersAnswer',
    refuses: [...ofPlayer, ...body, 'method_already_linked', 'account_deleted', 'account_banned', 'quota_exceeded'],
  },
  undoPlayerChoice: {
    summary: "Takes the latest choice of a player's account back.",
    description:
      'For a player who chose wrongly in a conflict, or was merged wrongly; `readPlayer` has the choice and its id. What the choice moved leads to the other account again, the sessions that came from it end, and the entries of this one are written back as they were, where the choice has changed them; what that overwrites is in a snapshot. Entries that the choice made anew stay. `conflict_stale`, and nothing is done, where the other account was removed for good, what was moved leads elsewhere since, or the entries are no longer kept; `method_already_linked` where the other account has a link of the kind by now; `not_found` where it is not the latest choice.',
    authorization: 'operator',
    gives: 'UndoneChoiceAnswer',
    refuses: [
      ...ofPlayer,
      'conflict_stale',
      'method_already_linked',
      'account_deleted',
      'account_banned',
      'quota_exceeded',
    ],
  },
  makeResetCode: {
    summary: 'Makes a code by which a player sets a new password.',
    description:
      'For a player who has forgotten the password and cannot be reached in another way: the operator tells it. It counts once, for a day, and a new one takes its place. The audit log has who made it, and not the code. `not_found` for an account without a name.',
    authorization: 'operator',
    gives: 'ResetCodeAnswer',
    refuses: [...ofPlayer, 'account_deleted'],
  },
  makeSignInCode: {
    summary: 'Makes a code by which a player signs in on another device.',
    description:
      'For a player whom nothing leads to the account any more, such as a guest whose device is gone, and an account of any kind: the operator tells the code, and the player gives it where a recovery code is asked for (`/v2/auth/recovery`). It signs in once, within a day, and the player can link a login method then. A new one takes its place, and it ends with all sessions of the account. The audit log has who made it, and not the code.',
    authorization: 'operator',
    gives: 'SignInCodeAnswer',
    refuses: [...ofPlayer, 'account_deleted'],
  },
};
