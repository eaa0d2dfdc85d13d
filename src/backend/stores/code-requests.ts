import type { CheckedLink, LinkKey, LinkRecord, Owner, SessionKey } from './records.js';
import type { Timed } from './session-requests.js';

// What the operations of a store on one-time codes are asked, and what they answer.

/**
 * What a code is for, and who gives it to the player. `reset` and `support` set a new password: the game delivers the
 * one by its own means, an operator tells the other. `verify` shows that an e-mail address is the player's. Each link
 * has one of a kind at most.
 */
export type CodeKind = 'reset' | 'support' | 'verify';

/** A one-time code of a link, by its hash. */
export interface CodeRecord extends LinkKey {
  /** What it is for. */
  kind: CodeKind;
  /** The keyed hash of the code and its link. */
  hash: string;
  /** The account that the link led to when the code was made. */
  accountId: string;
  /** The revision of the link at that time: with another one the code is worth nothing. */
  linkRevision: number;
  /** How many tries are left; null where nobody can guess the code, so that no stranger uses it up. */
  triesLeft: number | null;
  /** Until when it counts. */
  expiresAt: number;
  /** Whether it has set a password or an e-mail address; then `linkRevision` is the one that the link has since. */
  isUsed: boolean;
  /** The e-mail address that it verifies, and was sent to; null for other kinds. */
  mailAddress: string | null;
}

/** What `Store.makeCode` is asked. */
export interface MakeCodeRequest extends Timed {
  /** The link, as it was when the code was asked for. */
  link: CheckedLink;
  /** What the code is for. */
  kind: CodeKind;
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
  kind: Exclude<CodeKind, 'verify'>;
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
