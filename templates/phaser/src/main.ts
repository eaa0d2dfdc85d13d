import './style.css';
import { AUTO, Game, Scale, Scene } from 'phaser';
import { showAccount } from './account';
import { levelOf, meadow, newFirefly, newGame } from './game';
import { openSaves } from './saves';

const place = document.querySelector('#meadow') as HTMLElement;
const score = document.querySelector('#score') as HTMLOutputElement;
const saves = openSaves();

function drawScore(): void {
  const save = saves.progress.get('main') ?? newGame;
  score.textContent = `Level ${levelOf(save)} · ${save.caught} caught · best visit ${save.best}`;
}

class Meadow extends Scene {
  create(): void {
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const fireflies = meadow.map((first) => {
      const { id } = first;
      let at = first;
      const light = this.add.circle(0, 0, 9, 0xfff3a0).setInteractive();
      const move = (): void => void light.setPosition(at.x * this.scale.width, at.y * this.scale.height);
      const caught = (): void => {
        at = newFirefly(id);
        move();
        void saves.catchOne();
      };
      move();
      this.scale.on('resize', move);
      light.on('pointerdown', caught);
      if (!isCalm) this.tweens.add({ targets: light, alpha: 0.5, duration: 900 + id * 90, yoyo: true, repeat: -1 });
      return caught;
    });
    // Phaser's own keyboard handles a key once more where it is pressed twice within a frame.
    this.game.canvas.addEventListener('keydown', ({ key }) => {
      if (key === ' ') fireflies[0]?.();
    });
  }
}

// A player's data is there: at the start, and after every change of account.
saves.client.events.on('initialized', () => {
  // Without a network, the copy on this device has to do.
  void saves.progress.load().catch(() => {});
  drawScore();
});
saves.progress.onChange(drawScore);
showAccount(saves.client, document.querySelector('#account') as HTMLElement);
new Game({
  type: AUTO,
  parent: place,
  transparent: true,
  banner: false,
  audio: { noAudio: true },
  scale: { mode: Scale.RESIZE },
  scene: Meadow,
  callbacks: {
    postBoot: ({ canvas }) => {
      canvas.tabIndex = 0;
      canvas.setAttribute('aria-label', 'A meadow with fireflies. The space bar catches one.');
    },
  },
});
await saves.client.init();
drawScore();
