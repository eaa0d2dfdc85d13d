import type { Conflict } from 'savepoint';
import { compare, type Row, stakes } from './conflict-text.js';
import { element, say } from './page.js';
import type { Player } from './player.js';
import { errorText } from './texts.js';

const choices = ['local', 'cloud', 'merge'] as const;

export type Choice = (typeof choices)[number];

export interface ConflictDialogOptions {
  /** The name that the player is signing in with; empty where the page was loaded since. */
  name(): string;
  playing(): string;
  onOpen(): void;
  onChosen(choice: Choice, conflict: Conflict): void;
  onCancel(): void;
}

/**
 * Asks the player which save to go on with. Nothing changes before the answer: `conflict.resolve` carries it, and the
 * sign-in that raised the conflict settles with its outcome.
 */
export function listenForConflicts(player: Player, options: ConflictDialogOptions): void {
  const dialog = element<HTMLDialogElement>('conflict');
  const buttonFor = (choice: Choice | 'cancel') => element<HTMLButtonElement>(`choose-${choice}`);
  let open: Conflict | null = null;

  function show(conflict: Conflict): void {
    open = conflict;
    const { ahead, mergeable } = conflict;
    const name = options.name() === '' ? 'The name' : `“${options.name()}”`;
    say(
      element('conflict-intro'),
      `${name} already opens another save than the one on this device. Nothing has changed yet.`,
    );
    element('conflict-rows').replaceChildren(...compare(conflict, player.serverTime()).map(rowOf));
    say(element('conflict-stakes'), stakes(conflict));
    // Where one side has all of the other, a merge is nothing but that side.
    element('merge-option').hidden = !mergeable || ahead !== null;
    const best = ahead ?? (mergeable ? 'merge' : null);
    for (const choice of choices) buttonFor(choice).classList.toggle('primary', best === null || best === choice);
    say(element('conflict-error'), '');
    setBusy(false);
    options.onOpen();
    if (!dialog.open) dialog.showModal();
    dialog.focus();
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
    if (choice === 'cancel') options.onCancel();
    else if (result.success) options.onChosen(choice, conflict);
  }

  function close(): void {
    open = null;
    dialog.close();
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

  player.events.on('conflict', show);
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
