import type { SyncStatus } from 'savepoint';
import { element, say } from './page.js';
import type { Player } from './player.js';

export interface Sync {
  status: SyncStatus;
  network: 'on' | 'off';
  /** Whether the device's storage fails at present. */
  isStorageFailing: boolean;
  /** Whether this browser keeps nothing of a page that is closed. */
  isForgotten: boolean;
  /** Whether the service knows the player already; a first visit without a network waits for that. */
  hasAccount: boolean;
}

/** How the saves stand, in the player's words. */
export function syncText({ status, network, isStorageFailing, isForgotten, hasAccount }: Sync): {
  tone: SyncStatus;
  text: string;
} {
  const isOffline = network === 'off' || status === 'offline' || !hasAccount;
  if (status === 'conflict')
    return { tone: status, text: 'This save cannot be sent as it is. It stays on this device.' };
  if (status === 'unstored' || (isForgotten && isOffline) || (isStorageFailing && !hasAccount))
    return { tone: 'conflict', text: 'This device cannot keep it. Leave this page open.' };
  if (isStorageFailing && status !== 'synced')
    return { tone: 'offline', text: 'Sent when this device has room again.' };
  if (network === 'off') {
    const isOwed = status !== 'synced' || !hasAccount;
    return {
      tone: 'offline',
      text: isOwed ? 'Kept on this device, sent later.' : 'Play on: it is kept on this device.',
    };
  }
  if (isOffline) return { tone: 'offline', text: 'No connection. Kept on this device.' };
  return { tone: status, text: status === 'saving' ? 'Saving…' : 'All progress is saved.' };
}

/** Shows it, and says it aloud where it is news: that coins are on their way is none. */
export function createSyncLine(player: Player, network: () => 'on' | 'off'): { draw(isShown: boolean): void } {
  const line = element('save-state');
  const retry = element('save-now');
  retry.addEventListener('click', () => void player.setNetwork('on'));
  return {
    draw(isShown) {
      const sync = {
        status: player.profile.status,
        network: network(),
        isStorageFailing: player.storage.isFailing,
        isForgotten: player.storage.kind === 'memory',
        hasAccount: player.auth.userId !== null,
      };
      const { tone, text } = syncText(sync);
      line.hidden = !isShown;
      line.dataset['state'] = tone;
      say(line, text);
      if (tone !== 'saving') say(element('save-news'), isShown ? text : '');
      retry.hidden = !isShown || tone !== 'offline' || sync.network === 'off';
    },
  };
}
