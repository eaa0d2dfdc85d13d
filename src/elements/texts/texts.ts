/**
 * Every text that the elements show. A language is one object of this type, so that a text that is missing does not
 * compile; a game that says a few things in its own words spreads one: `{ ...english, guest: 'Adventurer' }`.
 */
export interface Texts {
  /** The language, as BCP 47 has it: numbers and times are written by it. */
  readonly language: string;

  /** The button that takes the player back to what was shown before. */
  readonly back: string;
  /** The button that takes a question back. */
  readonly no: string;
  /** The button that tries once more what has failed. */
  readonly tryAgain: string;
  /** Where something is being read from the service. */
  readonly loading: string;
  /** What never happened, where a time would stand. */
  readonly never: string;
  /** How many entries a save or a snapshot has. */
  readonly entries: (count: number) => string;

  /** Who plays, before that is known. */
  readonly signingIn: string;
  /** Who plays, where nobody does. */
  readonly signedOut: string;
  /** Who plays, where only this device leads to the account. */
  readonly guest: string;
  /** Who plays, where the account has no name that could be shown. */
  readonly account: string;
  /** What a guest's account is opened by. */
  readonly onThisDevice: string;
  /** What any other account is opened by. */
  readonly onAnyDevice: string;
  /** That the browser stores nothing, so that a guest's account is lost with the page. */
  readonly keepsNothing: string;

  /** The label of a player's name. */
  readonly name: string;
  /** The label of a password. */
  readonly password: string;
  /** The label of a password that is to be set. */
  readonly newPassword: string;
  /** The label of the password that counts now. */
  readonly oldPassword: string;
  /** The label of a code for a forgotten password. */
  readonly code: string;
  /** That a field was left empty. */
  readonly fillIn: string;

  /** The title of the form that links a name to this account. */
  readonly linkTitle: string;
  /** What linking a name does. */
  readonly linkNote: string;
  /** The button that links it. */
  readonly link: string;
  /** The title of the form that signs in, where nobody is signed in. */
  readonly signInTitle: string;
  /** What signing in by a name that is new does. */
  readonly signInNote: string;
  /** The button that signs in. */
  readonly signIn: string;
  /** The button that signs in to another account, and the title of its form. */
  readonly switchAccount: string;
  /** What becomes of the account that is left. */
  readonly switchNote: string;
  /** The button that signs in by the device alone. */
  readonly playAsGuest: string;
  /** The button that signs out. */
  readonly signOut: string;
  /** How many saves wait on this device for the account that was signed out. */
  readonly keptForLater: (count: number) => string;

  /** The button that leads to a new password, and the title of its form. */
  readonly forgot: string;
  /** How a code for a new password is asked for. */
  readonly forgotNote: string;
  /** The button that asks for a code. */
  readonly sendCode: string;
  /** That a code is on its way, where somebody has the name. */
  readonly codeSent: string;
  /** The button that sets a new password. */
  readonly setPassword: string;
  /** That the new password counts. */
  readonly passwordSet: string;

  /** The button that leads to the form for a recovery code, and its title. */
  readonly useCode: string;
  /** What a recovery code does. */
  readonly useCodeNote: string;
  /** What making a recovery code does. */
  readonly makeCodeNote: string;
  /** The button that makes one. */
  readonly makeCode: string;
  /** The button that copies it. */
  readonly copy: string;
  /** That it was copied. */
  readonly copied: string;

  /** The title of the list of login methods. */
  readonly methods: string;
  /** The kinds of login methods. A kind that a newer service has is shown as the service calls it. */
  readonly methodNames: {
    /** The device itself, without a name; also what a device in the list is called. */
    readonly device: string;
    /** A name and password. */
    readonly name: string;
    /** An identity provider. */
    readonly identity: string;
    /** A social network or a game portal. */
    readonly social: string;
    /** The game's own account. */
    readonly custom: string;
    /** A recovery code. */
    readonly recovery: string;
  };
  /** When a method or device was linked. */
  readonly linkedAt: (when: string) => string;
  /** When it was last used. */
  readonly usedAt: (when: string) => string;
  /** The button that takes a method away. */
  readonly unlink: string;
  /** Asks whether a method is to be taken away. */
  readonly unlinkAsk: (method: string) => string;
  /** The title of the list of devices. */
  readonly devices: string;
  /** What the device of this page is called. */
  readonly thisDevice: string;
  /** The button that takes a device away. */
  readonly revoke: string;
  /** Asks whether a device is to be taken away. */
  readonly revokeAsk: string;

  /** The title of the form that changes the password. */
  readonly changePassword: string;
  /** The button that changes it. */
  readonly change: string;

  /** What a deletion does. */
  readonly deleteNote: string;
  /** The title of what deletes the account, and the button that does. */
  readonly deleteAccount: string;
  /** Asks whether it is to be deleted. */
  readonly deleteAsk: string;
  /** That it is being deleted, and until when that can be taken back. */
  readonly deleted: (until: string) => string;
  /** What the code is for that is shown with it. */
  readonly deletedCode: string;
  /** The button that takes a deletion back. */
  readonly takeBack: string;
  /** That the account is not deleted any more. */
  readonly takenBack: string;

  /** Asks for the password once more, before something that lasts. */
  readonly passwordAgain: string;
  /** The button that goes on with it. */
  readonly goOn: string;

  /** The title of the question which save counts. */
  readonly conflictTitle: string;
  /** Why it is asked. */
  readonly conflictNote: string;
  /** The save that this device has. */
  readonly here: string;
  /** The save of the account that was signed in to. */
  readonly there: string;
  /** The row that says when each side was last played. */
  readonly lastPlayed: string;
  /** The row that says what leads to each side. */
  readonly openedBy: string;
  /** The row that says how much each side has. */
  readonly holds: string;
  /** That both sides hold the same. */
  readonly sameSaves: string;
  /** That the other save has all that this device has. */
  readonly thereAhead: string;
  /** That this device has all that the other save has. */
  readonly hereAhead: string;
  /** That each side has something of its own. */
  readonly bothPlayed: string;
  /** The title of the list of entries that differ. */
  readonly differences: (count: number) => string;
  /** The button that keeps this device's save. */
  readonly keep: string;
  /** What that does. */
  readonly keepNote: string;
  /** The button that takes the other save. */
  readonly take: string;
  /** What that does. */
  readonly takeNote: string;
  /** The button that merges both. */
  readonly merge: string;
  /** What that does. */
  readonly mergeNote: string;
  /** The button that puts the choice off. */
  readonly later: string;
  /** That a choice can be undone. */
  readonly undoable: string;
  /** That a choice was carried out. */
  readonly chosen: string;

  /** How the saves stand, in a sentence for each status. */
  readonly status: {
    /** The service has everything. */
    readonly synced: string;
    /** Something is being sent. */
    readonly saving: string;
    /** It is kept on this device, and sent later. */
    readonly offline: string;
    /** Something is held until the player decides. */
    readonly conflict: string;
    /** This device cannot keep it: the page has to stay open. */
    readonly unstored: string;
    /** The device's storage fails; what the page has is sent all the same. */
    readonly storageFails: string;
  };
  /** Which collections wait to be sent. */
  readonly waiting: (names: string) => string;
  /** The title of the list of what is held. */
  readonly held: string;
  /** Why an entry is held. */
  readonly heldBecause: {
    /** It is too large. */
    readonly too_large: string;
    /** The account is full. */
    readonly quota_exceeded: string;
    /** Another device has written it too. */
    readonly entry_conflict: string;
    /** The game cannot read it. */
    readonly invalid_value: string;
    /** Any other reason, by its code. */
    readonly other: (code: string) => string;
  };
  /** The button that gives up what is held. */
  readonly discard: string;
  /** Asks whether it is to be given up. */
  readonly discardAsk: string;
  /** That it was given up. */
  readonly discarded: string;
  /** That it was sent. */
  readonly sent: string;

  /** How long the history keeps what is in it. */
  readonly historyNote: string;
  /** That the history is empty. */
  readonly historyEmpty: string;
  /** Why a snapshot was set aside. */
  readonly setAside: {
    /** It lost to a choice in a conflict. */
    readonly chosen: string;
    /** This account's save before a merge. */
    readonly mergedOwn: string;
    /** The other account's save before a merge. */
    readonly mergedOther: string;
    /** It was replaced by a snapshot. */
    readonly restored: string;
    /** Any other reason. */
    readonly overwritten: string;
  };
  /** The button that writes a snapshot back. */
  readonly undo: string;
  /** That it was written back. */
  readonly undone: string;

  /** What went wrong, and what the player can do, by what the code of the error means. */
  readonly errors: {
    /** `network`, `timeout`, `unavailable` and the like: the service did not answer. */
    readonly unreachable: string;
    /** `rate_limited`: too many tries; `seconds` is undefined where the service does not say how long to wait. */
    readonly tooManyTries: (seconds: number | undefined) => string;
    /** `invalid_credentials` of a name and password. */
    readonly wrongPassword: string;
    /** `invalid_credentials` or `user_not_found` of a code. */
    readonly wrongCode: string;
    /** `user_not_found`, `not_found`: it is not there any more. */
    readonly not_found: string;
    /** `password_too_short`: the least number of characters is told. */
    readonly passwordTooShort: (least: number) => string;
    /** `name_not_allowed`: another name is wanted. */
    readonly name_not_allowed: string;
    /** `method_already_linked`: the save has a name already. */
    readonly method_already_linked: string;
    /** `would_orphan`: it is the last way in. */
    readonly would_orphan: string;
    /** `account_banned`; `until` is empty where it is for good, `reason` where there is none. */
    readonly banned: (until: string, reason: string) => string;
    /** `account_deleted`: it can still be taken back. */
    readonly beingDeleted: (until: string) => string;
    /** `reauthentication_required`, where no password can be asked for. */
    readonly reauthentication_required: string;
    /** `delivery_not_set_up`: the game sends no codes. */
    readonly delivery_not_set_up: string;
    /** `conflict_cancelled`, `conflict_pending`, `conflict_unhandled`: the choice is still open, or was put off. */
    readonly conflict_cancelled: string;
    /** `conflict_expired`, `conflict_stale`: something changed meanwhile. */
    readonly conflict_expired: string;
    /** `merge_failed`, `merge_not_allowed`. */
    readonly merge_failed: string;
    /** `too_large`, `quota_exceeded`. */
    readonly too_large: string;
    /** `storage_unavailable`: this device stores nothing at present. */
    readonly storage_unavailable: string;
    /** `not_authenticated`: nobody is signed in. */
    readonly not_authenticated: string;
    /** Any other code. */
    readonly other: (code: string) => string;
  };
}
