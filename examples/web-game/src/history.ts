import type { Conflict, SnapshotSummary } from 'savepoint';
import type { Choice } from './conflict-dialog.js';
import { heldText } from './conflict-text.js';
import { element, say } from './page.js';
import type { Player } from './player.js';
import { type Contents, createSnapshotContents } from './snapshot-contents.js';
import { ago, errorText } from './texts.js';

export interface History {
  /** After a choice: what it set aside, each with a button that brings it back. */
  offerUndo(choice: Choice, conflict: Conflict): Promise<void>;
  /** Says something in the place of what was said before. */
  notice(text: string): void;
  /** The list may be another one now. */
  refresh(): void;
}

/** What lost to a choice or a merge is kept at the service for 30 days: it can all be brought back. */
export function createHistory(player: Player, on: { restored(): void }): History {
  const details = element<HTMLDetailsElement>('history');
  const contents = createSnapshotContents(player);

  function notice(text: string, actions: HTMLButtonElement[] = []): void {
    say(element('notice-text'), text);
    element('notice-actions').replaceChildren(...actions);
  }

  function undoButton(label: string, id: string): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'quiet';
    button.textContent = label;
    button.addEventListener('click', () => void restore(id));
    return button;
  }

  async function restore(id: string): Promise<void> {
    for (const button of document.querySelectorAll<HTMLButtonElement>('#notice button, #history button')) {
      button.disabled = true;
    }
    try {
      await player.account.restore(id);
      notice('It is back as it was. What it replaced is in the history.');
      on.restored();
    } catch (error) {
      notice(errorText(error, 'the save is as before'));
    }
    await list();
  }

  async function list(): Promise<void> {
    if (!details.open) return;
    const owner = player.auth.userId;
    try {
      const snapshots = await player.account.snapshots();
      const held = await contents.of(snapshots.map(({ id }) => id));
      if (owner !== player.auth.userId) return;
      say(element('history-note'), snapshots.length === 0 ? 'Nothing was set aside yet.' : 'Kept for 30 days.');
      element('history-list').replaceChildren(...snapshots.map((snapshot) => row(snapshot, held)));
    } catch (error) {
      say(element('history-note'), errorText(error, 'the save is as before'));
      element('history-list').replaceChildren();
    }
  }

  function row(snapshot: SnapshotSummary, held: Contents): HTMLLIElement {
    const item = document.createElement('li');
    const text = document.createElement('p');
    const what = document.createElement('strong');
    what.textContent = held.get(snapshot.id) ?? (snapshot.entries === 1 ? '1 entry' : `${snapshot.entries} entries`);
    const why = document.createElement('span');
    why.textContent = `${whatItWas(snapshot, player.auth.userId)}, ${ago(snapshot.createdAt, player.serverTime())}`;
    text.append(what, why);
    const button = undoButton('Restore', snapshot.id);
    button.setAttribute('aria-label', `Restore ${what.textContent}: ${why.textContent}`);
    item.append(text, button);
    return item;
  }

  details.addEventListener('toggle', () => void list());

  return {
    notice,
    refresh: () => void list(),
    async offerUndo(choice, conflict) {
      const { local, cloud } = conflict;
      const done = {
        local: `This device’s progress is kept. Set aside: the saved game (${heldText(cloud)}).`,
        cloud: `The saved game goes on. Set aside: this device’s progress (${heldText(local)}).`,
        merge: 'Both saves are one now. Undo, and go back to:',
      }[choice];
      notice(done);
      void list();
      const snapshots = await player.account.snapshots().catch(() => []);
      const set = choice === 'local' ? [cloud] : choice === 'cloud' ? [local] : [local, cloud];
      const actions = set.flatMap((side) => {
        const kept = snapshots.find(({ reason, fromUserId }) => reason === choice && fromUserId === side.userId);
        if (kept === undefined) return [];
        return [undoButton(choice === 'merge' ? heldText(side) : 'Undo', kept.id)];
      });
      notice(done, actions);
    },
  };
}

/** What a snapshot is, by what it lost to. */
function whatItWas({ reason, fromUserId }: SnapshotSummary, userId: string | null): string {
  switch (reason) {
    case 'local':
    case 'cloud':
      return 'Not chosen';
    case 'merge':
      return fromUserId === userId ? 'This save before a merge' : 'The other save before a merge';
    case 'restore':
      return 'Replaced by a restore';
    default:
      return 'Overwritten';
  }
}
