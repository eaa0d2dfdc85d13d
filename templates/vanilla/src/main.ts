import './style.css';
import { showAccount } from './account';
import { levelOf, meadow, newFirefly, newGame } from './game';
import { openSaves } from './saves';

const place = document.querySelector('#meadow') as HTMLElement;
const score = document.querySelector('#score') as HTMLOutputElement;
const canvas = document.createElement('canvas');
canvas.tabIndex = 0;
canvas.setAttribute('aria-label', 'A meadow with fireflies. The space bar catches one.');
place.append(canvas);

const saves = openSaves();
const fireflies = [...meadow];
const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;

function drawScore(): void {
  const save = saves.progress.get('main') ?? newGame;
  score.textContent = `Level ${levelOf(save)} · ${save.caught} caught · best visit ${save.best}`;
}

function catchAt(index: number): void {
  const firefly = fireflies[index];
  if (firefly === undefined) return;
  fireflies[index] = newFirefly(firefly.id);
  void saves.catchOne();
}

canvas.addEventListener('pointerdown', ({ offsetX, offsetY }) => {
  catchAt(fireflies.findIndex(({ x, y }) => Math.hypot(x * canvas.width - offsetX, y * canvas.height - offsetY) < 28));
});
canvas.addEventListener('keydown', ({ key }) => {
  if (key === ' ') catchAt(0);
});

function draw(time: number): void {
  const context = canvas.getContext('2d');
  if (canvas.width !== place.clientWidth || canvas.height !== place.clientHeight) {
    canvas.width = place.clientWidth;
    canvas.height = place.clientHeight;
  }
  if (context !== null) {
    context.clearRect(0, 0, canvas.width, canvas.height);
    for (const { id, x, y } of fireflies) {
      const glow = isCalm ? 10 : 9 + 3 * Math.sin(time / 400 + id);
      context.fillStyle = '#fff3a0';
      context.shadowColor = '#ffe94d';
      context.shadowBlur = glow * 2;
      context.beginPath();
      context.arc(x * canvas.width, y * canvas.height, glow / 2, 0, 2 * Math.PI);
      context.fill();
    }
  }
  requestAnimationFrame(draw);
}

// A player's data is there: at the start, and after every change of account.
saves.client.events.on('initialized', () => {
  // Without a network, the copy on this device has to do.
  void saves.progress.load().catch(() => {});
  drawScore();
});
saves.progress.onChange(drawScore);
showAccount(saves.client, document.querySelector('#account') as HTMLElement);
requestAnimationFrame(draw);
await saves.client.init();
drawScore();
