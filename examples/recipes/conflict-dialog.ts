// The dialog is the page's, over the canvas: a browser reads it out, and keys and fingers work in it as everywhere.
import type { Conflict } from 'savepoint';
import { client } from './saves.js';

/** From now on the player is asked whenever a name that is linked belongs to another account. */
export function openConflictDialogs(): () => void {
  return client.events.on('conflict', openConflictDialog);
}

function openConflictDialog(conflict: Conflict): void {
  const dialog = document.createElement('dialog');
  const failure = document.createElement('p');
  const addChoice = (choice: Parameters<Conflict['resolve']>[0], text: string): void => {
    const button = document.createElement('button');
    button.textContent = text;
    button.onclick = async () => {
      const result = await conflict.resolve(choice);
      // Without a network, for example, the conflict is still open.
      if (!result.success) failure.textContent = `That did not work: ${result.error.code}`;
    };
    dialog.append(button);
  };
  addChoice('local', `Keep this device's saves (${conflict.local.entries})`);
  addChoice('cloud', `Take the account's saves (${conflict.cloud.entries})`);
  if (conflict.mergeable) addChoice('merge', 'Merge both');
  addChoice('cancel', 'Not now');
  dialog.append(failure);
  dialog.oncancel = (event) => event.preventDefault();

  // It may also end by itself: in another tab, or because its time is over.
  const end = client.events.on('stateChanged', () => {
    if (client.conflict === conflict) return;
    end();
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
