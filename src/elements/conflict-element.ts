import type { Conflict } from '../client/auth/conflict.js';
import type { Client } from '../client/create-client.js';
import type { ConflictChoice, ConflictSide, ShownField } from '../protocol/conflict.js';
import { conflictStyles } from './conflict-styles.js';
import { agoText, sizeText, valueText } from './format.js';
import { html, type Template } from './html.js';
import { button, errorLine, methodName, type Shown } from './parts.js';
import { type ElementProperties, SavepointElement, successOf } from './savepoint-element.js';
import { styles } from './styles.js';
import type { Texts } from './texts/texts.js';

/**
 * `<savepoint-conflict>`: a dialog that opens by itself when the player has to choose between two saves, and while one is open
 * from an earlier page. Put one into each page that signs players in.
 */
export interface ConflictElement extends HTMLElement, ElementProperties {
  /** Names for the fields of `conflictFields`, by the field: `{ coins: 'Coins' }`. Default: the field's own path. */
  labels: { readonly [field: string]: string };
  /**
   * Whether a side has nothing that its player could miss. Two such sides are no choice: the element takes the saved game
   * without asking. Default: a side without entries.
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
  static override readonly reactive = [...SavepointElement.reactive, 'labels', 'isEmpty', 'open'];
  static override readonly styles = styles + conflictStyles;

  declare labels: ConflictElement['labels'];
  declare isEmpty: ConflictElement['isEmpty'];
  /** The conflict that the player is asked about. */
  declare private open: Conflict | null;

  constructor() {
    super();
    this.labels = {};
    this.isEmpty = ({ entries }) => entries === 0;
  }

  get isOpen(): boolean {
    return this.open !== null;
  }

  override goBack(): void {
    void this.choose('cancel');
  }

  protected override subscribe(client: Client): (() => void)[] {
    if (client.conflict !== null) void this.meet(client, client.conflict);
    return [
      client.events.on('conflict', (conflict) => void this.meet(client, conflict)),
      // Signing out, or another tab, ends a conflict from outside.
      client.events.on('stateChanged', () => {
        if (client.conflict === null && !this.busy) this.open = null;
      }),
    ];
  }

  protected override reset(): void {
    super.reset();
    this.open = null;
  }

  protected override updated(): void {
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog === null) return;
    if (this.open !== null && !dialog.open) {
      dialog.showModal();
      // Nothing is pressed by the key that is still held, and what is read first is the question.
      dialog.querySelector<HTMLElement>('h2')?.focus();
      dialog.scrollTop = 0;
      this.tell('savepoint-open', { conflict: this.open });
    } else if (this.open === null && dialog.open) {
      dialog.close();
      this.tell('savepoint-close', null);
    }
  }

  protected override render(): Template {
    const { words, open } = this;
    return html`<dialog
      part="dialog"
      aria-labelledby="title"
      aria-describedby="note stakes"
      aria-busy=${this.busy}
      @cancel=${this.cancelled}
      @close=${this.closed}
    >${open === null ? null : this.renderConflict(open, words)}</dialog>`;
  }

  private renderConflict(conflict: Conflict, words: Texts): Template {
    const { ahead, mergeable } = conflict;
    // Where one side has all of the other, a merge is nothing but that side.
    const canMerge = mergeable && ahead === null;
    const best: ConflictChoice | null = ahead ?? (canMerge ? 'merge' : null);
    const option = (choice: ConflictChoice, part: string, label: string, note: string): Template =>
      html`<div class="option">
        ${button(this, part, label, () => void this.choose(choice), best === null || best === choice ? 'primary' : '')}
        <p class="note">${note}</p>
      </div>`;
    return html`<div class="stack">
      <h2 part="title" id="title" tabindex="-1">${words.conflictTitle}</h2>
      <p part="note" class="note" id="note">${words.conflictNote}</p>
      <table part="table">
        <thead><tr><td></td><th scope="col">${words.here}</th><th scope="col">${words.there}</th></tr></thead>
        <tbody>${this.renderRows(conflict, words)}</tbody>
      </table>
      <p part="stakes" class="note" id="stakes">${stakesText(conflict, words)}</p>
      ${this.renderDifferences(conflict, words)}
      <div class="options" part="options">
        ${option('local', 'keep', words.keep, words.keepNote)} ${option('cloud', 'take', words.take, words.takeNote)}
        ${canMerge ? option('merge', 'merge', words.merge, words.mergeNote) : null}
      </div>
      ${errorLine(this, 'choice')}
      <div class="foot">
        <p class="note">${words.undoable}</p>
        ${button(this, 'later', words.later, () => void this.choose('cancel'))}
      </div>
    </div>`;
  }

  private renderRows({ local, cloud }: Conflict, words: Texts): Template[] {
    const { language } = words;
    const row = (label: string, here: string, there: string, more = 0): Template => html`<tr>
      <th scope="row">${label}</th>
      <td class=${more > 0 ? 'more' : ''}>${here}</td>
      <td class=${more < 0 ? 'more' : ''}>${there}</td>
    </tr>`;
    const fields = local.fields.map((mine, index) => {
      const theirs = cloud.fields[index];
      const label = this.labels[mine.field] ?? mine.field;
      return row(label, valueText(language, mine.value), valueText(language, theirs?.value), compare(mine, theirs));
    });
    const now = this.player?.serverTime() ?? 0;
    const both = (label: string, text: (side: ConflictSide) => string): Template =>
      row(label, text(local), text(cloud));
    return [
      ...fields,
      both(words.lastPlayed, ({ changedAt }) => (changedAt === null ? words.never : agoText(language, changedAt, now))),
      both(words.openedBy, ({ methods }) => methods.map((name) => methodName(words, name)).join(', ') || '–'),
      both(words.holds, ({ entries, bytes }) => `${words.entries(entries)}, ${sizeText(language, bytes)}`),
    ];
  }

  private renderDifferences({ diff }: Conflict, words: Texts): Shown {
    const { language } = words;
    const differing = diff.filter(({ same }) => !same);
    if (differing.length === 0) return null;
    const held = (side: { bytes: number } | null): string => (side === null ? '–' : sizeText(language, side.bytes));
    return html`<details part="differences">
      <summary>${words.differences(differing.length)}</summary>
      <ul>${differing.map(
        ({ collection, key, local, cloud }) =>
          html`<li><div><strong>${collection}/${key}</strong><span class="note">
            ${words.here}: ${held(local)} · ${words.there}: ${held(cloud)}</span></div></li>`,
      )}</ul>
    </details>`;
  }

  /** Asks the player, unless there is nothing to choose from. */
  private async meet(client: Client, conflict: Conflict): Promise<void> {
    if (!this.isNothing(conflict)) {
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
      this.problem = { at: 'choice', text: this.errorText(result.error) };
    }
  }

  private isNothing({ local, cloud }: Conflict): boolean {
    try {
      return this.isEmpty(local) && this.isEmpty(cloud);
    } catch (error) {
      reportError(error);
      return false;
    }
  }

  private async choose(choice: ConflictChoice | 'cancel'): Promise<void> {
    const conflict = this.open;
    if (conflict === null || this.busy) return;
    const done = await this.attempt('choice', async (client) => {
      const result = await conflict.resolve(choice);
      // An unreachable service leaves the conflict open: the player can choose again. Anything else has ended it.
      if (client.conflict === conflict) successOf(result);
      return result.success || choice === 'cancel';
    });
    if (done === undefined) return;
    // Whoever waited for the choice may have met the next conflict by now.
    if (this.open === conflict) this.open = null;
    await this.updateComplete;
    if (done) this.tell('savepoint-resolved', { choice, wasAsked: true, conflict } satisfies ConflictResolved);
  }

  private readonly cancelled = (event: Event): void => {
    event.preventDefault();
    void this.choose('cancel');
  };

  /** A browser closes a dialog for which Escape is pressed twice, whatever the page says. */
  private readonly closed = ({ target }: Event): void => {
    const dialog = target as HTMLDialogElement;
    // The event comes late: by then the dialog may be open for another conflict.
    if (this.open === null || dialog.open) return;
    if (this.busy) dialog.showModal();
    else void this.choose('cancel');
  };
}

function stakesText({ ahead, diff }: Conflict, words: Texts): string {
  if (diff.length > 0 && diff.every(({ same }) => same)) return words.sameSaves;
  if (ahead === null) return words.bothPlayed;
  return ahead === 'cloud' ? words.thereAhead : words.hereAhead;
}

/** Above 0 where this device got further, below it where the other did. */
function compare({ value: mine }: ShownField, theirs: ShownField | undefined): number {
  const [here, there] = [mine, theirs?.value].map((value) => (typeof value === 'number' ? value : 0)) as [
    number,
    number,
  ];
  return here - there;
}
