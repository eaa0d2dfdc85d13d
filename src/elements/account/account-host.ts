import type { AccountDeletion, AccountMethod } from '../../client/account.js';
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

/** A way into the account: this device knows its kind, and the service the rest. */
export type KnownMethod = Pick<AccountMethod, 'method'> & Partial<AccountMethod>;

/** What is known of one account. */
export interface Known {
  readonly userId: string | null;
  readonly methods: readonly KnownMethod[];
  /** Whether the service has said what leads to the account. */
  readonly isRead: boolean;
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
  deletion: AccountDeletion | null;
  /** The name that was typed last: a form that follows begins with it. */
  typedName: string;
  /** Whether a form was told that the account is being deleted, and sent once more takes that back. */
  isRestoring(at: string): boolean;
  /** Shows a form, or with an empty name what is usually shown. */
  open(page: AccountPage): void;
  /** Keeps what was found out about the account. */
  learn(more: Partial<Known>): undefined;
  refresh(): Promise<void>;
  readDevices(): Promise<void>;
  /** As `attempt`, for what signs in: then what is usually shown is shown again. */
  enter(at: string, deed: (client: Client) => Promise<unknown>, said?: string): Promise<void>;
  copy(text: string): Promise<void>;
  /** Shows the password once more, and goes on with what has waited for that. */
  showAgain(password: string): Promise<void>;
}
