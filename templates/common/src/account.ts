import type { Client } from 'savepoint';
import { defineElements } from 'savepoint/elements';

/** How the save stands, who plays, and the dialog in which the player chooses where a name leads to another save. */
export function showAccount(client: Client, place: HTMLElement): void {
  defineElements({ client });
  const sync = document.createElement('savepoint-sync');
  const panel = document.createElement('details');
  const title = document.createElement('summary');
  title.textContent = 'Account';
  panel.append(title, document.createElement('savepoint-account'), document.createElement('savepoint-history'));
  place.append(sync, panel);

  // It opens by itself. Nothing changes before the answer, and what loses is kept for 30 days.
  const conflict = document.createElement('savepoint-conflict');
  conflict.labels = { caught: 'Fireflies', best: 'Best visit' };
  document.body.append(conflict);
}
