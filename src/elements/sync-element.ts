import type { Client } from '../client/create-client.js';
import type { Collection, HeldEntry } from '../client/profile/collection.js';
import { ownText, textFor } from './format.js';
import { ask, button, errorLine, named, question, row, saidLine, title } from './parts.js';
import { h, type View } from './render.js';
import { type ElementProperties, SavepointElement } from './savepoint-element.js';

/** `<savepoint-sync>`: how the saves stand, what waits, and what is held, with what the player can do about it. */
export interface SyncElement extends HTMLElement, ElementProperties {
  /**
   * The names of the collections whose waiting and held entries are listed: a list, or one text, as the attribute is, with
   * spaces between them. Default: none, and then the status alone is shown.
   */
  collections: readonly string[] | string;
}

export class SavepointSync extends SavepointElement implements SyncElement {
  static override readonly reactive = { ...SavepointElement.reactive, collections: [] };

  static readonly observedAttributes = ['collections'];

  declare collections: SyncElement['collections'];

  attributeChangedCallback(_: string, __: string | null, names: string | null): void {
    this.collections = names ?? [];
  }

  protected override subscribe(client: Client): (() => void)[] {
    const changed = (): void => this.requestUpdate();
    return [
      client.profile.watchStatus().subscribe(changed),
      client.watchAccount().subscribe(changed),
      client.events.on('storageDegraded', changed),
      client.events.on('storageRestored', changed),
    ];
  }

  protected override render(): View {
    const { words, player } = this;
    const { userId = null, error = null } = player?.watchAccount().getSnapshot() ?? {};
    // Whoever could not be signed in has nothing at the service yet.
    const status = error === null ? (player?.profile.status ?? 'synced') : 'offline';
    const isFailing = player?.storage.isFailing === true && status !== 'synced' && status !== 'unstored';
    // Where nobody is signed in there is no progress, and a save of the account that was left may still wait for its return.
    const isNobodys = status === 'synced' && userId === null;
    const text = isNobodys ? '' : isFailing ? words.status.storageFails : words.status[status];
    const { collections } = this;
    // Frameworks set as a property what is written as an attribute, and null where it is not written any more.
    const names = typeof collections === 'string' ? (collections.match(/\S+/g) ?? []) : (collections ?? []);
    const opened = names.map((name) => player?.profile.collection(name)).filter((one) => one !== undefined);
    const waiting = opened.filter(({ status: one }) => one !== 'synced' && one !== 'conflict');
    const held = opened.flatMap((collection) => collection.held().map((entry) => this.#renderHeld(collection, entry)));
    return h(
      'section',
      { part: 'sync', 'aria-busy': this.busy },
      h(
        'div',
        { class: 'line' },
        h('p', { part: `status ${status}`, 'data-status': isFailing ? 'offline' : status }, text),
        status === 'offline' ? button(this, 'try-again', words.tryAgain, () => this.#flush()) : null,
      ),
      h('p', { class: 'unseen', role: 'status' }, status === 'saving' ? null : text),
      waiting.length === 0 || status === 'saving'
        ? null
        : h('p', { part: 'waiting note' }, words.waiting(waiting.map(({ name }) => name).join(', '))),
      errorLine(this, 'sync'),
      saidLine(this),
      held.length === 0 ? null : h('div', { class: 'stack' }, title(words.held), h('ul', { part: 'list held' }, held)),
    );
  }

  #renderHeld(collection: Collection, { key, code }: HeldEntry): View {
    const { words } = this;
    const place = `${collection.name}/${key}`;
    const shown = ownText(place);
    const retry = (): Promise<void> =>
      this.attempt(
        place,
        () => collection.retry(key),
        () => words.sent,
      );
    const discard = (): Promise<void> =>
      this.attempt(
        place,
        () => collection.discard(key),
        () => words.discarded,
      );
    return h(
      'li',
      { key: place, part: 'item' },
      named(shown, this.#reasonText(code) ?? words.heldBecause.other(code)),
      row(
        button(this, 'try-again', words.tryAgain, retry, '', `${words.tryAgain}: ${shown}`),
        button(this, 'discard', words.discard, () => ask(this, place), '', `${words.discard}: ${shown}`),
      ),
      question(this, place, words.discardAsk, words.discard, discard),
      errorLine(this, place),
    );
  }

  #flush(): Promise<void> {
    return this.attempt('sync', async (client) => {
      // A first visit that found no network has no account yet; where the game signs players in
      // itself, that is its own.
      const isGuestMissing = client.auth.userId === null && !(await client.init()).success;
      const entered = isGuestMissing ? await client.auth.asGuest() : { success: true as const };
      if (entered.success) await client.profile.flush();
      return entered;
    });
  }

  protected override failureText(error: unknown, at: string): string {
    // Why an entry is held is no failure of the player's.
    const reason = at === 'sync' ? undefined : this.#reasonText((error as { code?: string }).code);
    return reason ?? super.failureText(error, at);
  }

  #reasonText(code = ''): string | undefined {
    return textFor(this.words.heldBecause, code);
  }
}
