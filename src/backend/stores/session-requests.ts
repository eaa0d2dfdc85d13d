import type { CheckedLink, NewSession, Owner, SessionKey, SessionRecord } from './records.js';

// What the operations of a store on sessions are asked, and what they answer.

/** A request whose outcome depends on the time. */
export interface Timed {
  /** The service's clock, in ms since 1970. */
  now: number;
}

/** An account, and who asks for it. */
export interface AskedAccount extends Owner {
  /** The player's session that asks; null for an operator. */
  sessionId: string | null;
}

/** How many devices and sessions an account may have: for one more, the one that was unused for longest goes. */
export interface LoginQuotas {
  /** How many devices may lead to an account. */
  devices: number;
  /** How many sessions an account may have. */
  sessions: number;
}

/** A request that may add a device or a session to an account. */
export interface Bounded {
  /** How many the account may have. */
  quotas: LoginQuotas;
}

/** What `Store.openSession` is asked. */
export interface OpenSessionRequest extends Bounded {
  /** The session. */
  session: SessionRecord;
  /** The revision of the session's link when the credential was checked. */
  linkRevision: number;
}

/** What `Store.reauthenticate` is asked. */
export interface ReauthenticateRequest {
  /** The service's clock, in ms since 1970. */
  now: number;
  /** The session. */
  session: SessionKey;
  /** A link of the session's account, as it was when its credential was checked. */
  link: CheckedLink;
}

/** What became of `Store.reauthenticate`. */
export type ReauthenticateOutcome =
  | {
      /** Whether the link counts as a recent authentication; where it does not, the session is as it was. */
      outcome: 'authenticated' | 'does_not_count';
      /** The session as it is now. */
      session: SessionRecord;
    }
  | {
      /** Why nothing was changed. */
      outcome: 'link_changed' | 'no_session';
    };

/** What `Store.markUsed` is asked. */
export interface MarkUsedRequest {
  /** The service's clock, in ms since 1970. */
  now: number;
  /** The session by which somebody has come. */
  session: SessionRecord;
}

/** What `Store.signOutOthers` is asked. */
export interface SignOutOthersRequest {
  /** The session that asks. */
  session: SessionKey;
  /** The session that takes its place. */
  next: NewSession;
  /** Links that were made then or later are removed. */
  unlinkSince: number;
}

/** What became of `Store.signOutOthers`. */
export type SignOutOthersOutcome =
  | {
      /** The others are out. */
      outcome: 'signed_out';
      /** The session that has taken the place of the one that asked. */
      session: SessionRecord;
    }
  | {
      /** Why nothing was done. */
      outcome: 'no_session' | 'would_orphan';
    };
