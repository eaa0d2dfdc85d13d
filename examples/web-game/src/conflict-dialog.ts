import type { Conflict } from 'savepoint';
import { areBothEmpty, compare, type Row, stakes } from './conflict-text.js';
import { element, say } from './page.js';
import type { Player } from './player.js';
import { errorText } from './texts.js';

const choices = ['local', 'cloud', 'merge'] as const;

export type Choice = (typeof choices)[number];

export interface ConflictDialogOptions {
  /** The name that the player is signing in with; empty where the page was loaded since. */
  name(): string;
  playing(): string;
  /** The dialog was opened, or closed. */
  onToggle(isOpen: boolean): void;
  onChosen(choice: Choice, conflict: Conflict): void;
  /** Two empty saves are no choice: the player goes on with the one that the name opens. */
  onSettled(name: string): void;
  onCancel(): void;
}

/**
 * Asks the player which save to go on with, unless both are empty. Nothing changes before the answer: `conflict.resolve`
 * carries it, and the sign-in that raised the conflict settles with its outcome.
 */
export function listenForConflicts(player: Player, options: ConflictDialogOptions): void {
  const dialog = element<HTMLDialogElement>('conflict');
  const buttonFor = (choice: Choice | 'cancel') => element<HTMLButtonElement>(`choose-${choice}`);
  let open: Conflict | null = null;

  function show(conflict: Conflict): void {
    open = conflict;
    const { ahead, mergeable } = conflict;
    say(
      element('conflict-intro'),
      `${shownName()} already opens another save than the one on this device. Nothing has changed yet.`,
    );
    element('conflict-rows').replaceChildren(...compare(conflict, player.serverTime()).map(rowOf));
    say(element('conflict-stakes'), stakes(conflict));
    // Where one side has all of the other, a merge is nothing but that side.
    element('merge-option').hidden = !mergeable || ahead !== null;
    const best = ahead ?? (mergeable ? 'merge' : null);
    for (const choice of choices) buttonFor(choice).classList.toggle('primary', best === null || best === choice);
    say(element('conflict-error'), '');
    setBusy(false);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    dialog.focus();
    options.onToggle(true);
  }

  const shownName = (): string => (options.name() === '' ? 'The name' : `“${options.name()}”`);

  async function settle(conflict: Conflict): Promise<void> {
    const result = await conflict.resolve('cloud');
    if (result.success) return options.onSettled(shownName());
    // Still open, because the service cannot be reached: the player can try again, or put it off.
    if (player.conflict === null) return;
    show(conflict);
    say(element('conflict-error'), errorText(result.error, options.playing()));
  }

  async function choose(choice: Choice | 'cancel'): Promise<void> {
    const conflict = open;
    if (conflict === null) return;
    setBusy(true);
    say(element('conflict-error'), '');
    const result = await conflict.resolve(choice);
    setBusy(false);
    // An unreachable service leaves the conflict open: the player can choose again.
    if (player.conflict !== null && !result.success) {
      say(element('conflict-error'), errorText(result.error, options.playing()));
      return;
    }
    close();
    if (choice === 'cancel') return options.onCancel();
    if (!result.success) return;
    options.onChosen(choice, conflict);
    // The form that was sent goes away, so the focus comes back to what it led to; the undo is next to it.
    element('notice').focus();
  }

  function close(): void {
    open = null;
    dialog.close();
    options.onToggle(false);
  }

  function setBusy(busy: boolean): void {
    dialog.setAttribute('aria-busy', String(busy));
    for (const choice of [...choices, 'cancel'] as const) buttonFor(choice).disabled = busy;
  }

  for (const choice of [...choices, 'cancel'] as const) {
    buttonFor(choice).addEventListener('click', () => void choose(choice));
  }
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (!buttonFor('cancel').disabled) void choose('cancel');
  });

  player.events.on('conflict', (conflict) => {
    if (areBothEmpty(conflict)) void settle(conflict);
    else show(conflict);
  });
  // Signing out, or another tab, ends a conflict from outside.
  player.events.on('stateChanged', () => {
    if (open !== null && player.conflict === null && !buttonFor('cancel').disabled) close();
  });
}

function rowOf({ what, local, cloud, more }: Row): HTMLTableRowElement {
  const row = document.createElement('tr');
  const head = document.createElement('th');
  head.scope = 'row';
  head.textContent = what;
  const cells = (['local', 'cloud'] as const).map((side) => {
    const cell = document.createElement('td');
    cell.textContent = side === 'local' ? local : cloud;
    cell.classList.toggle('more', more === side);
    return cell;
  });
  row.append(head, ...cells);
  return row;
}
