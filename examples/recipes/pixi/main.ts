import { Application, Graphics, Text } from 'pixi.js';
import { openConflictDialogs } from '../conflict-dialog.js';
import { collectCoin, start, watchSave } from '../saves.js';

openConflictDialogs();
await start();

export const app = new Application();
await app.init({ width: 320, height: 240 });
document.body.append(app.canvas);

const coin = new Graphics().circle(160, 120, 40).fill(0xffcc00);
coin.eventMode = 'static';
coin.on('pointerdown', collectCoin);

export const label = new Text({ text: '', x: 10, y: 10, style: { fill: 0xffffff, fontSize: 16 } });
watchSave((coins, status) => {
  label.text = `${coins} coins, ${status}`;
});
app.stage.addChild(coin, label);
