import { type ConflictResolved, defineElements } from 'savepoint/elements';
import { element, say } from './page.js';
import type { Player } from './player.js';
import type { Happened } from './remote.js';
import { describeSnapshot, fieldLabels, isEmpty } from './saves-in-words.js';

export interface AccountParts {
  /** Whether the player is asked which save to go on with. */
  readonly isChoosing: boolean;
  draw(isReady: boolean): void;
  /** What leads to the account, and its history, may be others now. */
  look(): void;
}

/** The account, the status of the saves, the dialog and the history: the ready-made elements, with this game's words. */
export function createAccountParts(
  player: Player,
  on: { toggled(isOpen: boolean): void; happened(what: Happened): void },
): AccountParts {
  defineElements({ client: player });
  const account = element<HTMLElementTagNameMap['savepoint-account']>('account');
  const conflict = element<HTMLElementTagNameMap['savepoint-conflict']>('conflict');
  const history = element<HTMLElementTagNameMap['savepoint-history']>('snapshots');
  const details = element<HTMLDetailsElement>('history');
  conflict.labels = fieldLabels;
  conflict.isEmpty = isEmpty;
  history.describe = describeSnapshot;

  conflict.addEventListener('savepoint-open', () => on.toggled(true));
  conflict.addEventListener('savepoint-close', () => on.toggled(false));
  conflict.addEventListener('savepoint-resolved', (event) => {
    const { choice, wasAsked } = (event as CustomEvent<ConflictResolved>).detail;
    if (!wasAsked) {
      say(element('notice'), 'The name opens another save, as empty as the one here: you play that one now.');
      return;
    }
    on.happened(choice);
    if (choice !== 'cancel' && details.open) void history.refresh();
  });
  // The dialog offers to take a choice back, and the history all that was ever set aside.
  conflict.addEventListener('savepoint-restored', () => {
    on.happened('undone');
    if (details.open) void history.refresh();
  });
  history.addEventListener('savepoint-restored', () => on.happened('undone'));

  return {
    get isChoosing() {
      return conflict.isOpen;
    },
    draw(isReady) {
      const { userId } = player.auth;
      // The start of a user's id is enough to tell two players apart.
      say(element('player-id'), userId === null ? '' : `id ${userId.slice(0, 8)}`);
      details.hidden = userId === null || !isReady;
    },
    look() {
      void account.refresh();
      if (details.open) void history.refresh();
    },
  };
}
