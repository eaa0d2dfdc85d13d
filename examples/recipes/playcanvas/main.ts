import {
  Application,
  BoundingSphere,
  Color,
  Entity,
  EVENT_MOUSEDOWN,
  FILLMODE_NONE,
  Mouse,
  type MouseEvent,
  Ray,
  RESOLUTION_FIXED,
} from 'playcanvas';
import { openConflictDialogs } from '../conflict-dialog.js';
import { collectCoin, start, watchSave } from '../saves.js';

openConflictDialogs();
await start();

const canvas = document.createElement('canvas');
const label = document.createElement('p');
document.body.append(canvas, label);
const mouse = new Mouse(canvas);
const app = new Application(canvas, { mouse });
app.setCanvasFillMode(FILLMODE_NONE, 320, 240);
app.setCanvasResolution(RESOLUTION_FIXED, 320, 240);
app.scene.ambientLight = new Color(0.5, 0.5, 0.5);
app.start();

const camera = new Entity('camera');
camera.addComponent('camera', { clearColor: new Color(0.1, 0.1, 0.2) });
camera.setPosition(0, 0, 3);
const light = new Entity('light');
light.addComponent('light', { type: 'directional' });
light.setEulerAngles(45, 30, 0);
const coin = new Entity('coin');
coin.addComponent('render', { type: 'cylinder' });
coin.setLocalScale(2, 0.2, 2);
coin.setEulerAngles(60, 0, 0);
for (const entity of [camera, light, coin]) app.root.addChild(entity);

mouse.on(EVENT_MOUSEDOWN, ({ x, y }: MouseEvent) => {
  const lens = camera.camera;
  if (lens === undefined) return;
  const from = camera.getPosition();
  const ray = new Ray(from, lens.screenToWorld(x, y, lens.farClip).sub(from).normalize());
  if (new BoundingSphere(coin.getPosition(), 1).intersectsRay(ray)) collectCoin();
});

watchSave((coins, status) => {
  label.textContent = `${coins} coins, ${status}`;
});
app.on('update', (seconds: number) => coin.rotate(0, 60 * seconds, 0));
