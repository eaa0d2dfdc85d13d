import type { Notes } from './notes.js';
import { element, say } from './page.js';
import type { Player } from './player.js';

type Network = 'on' | 'off';

/** How the switch was left: a reload keeps it. */
export function readNetwork(notes: Notes): Network {
  return notes.get('network') === 'off' ? 'off' : 'on';
}

/** The switch by which a visitor takes the network away from the game; all tabs follow it. */
export function createNetworkSwitch(player: Player, notes: Notes, onChange: () => void): void {
  const button = element<HTMLButtonElement>('network');
  let network = readNetwork(notes);

  function set(next: Network): void {
    network = next;
    button.setAttribute('aria-checked', String(next === 'on'));
    say(element('network-word'), next);
    void player.setNetwork(next).then(onChange);
    onChange();
  }

  button.addEventListener('click', () => {
    notes.set('network', network === 'on' ? 'off' : 'on');
    set(readNetwork(notes));
  });
  notes.onChange('network', () => set(readNetwork(notes)));
  button.setAttribute('aria-checked', String(network === 'on'));
  say(element('network-word'), network);
}
