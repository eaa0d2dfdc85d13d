import type { Client } from 'savepoint';
import { defineElements } from 'savepoint/elements';

/**
 * How the save stands, who plays, and the dialog in which the player chooses where a name leads to another save. Gives
 * what takes it all away.
 */
export function showAccount(client: Client, place: HTMLElement): () => void {
  defineElements({ client });
  const sync = document.createElement('savepoint-sync');
  // What the service refuses can be tried again, or discarded.
  sync.collections = ['progress'];
  const account = document.createElement('savepoint-account');
  const history = document.createElement('savepoint-history');
  // It opens by itself. Nothing changes before the answer, and what loses is kept for 30 days.
  const conflict = document.createElement('savepoint-conflict');
  conflict.labels = { caught: 'Fireflies', best: 'Best visit' };
  // The meadow is dark, whatever the system prefers.
  for (const element of [sync, account, history, conflict]) element.setAttribute('scheme', 'dark');

  const details = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Account';
  const panel = document.createElement('div');
  panel.append(account, history);
  details.append(summary, panel);
  place.append(sync, details);
  document.body.append(conflict);
  return () => {
    for (const element of [sync, details, conflict]) element.remove();
  };
}
