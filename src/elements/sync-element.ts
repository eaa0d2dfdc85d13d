import type { Client } from '../client/create-client.js';
import type { Collection, HeldEntry, SyncStatus } from '../client/profile/collection.js';
import { html, type Template } from './html.js';
import { ask, button, errorLine, question, saidLine } from './parts.js';
import { type ElementProperties, SavepointElement } from './savepoint-element.js';

/** `<savepoint-sync>`: how the saves stand, what waits, and what is held, with what the player can do about it. */
export interface SyncElement extends HTMLElement, ElementProperties {
  /**
   * The names of the collections whose waiting and held entries are listed; as an attribute with spaces between them. Default:
   * none, and then the status alone is shown.
   */
  collections: readonly string[];
}

export class SavepointSync extends SavepointElement implements SyncElement {
  static override readonly reactive = [...SavepointElement.reactive, 'collections'];

  static readonly observedAttributes = ['collections'];

  declare collections: readonly string[];

  constructor() {
    super();
    this.collections = [];
  }

  attributeChangedCallback(_: string, __: string | null, names: string | null): void {
    this.collections = names?.match(/\S+/g) ?? [];
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

  protected override render(): Template {
    const { words, player } = this;
    const { status } = player?.profile ?? { status: 'saving' as SyncStatus };
    const isFailing = player?.storage.isFailing === true && status !== 'synced' && status !== 'unstored';
    const text = isFailing ? words.status.storageFails : words.status[status];
    const opened = this.collections.map((name) => player?.profile.collection(name)).filter((one) => one !== undefined);
    const waiting = opened.filter(({ status: one }) => one === 'saving' || one === 'offline' || one === 'unstored');
    const held = opened.flatMap((collection) => collection.held().map((entry) => ({ collection, entry })));
    const canTry = status === 'offline' && player?.auth.userId !== null;
    return html`<section part="sync" aria-busy=${this.busy}>
      <div class="line">
        <p part="status ${status}" class="status" data-status=${isFailing ? 'offline' : status}>${text}</p>
        ${canTry ? button(this, 'try-again', words.tryAgain, () => void this.flush()) : null}
      </div>
      <p class="unseen" role="status">${status === 'saving' ? null : text}</p>
      ${
        waiting.length === 0 || status === 'saving'
          ? null
          : html`<p part="waiting" class="note">${words.waiting(waiting.map(({ name }) => name).join(', '))}</p>`
      }
      ${errorLine(this, 'sync')} ${saidLine(this)}
      ${
        held.length === 0
          ? null
          : html`<h3 part="title">${words.held}</h3>
              <ul part="list held">${held.map((one) => this.renderHeld(one.collection, one.entry))}</ul>`
      }
    </section>`;
  }

  private renderHeld(collection: Collection, { key, code }: HeldEntry): Template {
    const { words } = this;
    const place = `${collection.name}/${key}`;
    const { [code as 'too_large']: reason = words.heldBecause.other(code) } = words.heldBecause;
    return html`<li part="item">
      <div><strong>${place}</strong><span class="note">${reason}</span></div>
      <div class="row">
        ${button(this, 'try-again', words.tryAgain, () => void this.retry(collection, key), '', `${words.tryAgain}: ${place}`)}
        ${button(this, 'discard', words.discard, () => ask(this, place), '', `${words.discard}: ${place}`)}
      </div>
      ${question(this, place, words.discardAsk, words.discard, () => void this.discard(collection, key))}
      ${errorLine(this, place)}
    </li>`;
  }

  private async flush(): Promise<void> {
    await this.attempt('sync', ({ profile }) => profile.flush());
  }

  private async retry(collection: Collection, key: string): Promise<void> {
    const done = await this.attempt(
      `${collection.name}/${key}`,
      () => collection.retry(key).then(() => true),
      (error) => this.heldText(error),
    );
    if (done) this.said = this.words.sent;
  }

  private async discard(collection: Collection, key: string): Promise<void> {
    this.asked = '';
    const done = await this.attempt(`${collection.name}/${key}`, () => collection.discard(key).then(() => true));
    if (done) this.said = this.words.discarded;
  }

  /** Why an entry is held is no failure of the player's. */
  private heldText(error: unknown): string {
    const { heldBecause } = this.words;
    const { code } = error as { code?: string };
    const reason =
      code !== undefined && Object.hasOwn(heldBecause, code) ? heldBecause[code as 'too_large'] : undefined;
    return reason ?? this.errorText(error);
  }
}
