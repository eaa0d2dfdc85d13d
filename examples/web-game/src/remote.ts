import type { Account } from './account.js';
import type { AccountPanel } from './account-panel.js';
import type { Gains } from './game/progress.js';
import type { Player } from './player.js';
import type { Saves } from './saves.js';

/** What the page with two devices asks of one of them. */
export type Order =
  | { order: 'seed'; gains: Gains }
  | { order: 'signIn'; name: string; password: string }
  /** Another device has taken the name: the SDK here learns it when it next renews its session, the page knows it now. */
  | { order: 'nameLost' };

/** What a device tells that page about itself. */
export interface Report {
  device: string;
  state: Account['state'];
  isLoaded: boolean;
  coins: number;
  level: number;
  userId: string | null;
  /** The last choice in a conflict, null until there was one. */
  choice: 'local' | 'cloud' | 'cancel' | null;
}

/** Lets two-devices.html press this game's own buttons. Without `?device=` nothing listens. */
export function obeyTwoDevices(
  device: string | null,
  parts: { account: Account; saves: Saves; panel: AccountPanel; player: Player },
): { report(): void; chosen(choice: 'local' | 'cloud' | 'cancel'): void } {
  const { account, saves, panel } = parts;
  let choice: Report['choice'] = null;
  if (device === null || parent === window) return { report() {}, chosen() {} };

  function report(): void {
    const { coins, level } = saves.progress;
    const news: Report = {
      device: device ?? '',
      state: account.state,
      isLoaded: saves.state === 'saved',
      coins,
      level,
      userId: account.userId,
      choice,
    };
    parent.postMessage(news, location.origin);
  }

  addEventListener('message', (event: MessageEvent<Order>) => {
    if (event.origin !== location.origin || event.source !== parent) return;
    const order = event.data;
    if (order.order === 'seed') {
      saves.add(order.gains);
      void saves.save();
    } else if (order.order === 'signIn') {
      panel.signIn(order.name, order.password);
    } else if (order.order === 'nameLost') {
      account.forgetName();
      panel.draw();
    }
  });

  return {
    report,
    chosen(made) {
      choice = made;
      report();
    },
  };
}
