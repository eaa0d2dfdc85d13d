import type { Client } from '../client/create-client.js';
import type { JsonObject } from '../protocol/messages.js';
import type { SnapshotSummary } from '../protocol/player-messages.js';
import { agoText, ownText, sizeText } from './format.js';
import { button, errorLine, named, note, saidLine } from './parts.js';
import { h, type View } from './render.js';
import { type ElementProperties, SavepointElement } from './savepoint-element.js';

/** An entry that a snapshot holds, as a game's `describe` gets it. */
export interface SnapshotEntry {
  /** The collection of the entry. */
  readonly collection: string;
  /** The key of the entry. */
  readonly key: string;
  /** The value that was set aside. */
  readonly value: JsonObject;
}

/**
 * `<savepoint-history>`: what lost to a choice or another device, each with what it holds, and a
 * button that brings it back.
 */
export interface HistoryElement extends HTMLElement, ElementProperties {
  /**
   * Says what a snapshot holds, as "23 coins, level 2"; what it throws, and an empty text, count as nothing
   * to say. Default: null, and then the number and the size of the entries are shown. With it the element
   * asks for `account.export()`.
   */
  describe: ((entries: readonly SnapshotEntry[]) => string) | null;
  /**
   * Reads the list anew. It is read when the element is first seen, and after each change of account. Never rejects.
   */
  refresh(): Promise<void>;
}

export class SavepointHistory extends SavepointElement implements HistoryElement {
  static override readonly reactive = { ...SavepointElement.reactive, describe: null, snapshots: null };

  declare describe: HistoryElement['describe'];
  declare private snapshots: readonly SnapshotSummary[] | null;
  /** What each snapshot holds; it never changes. */
  readonly #contents = new Map<string, readonly SnapshotEntry[]>();
  async refresh(): Promise<void> {
    const { player } = this;
    const userId = player?.auth.userId ?? null;
    if (player === null || userId === null) return;
    try {
      const snapshots = await player.account.snapshots();
      await this.#readContents(player, snapshots);
      if (player !== this.player || userId !== player.auth.userId) return;
      this.snapshots = snapshots;
      if (this.problem?.at === 'list') this.problem = null;
    } catch (error) {
      if (player === this.player) this.problem = { at: 'list', text: this.failureText(error) };
    }
  }

  protected override subscribe({ events, watchAccount }: Client): (() => void)[] {
    let isSeen = false;
    const sight = new IntersectionObserver((all) => {
      if (isSeen || !all.some(({ isIntersecting }) => isIntersecting)) return;
      isSeen = true;
      void this.refresh();
    });
    sight.observe(this);
    return [
      () => sight.disconnect(),
      events.on('initialized', () => {
        this.snapshots = null;
        if (isSeen) void this.refresh();
      }),
      watchAccount().subscribe(({ state, error }) => {
        // Whoever signs out leaves nothing on the screen, and of whoever could not be signed in there is nothing.
        if (state === 'signedOut' || error !== null) this.snapshots = [];
      }),
    ];
  }

  protected override reset(): void {
    super.reset();
    this.snapshots = null;
  }

  protected override render(): View {
    const { words, snapshots } = this;
    return h(
      'section',
      { part: 'history', 'aria-busy': this.busy },
      note(snapshots === null ? words.loading : snapshots.length === 0 ? words.historyEmpty : words.historyNote),
      errorLine(this, 'list'),
      saidLine(this),
      h('ul', { part: 'list', hidden: !snapshots?.length }, snapshots?.map((one) => this.#renderSnapshot(one)) ?? []),
    );
  }

  #renderSnapshot(snapshot: SnapshotSummary): View {
    const { words, player } = this;
    const { id, createdAt } = snapshot;
    const when = agoText(words.language, createdAt, player?.serverTime() ?? createdAt);
    const what = this.#contentText(snapshot);
    return h(
      'li',
      { key: id, part: 'item' },
      named(what, `${this.#reasonText(snapshot)}, ${when}`, 'content'),
      button(this, 'undo', words.undo, () => this.#restore(id), '', `${words.undo}: ${what}, ${when}`),
      errorLine(this, id),
    );
  }

  #contentText({ id, entries, bytes }: SnapshotSummary): string {
    const { words } = this;
    const content = this.#contents.get(id);
    try {
      const text = content === undefined ? '' : this.describe?.(content);
      if (text) return ownText(text);
    } catch (error) {
      reportError(error);
    }
    return `${words.entries(entries)}, ${sizeText(words.language, bytes)}`;
  }

  #reasonText({ reason, fromUserId }: SnapshotSummary): string {
    const { setAside } = this.words;
    if (reason === 'local' || reason === 'cloud') return setAside.chosen;
    if (reason === 'merge') return fromUserId === this.player?.auth.userId ? setAside.mergedOwn : setAside.mergedOther;
    return reason === 'restore' ? setAside.restored : setAside.overwritten;
  }

  /** The list says how much each snapshot holds, not what: the export of the account does. */
  async #readContents(player: Client, snapshots: readonly SnapshotSummary[]): Promise<void> {
    if (this.describe === null || snapshots.every(({ id }) => this.#contents.has(id))) return;
    // The list can do without: what was set aside can be brought back all the same.
    const exported = await player.account.export().catch(() => ({}) as JsonObject);
    for (const { id, content } of listOf(exported['snapshots'])) {
      if (typeof id === 'string') this.#contents.set(id, listOf(content) as unknown as SnapshotEntry[]);
    }
  }

  #restore(id: string): Promise<void> {
    return this.attempt(
      id,
      ({ account }) => account.restore(id),
      (entries) => {
        this.tell('savepoint-restored', { id, entries });
        void this.refresh();
        return this.words.undone;
      },
    );
  }
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
