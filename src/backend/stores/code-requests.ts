import type { Notifying } from './event-requests.js';
import type { CheckedLink, LinkKey, LinkRecord, NewLink, Owner, Scope, SessionKey, SessionRecord } from './records.js';
import type { LoginQuotas, Timed } from './session-requests.js';

// What the operations of a store on one-time codes are asked, and what they answer.

/**
 * What a code of a link is for, and who gives it to the player. `reset` and `support` set a new password: the game
 * delivers the one by its own means, an operator tells the other. `verify` shows that an e-mail address is the
 * player's. Each link has one of a kind at most.
 */
export type LinkCodeKind = 'reset' | 'support' | 'verify';

/** What a code is for: those of a link, and `sign_in`, by which an operator lets a player into an account once. */
export type CodeKind = LinkCodeKind | 'sign_in';

/** A one-time code, by its hash: of a link, or, for the kind `sign_in`, of an account (`accountCodeKey`). */
export interface CodeRecord extends LinkKey {
  /** What it is for. */
  kind: CodeKind;
  /** The keyed hash of the code and its link; of one that has signed in, the hash of that device besides. */
  hash: string;
  /** The account that the link led to when the code was made. */
  accountId: string;
  /** The revision of the link at that time: with another one the code is worth nothing. 0 for `sign_in`. */
  linkRevision: number;
  /** How many tries are left; null where nobody can guess the code, so that no stranger uses it up. */
  triesLeft: number | null;
  /** Until when it counts. */
  expiresAt: number;
  /**
   * Whether it has set a password or an e-mail address, and then `linkRevision` is the one that the link has since; or
   * has signed somebody in.
   */
  isUsed: boolean;
  /** The e-mail address that it verifies, and was sent to; null for other kinds. */
  mailAddress: string | null;
}

/** What `Store.makeCode` is asked. */
export interface MakeCodeRequest extends Timed {
  /** The link, as it was when the code was asked for. */
  link: CheckedLink;
  /** What the code is for. */
  kind: LinkCodeKind;
  /** The code's hash. */
  hash: string;
  /** How often it may be tried; null where nobody can guess it. */
  tries: number | null;
  /** Until when it counts. */
  expiresAt: number;
  /** The e-mail address that it is to verify; null for other kinds. */
  mailAddress: string | null;
}

/** What became of `Store.makeCode`. */
export type MakeCodeOutcome = 'made' | 'link_changed';

/** What `Store.resetPassword` is asked. */
export interface ResetPasswordRequest extends Timed {
  /** The link whose password was forgotten. */
  link: LinkKey;
  /** What the code that is shown was made for. */
  kind: Exclude<LinkCodeKind, 'verify'>;
  /** The hashes of the code that is shown, by each key that it may have been made under. */
  hashes: readonly string[];
  /** The hash of the new password. */
  to: string;
}

/**
 * What became of `Store.resetPassword`. `repeated`: the code is right, and has set a password before, which is the
 * link's still; nothing was changed.
 */
export type ResetPasswordOutcome = 'reset' | 'repeated' | 'wrong_code';

/** What `Store.verifyMailAddress` is asked. */
export interface VerifyMailAddressRequest extends Timed {
  /** The session that asks. */
  session: SessionKey;
  /** The name of its account. */
  link: LinkKey;
  /** The hashes of the code that is shown, by each key that it may have been made under. */
  hashes: readonly string[];
}

/** What became of `Store.verifyMailAddress`. */
export type VerifyMailAddressOutcome =
  | {
      /** The address counts. */
      outcome: 'verified';
      /** The link as it was. */
      before: LinkRecord;
      /** The address that it has since. */
      mailAddress: string | null;
    }
  | {
      /** Nothing was changed. `repeated`: the code is right, and has verified what the link has already. */
      outcome: 'repeated' | 'wrong_code' | 'no_session';
    };

/** What `Store.removeMailAddress` is asked. */
export interface RemoveMailAddressRequest {
  /** The account. */
  owner: Owner;
  /** The session that asks. */
  session: string;
}

/** What became of `Store.removeMailAddress`. */
export type RemoveMailAddressOutcome =
  | {
      /** The link has no address. */
      outcome: 'removed';
      /** The link as it was. */
      before: LinkRecord;
    }
  | {
      /** Why nothing was done: the session has ended, or the account has no name. */
      outcome: 'no_session' | 'not_linked';
    };

/** A code that is to sign a player in to an account. */
export interface MakeSignInCodeRequest {
  /** The account. */
  owner: Owner;
  /** The code's hash. */
  hash: string;
  /** Until when it counts. */
  expiresAt: number;
}

/** What became of it: an account that is being deleted gets none. */
export type MakeSignInCodeOutcome = 'made' | 'no_account';

/** What `Store.signInByCode` is asked. */
export interface SignInByCodeRequest extends Timed, Notifying {
  /** The game and environment. */
  scope: Scope;
  /** The hashes of the code that is shown, by each key that it may have been made under. */
  hashes: readonly string[];
  /** The hashes of the code and the device together: what its hash is once it was used on this device. */
  usedHashes: readonly [string, ...string[]];
  /** The session that is to be opened, of whichever account the code is. */
  session: Omit<SessionRecord, 'accountId'>;
  /** The link of the device. */
  device: NewLink;
  /** How many devices and sessions the account may have. */
  quotas: LoginQuotas;
}

/** What became of `Store.signInByCode`. */
export type SignInByCodeOutcome =
  | {
      /** The session is open. */
      outcome: 'opened';
      /** The session, of the code's account. */
      session: SessionRecord;
    }
  | {
      /** The code is right, and nothing was done: the account's player is banned. */
      outcome: 'banned';
      /** The account. */
      owner: Owner;
    }
  | {
      /** Nothing was done. */
      outcome: 'wrong_code';
    };
