import {
  CylinderGeometry,
  Mesh,
  MeshNormalMaterial,
  PerspectiveCamera,
  Raycaster,
  Scene,
  Vector2,
  WebGLRenderer,
} from 'three';
import { openConflictDialogs } from '../conflict-dialog.js';
import { collectCoin, start, watchSave } from '../saves.js';

openConflictDialogs();
await start();

const [width, height] = [320, 240];
const renderer = new WebGLRenderer();
renderer.setSize(width, height);
const label = document.createElement('p');
document.body.append(renderer.domElement, label);

const scene = new Scene();
const camera = new PerspectiveCamera(60, width / height);
camera.position.z = 3;
const coin = new Mesh(new CylinderGeometry(1, 1, 0.2, 24), new MeshNormalMaterial());
coin.rotation.x = Math.PI / 3;
scene.add(coin);

const ray = new Raycaster();
renderer.domElement.addEventListener('pointerdown', ({ offsetX, offsetY }) => {
  ray.setFromCamera(new Vector2((offsetX / width) * 2 - 1, 1 - (offsetY / height) * 2), camera);
  if (ray.intersectObject(coin).length > 0) collectCoin();
});

watchSave((coins, status) => {
  label.textContent = `${coins} coins, ${status}`;
});
renderer.setAnimationLoop(() => {
  coin.rotation.y += 0.02;
  renderer.render(scene, camera);
});
