import { AUTO, Game, Scene, Scenes } from 'phaser';
import { openConflictDialogs } from '../conflict-dialog.js';
import { collectCoin, start, watchSave } from '../saves.js';

class CoinScene extends Scene {
  create(): void {
    const label = this.add.text(10, 10, '');
    const coin = this.add.circle(160, 120, 40, 0xffcc00).setInteractive();
    coin.on('pointerdown', collectCoin);
    const end = watchSave((coins, status) => label.setText(`${coins} coins, ${status}`));
    // A scene that is started again watches again.
    this.events.once(Scenes.Events.SHUTDOWN, end);
  }
}

openConflictDialogs();
await start();
export const game = new Game({ type: AUTO, width: 320, height: 240, scene: CoinScene, banner: false });
