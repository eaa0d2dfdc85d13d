import type { Conflict } from 'savepoint';
import { heldBy, type Side, warningFor } from './conflict-text.js';
import { element, say } from './page.js';
import type { Player } from './player.js';
import { ago, errorText, waysIn } from './texts.js';

type Choice = 'local' | 'cloud' | 'cancel';

export interface ConflictDialogOptions {
  /** The name that the player is signing in with. */
  name(): string;
  playing(): string;
  now(): number;
  onOpen(): void;
  onChosen(choice: Choice): void;
}

/**
 * Asks the player which save to go on with. Nothing changes before the answer: `conflict.resolve` carries it, and the
 * sign-in that raised the conflict settles with its outcome.
 */
export function listenForConflicts(player: Player, options: ConflictDialogOptions): void {
  const dialog = element<HTMLDialogElement>('conflict');
  const buttons: Record<Choice, HTMLButtonElement> = {
    local: element<HTMLButtonElement>('choose-local'),
    cloud: element<HTMLButtonElement>('choose-cloud'),
    cancel: element<HTMLButtonElement>('choose-cancel'),
  };
  let open: Conflict | null = null;

  function show(conflict: Conflict): void {
    open = conflict;
    const name = options.name();
    const sides = { local: conflict.local, cloud: conflict.cloud };
    say(
      element('conflict-intro'),
      `“${name}” already opens another save than the one on this device. Nothing has changed yet.`,
    );
    for (const choice of ['local', 'cloud'] as const) {
      element(`${choice}-facts`).replaceChildren(...facts(sides[choice]));
      say(element(`${choice}-warning`), warningFor(choice, sides, name));
    }
    say(element('conflict-error'), '');
    setBusy(false);
    options.onOpen();
    if (!dialog.open) dialog.showModal();
    dialog.focus();
  }

  function facts(side: Side): HTMLElement[] {
    const held = heldBy(side);
    const rows: [string, string][] = [
      ['Coins', String(held.coins)],
      ['Level', String(held.level)],
      ['Best flight', String(held.best)],
      ['Last played', side.changedAt === null ? 'never saved' : ago(side.changedAt, options.now())],
      ['Opened by', waysIn(side.methods)],
    ];
    return rows.map(([term, text]) => {
      const row = document.createElement('div');
      const dt = document.createElement('dt');
      const dd = document.createElement('dd');
      dt.textContent = term;
      dd.textContent = text;
      row.append(dt, dd);
      return row;
    });
  }

  async function choose(choice: Choice): Promise<void> {
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
    open = null;
    dialog.close();
    if (result.success || choice === 'cancel') options.onChosen(choice);
  }

  function setBusy(busy: boolean): void {
    dialog.setAttribute('aria-busy', String(busy));
    for (const button of Object.values(buttons)) button.disabled = busy;
  }

  for (const choice of ['local', 'cloud', 'cancel'] as const) {
    buttons[choice].addEventListener('click', () => void choose(choice));
  }
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault();
    if (!buttons.cancel.disabled) void choose('cancel');
  });

  player.events.on('conflict', show);
  // Signing out, or another tab, ends a conflict from outside.
  player.events.on('stateChanged', () => {
    if (open !== null && player.conflict === null && !buttons.cancel.disabled) {
      open = null;
      dialog.close();
    }
  });
  if (player.conflict !== null) show(player.conflict);
}
