import '@babylonjs/core/Materials/standardMaterial.js'; // what a mesh without a material of its own is drawn with
import '@babylonjs/core/Culling/ray.js'; // lets a scene be picked in
import { FreeCamera } from '@babylonjs/core/Cameras/freeCamera.js';
import { Engine } from '@babylonjs/core/Engines/engine.js';
import { HemisphericLight } from '@babylonjs/core/Lights/hemisphericLight.js';
import { Vector3 } from '@babylonjs/core/Maths/math.vector.js';
import { CreateCylinder } from '@babylonjs/core/Meshes/Builders/cylinderBuilder.js';
import { Scene } from '@babylonjs/core/scene.js';
import { openConflictDialogs } from '../conflict-dialog.js';
import { collectCoin, start, watchSave } from '../saves.js';

openConflictDialogs();
await start();

const canvas = document.createElement('canvas');
[canvas.width, canvas.height] = [320, 240];
const label = document.createElement('p');
document.body.append(canvas, label);

const engine = new Engine(canvas);
const scene = new Scene(engine);
new FreeCamera('camera', new Vector3(0, 0, -3), scene);
new HemisphericLight('light', new Vector3(1, 1, -1), scene);
const coin = CreateCylinder('coin', { diameter: 2, height: 0.2 }, scene);
coin.rotation.x = Math.PI / 3;

scene.onPointerDown = (_, { pickedMesh }) => {
  if (pickedMesh === coin) collectCoin();
};

watchSave((coins, status) => {
  label.textContent = `${coins} coins, ${status}`;
});
engine.runRenderLoop(() => {
  coin.rotation.y += 0.02;
  scene.render();
});
