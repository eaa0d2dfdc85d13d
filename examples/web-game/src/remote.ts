import type { Gains } from './game/progress.js';
import type { Player, Saves } from './player.js';

/** What the page with two devices asks of one of them. */
export type Order =
  | { order: 'seed'; gains: Gains }
  | { order: 'signIn'; name: string; password: string }
  /** Something happened on the other device: a game learns of that when it is looked at again, the page knows it now. */
  | { order: 'look' };

/** How a conflict went: a choice, or one that was undone. */
export type Happened = 'local' | 'cloud' | 'merge' | 'cancel' | 'undone';

/** What a device tells that page about itself. */
export interface Report {
  device: string;
  state: Player['auth']['state'];
  isReady: boolean;
  coins: number;
  level: number;
  userId: string | null;
  /** Whether the player is asked which save to go on with. */
  isChoosing: boolean;
  /** The last that happened to a conflict, null until there was one. */
  happened: Happened | null;
}

/** Lets two-devices.html play with this game. Without `?device=` nothing listens. */
export function obeyTwoDevices(
  device: string | null,
  game: { player: Player; saves: Saves; isChoosing(): boolean; isReady(): boolean; look(): void },
): { report(): void; happened(what: Happened): void } {
  const { player, saves } = game;
  let last: Happened | null = null;
  if (device === null || parent === window) return { report() {}, happened() {} };

  function report(): void {
    const { coins, level } = saves.progress;
    const { state, userId } = player.auth;
    const isChoosing = game.isChoosing();
    const isReady = game.isReady();
    const news: Report = { device: device ?? '', state, isReady, coins, level, userId, isChoosing, happened: last };
    parent.postMessage(news, location.origin);
  }

  addEventListener('message', (event: MessageEvent<Order>) => {
    if (event.origin !== location.origin || event.source !== parent) return;
    const order = event.data;
    if (order.order === 'seed') saves.add(order.gains);
    else if (order.order === 'signIn') void player.auth.withName(order.name, order.password);
    else game.look();
  });

  return {
    report,
    happened(what) {
      last = what;
      report();
    },
  };
}
