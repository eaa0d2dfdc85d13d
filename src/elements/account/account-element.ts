import type { AccountDeletion } from '../../client/account.js';
import type { Client } from '../../client/create-client.js';
import { isFailure } from '../../errors.js';
import { errorText } from '../error-text.js';
import type { View } from '../render.js';
import { type ElementProperties, SavepointElement } from '../savepoint-element.js';
import { styles } from '../styles.js';
import type { AccountHost, AccountPage, Known, Waiting } from './account-host.js';
import { accountStyles } from './account-styles.js';
import { accountView } from './account-view.js';

const nothing: Known = { userId: null, methods: [], isRead: false, devices: null, code: '' };

/**
 * `<savepoint-account>`: who plays, and all that a player can do about it. The slot `sign-in` takes a game's own
 * buttons, for a portal or a social network; it is shown where a player can sign in or link.
 */
export interface AccountElement extends HTMLElement, ElementProperties {
  /** Asks the service again what leads to the account. A page that is seen again does so by itself. Never rejects. */
  refresh(): Promise<void>;
}

export class SavepointAccount extends SavepointElement implements AccountElement, AccountHost {
  static override readonly reactive = {
    ...SavepointElement.reactive,
    page: '',
    known: nothing,
    waiting: null,
    deletion: null,
  };
  static override readonly styles = styles + accountStyles;

  declare page: AccountPage;
  declare known: Known;
  declare waiting: Waiting | null;
  /** The account that was deleted here, until it is taken back or somebody else signs in. */
  declare deletion: AccountDeletion | null;
  /** The name that was typed last: a form that follows begins with it. */
  typedName = '';
  /** The last failure, where it was that the account is being deleted: the form that it is told in takes that back. */
  #restoring = '';
  /** Carries out once more what was asked for last. */
  #goOn: () => Promise<void> = async () => {};

  /** The client whose player is shown; null where there is none yet. */
  get shownClient(): Client | null {
    return this.player;
  }

  override goBack(): void {
    if (this.asked !== '') super.goBack();
    else if (this.waiting !== null) this.waiting = null;
    else this.open('');
  }

  async refresh(): Promise<void> {
    // What leads to the account is for show: where it cannot be read, that is tried again later.
    await this.#read('', async ({ account }) => ({ methods: await account.methods(), isRead: true }));
  }

  readDevices(): Promise<void> {
    return this.#read('devices', async ({ account }) => ({ devices: await account.devices() }));
  }

  /** Reads more about the account; `at` is where a failure is told, if it is. */
  async #read(at: string, ask: (client: Client) => Promise<Partial<Known>>): Promise<void> {
    const { player } = this;
    const { userId } = this.known;
    if (player === null || userId === null) return;
    try {
      const more = await ask(player);
      // Another account may have taken its place meanwhile.
      if (player === this.player && userId === this.known.userId) this.learn(more);
    } catch (error) {
      if (player === this.player && at !== '') this.problem = { at, text: this.failureText(error, at) };
    }
  }

  learn(more: Partial<Known>): undefined {
    this.known = { ...this.known, ...more };
  }

  open(page: AccountPage): void {
    this.page = page;
    this.problem = null;
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(page === '' ? 'h2' : 'input')?.focus(),
    );
  }

  /** Does what every element does, and asks for the password first where the service wants one shown lately. */
  override attempt<T>(...[at, deed, done]: Parameters<typeof SavepointElement.prototype.attempt<T>>): Promise<void> {
    if (!this.busy) {
      this.waiting = null;
      this.#goOn = () => this.attempt(at, deed, done);
    }
    return super.attempt(at, deed, done);
  }

  enter(at: string, deed: (client: Client) => Promise<unknown>, said = ''): Promise<void> {
    return this.attempt(at, deed, () => {
      this.page = '';
      this.deletion = null;
      return said;
    });
  }

  isRestoring(at: string): boolean {
    return this.#restoring !== '' && this.problem?.at === at && this.problem.text === this.#restoring;
  }

  async copy(text: string): Promise<void> {
    // Without the permission the player marks the code, and copies it by hand.
    await navigator.clipboard?.writeText(text).then(
      () => {
        this.said = this.words.copied;
      },
      () => {},
    );
  }

  async showAgain(password: string): Promise<void> {
    const { waiting } = this;
    const username = this.known.methods.find(({ method }) => method === 'name')?.label ?? '';
    let isShown = false;
    await super.attempt(
      'again',
      ({ account }) => account.reauthenticate({ method: 'name', username, password }),
      () => {
        isShown = true;
        return '';
      },
    );
    if (isShown) await waiting?.goOn();
  }

  protected override subscribe(client: Client): (() => void)[] {
    let seen = '';
    const look = (): void => {
      const { userId, methods } = client.watchAccount().getSnapshot();
      const present = [userId, ...methods].join();
      this.requestUpdate();
      if (present === seen && userId === this.known.userId) return;
      seen = present;
      if (userId !== this.known.userId) this.#forget(userId);
      // This device knows what kinds there are, and the service all else.
      const known = new Map(this.known.methods.map((one) => [one.method, one]));
      this.learn({ methods: methods.map((method) => known.get(method) ?? { method }), isRead: false });
      void this.refresh();
    };
    const seenAgain = (): void => {
      if (!document.hidden) void this.refresh();
    };
    document.addEventListener('visibilitychange', seenAgain);
    return [
      () => document.removeEventListener('visibilitychange', seenAgain),
      client.watchAccount().subscribe(look),
      client.events.on('initialized', look),
      // A page that began without a network can ask now.
      client.events.on('syncChanged', () => {
        if (!this.known.isRead) void this.refresh();
      }),
    ];
  }

  protected override reset(): void {
    super.reset();
    this.page = '';
    this.typedName = '';
    this.deletion = null;
    this.#forget(null);
  }

  protected override render(): View {
    return accountView(this);
  }

  protected override failureText(error: unknown, at: string): string {
    if (isFailure(error, 'reauthentication_required')) {
      const { methods } = error;
      if (methods?.includes('name')) {
        this.waiting = { at, goOn: this.#goOn };
        return '';
      }
      this.tell('savepoint-reauthenticate', { methods });
    }
    const isCode = ['code', 'reset', 'deletion'].includes(at);
    const text = errorText(this.words, error, isCode ? 'code' : 'password');
    this.#restoring = isFailure(error, 'account_deleted') ? text : '';
    return text;
  }

  #forget(userId: string | null): void {
    this.known = { ...nothing, userId };
    this.waiting = null;
    this.asked = '';
  }
}
