import type { Conflict } from '../client/auth/conflict.js';
import type { Client } from '../client/create-client.js';
import type { ConflictChoice, ConflictSide } from '../protocol/conflict.js';
import { conflictStyles } from './conflict-styles.js';
import { agoText, ownText, sizeText, valueText } from './format.js';
import { button, errorLine, methodName, named, note, row, saidLine } from './parts.js';
import { type Child, h, type View } from './render.js';
import { type ElementProperties, SavepointElement, successOf } from './savepoint-element.js';
import { styles } from './styles.js';
import type { Texts } from './texts/texts.js';

/**
 * `<savepoint-conflict>`: a dialog that opens by itself when the player has to choose between two saves, and while one
 * is open from an earlier page. Put one into each page that signs players in.
 */
export interface ConflictElement extends HTMLElement, ElementProperties {
  /** Names for the fields of `conflictFields`, by the field: `{ coins: 'Coins' }`. Default: the field's own path. */
  labels: { readonly [field: string]: string };
  /**
   * Whether a side has nothing that its player could miss. Two such sides are no choice: the element takes the saved
   * game without asking. Default: a side without entries.
   */
  isEmpty: (side: ConflictSide) => boolean;
  /** Whether the dialog is open. */
  readonly isOpen: boolean;
}

/** What `savepoint-resolved` tells, by its `detail`. */
export interface ConflictResolved {
  /** What was chosen; `cancel` where the player has put it off. */
  readonly choice: ConflictChoice | 'cancel';
  /** Whether the player was asked: two empty saves are no choice. */
  readonly wasAsked: boolean;
  /** The conflict, as it was. */
  readonly conflict: Conflict;
}

export class SavepointConflict extends SavepointElement implements ConflictElement {
  static override readonly reactive = {
    ...SavepointElement.reactive,
    labels: {},
    isEmpty: ({ entries }: ConflictSide) => entries === 0,
    open: null,
    undoable: null,
  };
  static override readonly styles = styles + conflictStyles;

  declare labels: ConflictElement['labels'];
  declare isEmpty: ConflictElement['isEmpty'];
  /** The conflict that the player is asked about. */
  declare private open: Conflict | null;
  /** What the choice that was made last has set aside; null where the player is told of none. */
  declare private undoable: readonly { readonly id: string; readonly label: string }[] | null;
  /** Looks again where a page shows what was hidden. */
  #sight: IntersectionObserver | undefined;

  get isOpen(): boolean {
    return this.open !== null;
  }

  override goBack(): void {
    if (this.open !== null) void this.#choose('cancel');
    else this.undoable = null;
  }

  protected override subscribe(client: Client): (() => void)[] {
    if (client.conflict !== null) void this.#meet(client, client.conflict);
    return [
      client.events.on('conflict', (conflict) => void this.#meet(client, conflict)),
      // Signing out, or another tab, ends a conflict from outside.
      client.events.on('stateChanged', () => {
        if (client.conflict === null && !this.busy) this.reset();
      }),
    ];
  }

  protected override reset(): void {
    super.reset();
    this.open = null;
    this.undoable = null;
  }

  protected override updated(): void {
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog === null) return;
    if (this.open !== null && !dialog.open) {
      dialog.showModal();
      if (dialog.checkVisibility?.() === false) {
        // In a menu that is closed it would block the page unseen: it waits until that is open.
        dialog.remove();
        this.#sight ??= new IntersectionObserver(() => this.requestUpdate());
        this.#sight.observe(this);
        return;
      }
      // Nothing is pressed by the key that is still held, and what is read first is the question.
      dialog.querySelector<HTMLElement>('h2')?.focus();
      dialog.scrollTop = 0;
      this.tell('savepoint-open', { conflict: this.open });
    } else if (this.open === null && dialog.open) {
      dialog.close();
      this.tell('savepoint-close', null);
    }
  }

  /** A choice that cannot be shown is put off, so that nobody waits for it. */
  protected override failed(): void {
    const conflict = this.open;
    this.open = null;
    void conflict?.resolve('cancel');
  }

  protected override render(): View {
    const { open } = this;
    return h(
      'div',
      null,
      h(
        'dialog',
        {
          part: 'dialog',
          'aria-labelledby': 'title',
          'aria-describedby': 'note stakes',
          'aria-busy': this.busy,
          oncancel: this.#cancelled,
          onclose: this.#closed,
        },
        open === null ? null : this.#renderConflict(open),
      ),
      this.#renderUndo(),
    );
  }

  /** What was chosen, and the way back, where the player is: over the game, until it is put away. */
  #renderUndo(): View {
    const { words, undoable } = this;
    const undo = ({ id, label }: { id: string; label: string }): View =>
      button(this, 'undo', `${words.undo}: ${label}`, () => this.#restore(id));
    return h(
      'section',
      { part: 'chosen', hidden: undoable === null },
      saidLine(this),
      errorLine(this, 'undo'),
      row(
        ...(undoable ?? []).map(undo),
        button(this, 'go-on', words.goOn, () => this.goBack()),
      ),
    );
  }

  #renderConflict(conflict: Conflict): View {
    const { words } = this;
    const { ahead, mergeable } = conflict;
    // Where one side has all of the other, a merge is nothing but that side.
    const canMerge = mergeable && ahead === null;
    const best: ConflictChoice | null = ahead ?? (canMerge ? 'merge' : null);
    const option = (choice: ConflictChoice, part: string, label: string, text: string): View =>
      h(
        'div',
        { class: 'option' },
        button(this, part, label, () => this.#choose(choice), best === null || best === choice ? 'primary' : ''),
        note(text),
      );
    return h(
      'div',
      { class: 'stack' },
      h('h2', { part: 'title', id: 'title', tabindex: -1 }, words.conflictTitle),
      h('p', { part: 'note', id: 'note' }, words.conflictNote),
      h(
        'table',
        { part: 'table' },
        h(
          'thead',
          null,
          h('tr', null, h('td', null), h('th', { scope: 'col' }, words.here), h('th', { scope: 'col' }, words.there)),
        ),
        h('tbody', null, this.#renderRows(conflict)),
      ),
      h('p', { part: 'stakes note', id: 'stakes' }, stakesText(conflict, words)),
      this.#renderDifferences(conflict),
      h(
        'div',
        { part: 'options', class: 'fields' },
        option('local', 'keep', words.keep, words.keepNote),
        option('cloud', 'take', words.take, words.takeNote),
        canMerge ? option('merge', 'merge', words.merge, words.mergeNote) : null,
      ),
      errorLine(this, 'choice'),
      h(
        'div',
        { class: 'line' },
        note(words.undoable),
        button(this, 'later', words.later, () => this.#choose('cancel')),
      ),
    );
  }

  #renderRows({ local, cloud }: Conflict): View[] {
    const { words } = this;
    const { language } = words;
    const row = (key: string | number, label: string, here: string, there: string, more = 0): View =>
      h(
        'tr',
        { key },
        h('th', { scope: 'row' }, label),
        h('td', { class: more > 0 && 'more' }, here),
        h('td', { class: more < 0 && 'more' }, there),
      );
    const fields = local.fields.map(({ field, value: mine }, index) => {
      const theirs = cloud.fields[index]?.value;
      return row(
        index,
        this.labels?.[field] ?? field,
        valueText(language, mine),
        valueText(language, theirs),
        // Above 0 where this device got further, below it where the other did.
        numberOf(mine) - numberOf(theirs),
      );
    });
    const now = this.player?.serverTime() ?? 0;
    const both = (label: string, text: (side: ConflictSide) => string): View =>
      row(label, label, text(local), text(cloud));
    return [
      ...fields,
      both(words.lastPlayed, ({ changedAt }) => (changedAt === null ? words.never : agoText(language, changedAt, now))),
      both(words.openedBy, ({ methods }) => methods.map((name) => methodName(words, name)).join(', ') || '–'),
      both(words.holds, ({ entries, bytes }) => `${words.entries(entries)}, ${sizeText(language, bytes)}`),
    ];
  }

  #renderDifferences({ diff }: Conflict): Child {
    const { words } = this;
    const differing = diff.filter(({ same }) => !same);
    if (differing.length === 0) return null;
    const held = (side: { bytes: number } | null): string =>
      side === null ? '–' : sizeText(words.language, side.bytes);
    return h(
      'details',
      { part: 'differences' },
      h('summary', null, words.differences(differing.length)),
      h(
        'ul',
        null,
        differing.map(({ collection, key, local, cloud }) => {
          const place = `${collection}/${key}`;
          const sizes = `${words.here}: ${held(local)} · ${words.there}: ${held(cloud)}`;
          return h('li', { key: place }, named(ownText(place), sizes));
        }),
      ),
    );
  }

  /** Asks the player, unless there is nothing to choose from. */
  async #meet(client: Client, conflict: Conflict): Promise<void> {
    if (!this.#isNothing(conflict)) {
      this.problem = null;
      this.open = conflict;
      return;
    }
    const result = await conflict.resolve('cloud');
    if (client !== this.player) return;
    if (result.success) this.tell('savepoint-resolved', { choice: 'cloud', wasAsked: false, conflict });
    else if (client.conflict !== null) {
      // Still open, because the service cannot be reached: the player can try again, or put it off.
      this.open = conflict;
      this.problem = { at: 'choice', text: this.failureText(result.error) };
    }
  }

  #isNothing({ local, cloud }: Conflict): boolean {
    try {
      return this.isEmpty(local) && this.isEmpty(cloud);
    } catch (error) {
      reportError(error);
      return false;
    }
  }

  async #choose(choice: ConflictChoice | 'cancel'): Promise<void> {
    const conflict = this.open;
    if (conflict === null) return;
    await this.attempt(
      'choice',
      async (client) => {
        const result = await conflict.resolve(choice);
        // An unreachable service leaves the conflict open: the player can choose again. Anything else has ended it.
        return client.conflict === conflict ? successOf(result).success : result.success || choice === 'cancel';
      },
      (isDone) => {
        // Whoever waited for the choice may have met the next conflict by now.
        if (this.open === conflict) this.open = null;
        void this.updateComplete.then(() => {
          if (!isDone) return;
          this.tell('savepoint-resolved', { choice, wasAsked: true, conflict } satisfies ConflictResolved);
          if (choice !== 'cancel') void this.#offerUndo(choice, conflict);
        });
        return undefined;
      },
    );
  }

  /** Offers what the choice has set aside, where it can be found out. */
  async #offerUndo(choice: ConflictChoice, { local, cloud }: Conflict): Promise<void> {
    const { player } = this;
    const userId = player?.auth.userId;
    const snapshots = (await player?.account.snapshots().catch(() => [])) ?? [];
    if (player !== this.player || userId !== player?.auth.userId) return;
    const sides = [
      { ...local, label: this.words.here },
      { ...cloud, label: this.words.there },
    ];
    const undoable = sides.flatMap(({ entries, userId: from, label }) => {
      const lost = snapshots.find(({ reason, fromUserId }) => reason === choice && fromUserId === from);
      // Of a side without anything nothing was set aside: what is found is older.
      return lost === undefined || entries === 0 ? [] : [{ id: lost.id, label }];
    });
    if (undoable.length === 0) return;
    this.undoable = undoable;
    this.said = this.words.chosen;
    await this.updateComplete;
    // The form that was sent may be gone by now. Whoever plays on already keeps the focus, in the
    // page around a frame too.
    if (document.hasFocus() && document.activeElement === document.body) this.focusSaid();
  }

  #restore(id: string): Promise<void> {
    return this.attempt(
      'undo',
      ({ account }) => account.restore(id),
      (entries) => {
        this.undoable = [];
        this.tell('savepoint-restored', { id, entries });
        return this.words.undone;
      },
    );
  }

  readonly #cancelled = (event: Event): void => {
    event.preventDefault();
    void this.#choose('cancel');
  };

  /** A browser closes a dialog for which Escape is pressed twice, whatever the page says. */
  readonly #closed = ({ target }: Event): void => {
    const dialog = target as HTMLDialogElement;
    // The event comes late: by then the dialog may be open for another conflict.
    if (this.open === null || dialog.open || !dialog.isConnected) return;
    if (this.busy) dialog.showModal();
    else void this.#choose('cancel');
  };
}

function stakesText({ ahead, diff }: Conflict, words: Texts): string {
  if (diff.length > 0 && diff.every(({ same }) => same)) return words.sameSaves;
  if (ahead === null) return words.bothPlayed;
  return ahead === 'cloud' ? words.thereAhead : words.hereAhead;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
