import type { AccountDeletion, AccountMethod } from '../../client/account.js';
import type { Credential } from '../../client/auth/credentials.js';
import type { Client } from '../../client/create-client.js';
import { isFailure } from '../../errors.js';
import type { LinkedDevice } from '../../protocol/player-messages.js';
import { html, type Template } from '../html.js';
import { type ElementProperties, SavepointElement, successOf } from '../savepoint-element.js';
import { styles } from '../styles.js';
import type { AccountHost, AccountPage, Known, Waiting } from './account-host.js';
import { accountStyles } from './account-styles.js';
import { accountView } from './account-view.js';

/**
 * `<savepoint-account>`: who plays, and all that a player can do about it. The slot `sign-in` takes a game's own buttons, for a
 * portal or a social network; it is shown where a player can sign in or link.
 */
export interface AccountElement extends HTMLElement, ElementProperties {
  /** Asks the service again what leads to the account. A page that is seen again does so by itself. Never rejects. */
  refresh(): Promise<void>;
}

export class SavepointAccount extends SavepointElement implements AccountElement, AccountHost {
  static override readonly reactive = [...SavepointElement.reactive, 'page', 'known', 'waiting', 'deletion'];
  static override readonly styles = styles + accountStyles;

  declare page: AccountPage;
  declare known: Known;
  declare waiting: Waiting | null;
  /** The account that was deleted here, until it is taken back or somebody else signs in. */
  declare deletion: AccountDeletion | null;
  /** The name that was typed last: a form that follows begins with it. */
  typedName = '';
  /** The last failure, where it was that the account is being deleted: the form that it is told in takes that back. */
  restoring = '';

  /** The client whose player is shown; null where there is none yet. */
  get shownClient(): Client | null {
    return this.player;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('visibilitychange', this.seenAgain);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('visibilitychange', this.seenAgain);
  }

  override goBack(): void {
    if (this.asked !== '') super.goBack();
    else if (this.waiting !== null) this.waiting = null;
    else this.open('');
  }

  async refresh(): Promise<void> {
    // What leads to the account is for show: where it cannot be read, that is tried again later.
    await this.read('', async ({ account }) => ({ methods: await account.methods() }));
  }

  readDevices(): Promise<void> {
    return this.read('devices', async ({ account }) => ({ devices: await account.devices() }));
  }

  /** Reads more about the account; `at` is where a failure is told, if it is. */
  private async read(at: string, ask: (client: Client) => Promise<Partial<Known>>): Promise<void> {
    const { player } = this;
    const { userId } = this.known;
    if (player === null || userId === null) return;
    try {
      const more = await ask(player);
      // Another account may have taken its place meanwhile.
      if (player === this.player && userId === this.known.userId) this.learn(more);
    } catch (error) {
      if (player === this.player && at !== '') this.problem = { at, text: this.errorText(error) };
    }
  }

  /** Shows a form, or with an empty name what is usually shown. */
  open(page: AccountPage): void {
    this.page = page;
    this.problem = null;
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(page === '' ? '.who' : 'input')?.focus(),
    );
  }

  async withName(at: string, name: string, password: string): Promise<void> {
    this.typedName = name;
    await this.enter(at, async ({ auth }) => successOf(await auth.withName(name, password)));
  }

  async switchTo(at: string, credential: Credential): Promise<void> {
    if (credential.method === 'name') this.typedName = credential.username;
    const restore = this.isRestoring(at);
    await this.enter(at, async ({ auth }) => successOf(await auth.switchTo(credential, { restore })));
  }

  /** Whether a form was told that the account is being deleted, and sent once more takes that back. */
  isRestoring(at: string): boolean {
    return this.restoring !== '' && this.problem?.at === at && this.problem.text === this.restoring;
  }

  async playAsGuest(): Promise<void> {
    await this.enter('account', async ({ auth }) => successOf(await auth.asGuest()));
  }

  private async enter(at: string, deed: (client: Client) => Promise<unknown>): Promise<boolean> {
    const shown = at === 'code' ? 'code' : 'password';
    const done = await this.attempt(at, deed, (error) => this.told(error, shown));
    if (done === undefined) return false;
    this.page = '';
    this.deletion = null;
    return true;
  }

  async requestReset(name: string): Promise<void> {
    this.typedName = name;
    const done = await this.attempt('forgot', async ({ auth }) => successOf(await auth.requestReset(name)));
    if (done === undefined) return;
    this.open('reset');
    this.said = this.words.codeSent;
  }

  async setPassword(name: string, code: string, password: string): Promise<void> {
    this.typedName = name;
    const deed = async ({ auth }: Client): Promise<unknown> => successOf(await auth.reset(name, code, password));
    const done = await this.attempt('reset', deed, (error) => this.errorText(error, 'code'));
    if (done === undefined) return;
    this.open('');
    this.said = this.words.passwordSet;
  }

  async signOut(): Promise<void> {
    const done = await this.attempt('account', async ({ auth }) => successOf(await auth.signOut()));
    if (done !== undefined && done.unsent > 0) this.said = this.words.keptForLater(done.unsent);
  }

  unlink(method: string): Promise<void> {
    return this.lately(
      'methods',
      ({ account }) => account.unlink(method),
      (methods: AccountMethod[]) => {
        this.learn({ methods });
      },
    );
  }

  revoke(id: string): Promise<void> {
    const deed = ({ account }: Client) => account.revokeDevice(id).then(() => account.devices());
    return this.lately('devices', deed, (devices: LinkedDevice[]) => this.learn({ devices }));
  }

  makeCode(): Promise<void> {
    return this.lately(
      'recovery',
      ({ account }) => account.recoveryCode(),
      (code: string) => this.learn({ code }),
    );
  }

  async changePassword(before: string, after: string): Promise<void> {
    const deed = ({ account }: Client) => account.changePassword(before, after).then(() => true);
    const done = await this.attempt('change', deed);
    if (done) this.said = this.words.passwordSet;
  }

  delete(): Promise<void> {
    return this.lately(
      'delete',
      ({ account }) => account.delete(),
      (deletion: AccountDeletion) => {
        this.deletion = deletion;
      },
    );
  }

  async takeBack(): Promise<void> {
    const { deletion } = this;
    if (deletion === null) return;
    const credential = { method: 'recovery', code: deletion.recoveryCode } as const;
    const deed = async ({ auth }: Client): Promise<unknown> =>
      successOf(await auth.switchTo(credential, { restore: true }));
    if (await this.enter('code', deed)) this.said = this.words.takenBack;
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

  /** Shows the account's password once more, and carries out what has waited for that. */
  async showAgain(password: string): Promise<void> {
    const { waiting } = this;
    if (waiting === null) return;
    const username = this.known.methods?.find(({ method }) => method === 'name')?.label ?? '';
    const shown = await this.attempt(waiting.at, ({ account }) =>
      account.reauthenticate({ method: 'name', username, password }).then(() => true),
    );
    if (!shown) return;
    this.waiting = null;
    await waiting.goOn();
  }

  protected override subscribe(client: Client): (() => void)[] {
    let seen = '';
    const look = (): void => {
      const { userId, methods } = client.watchAccount().getSnapshot();
      if (userId !== this.known.userId) this.forget(userId);
      // The name of an account is known to the service alone.
      const present = [userId, ...methods].join();
      if (present !== seen && userId !== null) void this.refresh();
      seen = present;
      this.requestUpdate();
    };
    return [
      client.watchAccount().subscribe(look),
      client.events.on('initialized', look),
      // A page that began without a network can ask now.
      client.events.on('syncChanged', () => {
        if (this.known.methods === null) void this.refresh();
      }),
    ];
  }

  protected override reset(): void {
    super.reset();
    this.page = '';
    this.typedName = '';
    this.deletion = null;
    this.forget(null);
  }

  protected override render(): Template {
    return html`<section part="account" aria-busy=${this.busy}>${accountView(this)}</section>`;
  }

  /** Carries out what the service lets those do who have shown a login method lately; asks for the password where need be. */
  private async lately<T>(at: string, deed: (client: Client) => Promise<T>, done: (result: T) => void): Promise<void> {
    this.asked = '';
    this.waiting = null;
    let methods: readonly string[] | undefined;
    const result = await this.attempt(at, deed, (error) => {
      if (isFailure(error, 'reauthentication_required')) ({ methods } = error);
      return methods?.includes('name') ? '' : this.errorText(error);
    });
    if (result !== undefined) done(result);
    else if (methods?.includes('name')) this.waiting = { at, goOn: () => this.lately(at, deed, done) };
    else if (methods !== undefined) this.tell('savepoint-reauthenticate', { methods });
  }

  private told(error: unknown, shown: 'password' | 'code'): string {
    const text = this.errorText(error, shown);
    this.restoring = isFailure(error, 'account_deleted') ? text : '';
    return text;
  }

  private learn(more: Partial<Known>): void {
    this.known = { ...this.known, ...more };
  }

  private forget(userId: string | null): void {
    this.known = { userId, methods: null, devices: null, code: '' };
    this.waiting = null;
    this.asked = '';
  }

  private readonly seenAgain = (): void => {
    if (!document.hidden) void this.refresh();
  };
}
