import type { AccountDeletion, AccountMethod } from '../../client/account.js';
import type { Credential } from '../../client/auth/credentials.js';
import type { Client } from '../../client/create-client.js';
import type { LinkedDevice } from '../../protocol/player-messages.js';
import type { ElementHost } from '../element-host.js';

/** A form in the place of what is usually shown; empty for none. */
export type AccountPage = '' | 'switch' | 'forgot' | 'reset' | 'code';

/** A deed that waits for the player's password. */
export interface Waiting {
  /** The part of the element that it belongs to. */
  readonly at: string;
  goOn(): Promise<void>;
}

/** What is known of one account. */
export interface Known {
  readonly userId: string | null;
  readonly methods: readonly AccountMethod[] | null;
  readonly devices: readonly LinkedDevice[] | null;
  /** The recovery code that was made here: nobody can be shown it again. */
  readonly code: string;
}

/** What the views of the account know of the element, and what they ask of it. */
export interface AccountHost extends ElementHost {
  /** The client whose player is shown; null where there is none yet. */
  readonly shownClient: Client | null;
  readonly page: AccountPage;
  readonly known: Known;
  readonly waiting: Waiting | null;
  /** The account that was deleted here, until it is taken back or somebody else signs in. */
  readonly deletion: AccountDeletion | null;
  /** The name that was typed last: a form that follows begins with it. */
  readonly typedName: string;
  /** Whether a form was told that the account is being deleted, and sent once more takes that back. */
  isRestoring(at: string): boolean;
  /** Shows a form, or with an empty name what is usually shown. */
  open(page: AccountPage): void;
  refresh(): Promise<void>;
  readDevices(): Promise<void>;
  playAsGuest(): Promise<void>;
  withName(at: string, name: string, password: string): Promise<void>;
  switchTo(at: string, credential: Credential): Promise<void>;
  requestReset(name: string): Promise<void>;
  setPassword(name: string, code: string, password: string): Promise<void>;
  signOut(): Promise<void>;
  unlink(method: string): Promise<void>;
  revoke(id: string): Promise<void>;
  makeCode(): Promise<void>;
  changePassword(before: string, after: string): Promise<void>;
  delete(): Promise<void>;
  takeBack(): Promise<void>;
  copy(text: string): Promise<void>;
  /** Shows the password once more, and goes on with what has waited for that. */
  showAgain(password: string): Promise<void>;
}
