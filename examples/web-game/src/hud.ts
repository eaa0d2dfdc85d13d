import type { GameView } from './game/game.js';
import { magnetPrices, nextMagnetPrice, type Progress } from './game/progress.js';
import { feathersAtStart, goalOf } from './game/world.js';
import { element, say } from './page.js';
import { coinCount } from './texts.js';

/** Who plays; `unseen` is somebody whose browser draws nothing. */
export type Who = 'starting' | 'nobody' | 'somebody' | 'unseen';

/** The numbers above the sky, the words upon it, and the shop. */
export function drawHud(view: GameView, kept: Progress, who: Who): void {
  const isPlaying = who === 'somebody';
  const { world, paused } = view;
  const flying = world.phase === 'flying';
  const level = flying ? world.level : kept.level;
  say(element('coins'), String(kept.coins));
  say(element('level'), String(level));
  say(element('best'), String(kept.best));
  const goal = element<HTMLProgressElement>('goal');
  goal.max = goalOf(level);
  goal.value = flying ? world.gathered : 0;
  const feathers = element('feathers');
  const left = flying || world.phase === 'landed' ? world.feathers : feathersAtStart;
  say(feathers, '●'.repeat(left) + '○'.repeat(feathersAtStart - left));
  feathers.setAttribute('aria-label', `${left} of ${feathersAtStart}`);

  drawOverlay(view, kept, who);
  const isFlying = isPlaying && flying && !paused;
  element('overlay').hidden = isFlying;
  element('pause').hidden = !isFlying;
  drawShop(kept, isPlaying);
}

function drawOverlay({ world, paused }: GameView, kept: Progress, who: Who): void {
  const fly = element<HTMLButtonElement>('fly');
  fly.hidden = who !== 'somebody';
  const [title, text, label] =
    who === 'starting'
      ? ['One moment', 'Looking for your save.', 'Fly']
      : who === 'nobody'
        ? ['Nobody is playing', 'Sign in with a name, or play as a guest.', 'Fly']
        : who === 'unseen'
          ? [
              'No sky to fly in',
              'This browser has no WebGL, or it is switched off. Account and saves work all the same.',
              'Fly',
            ]
          : world.phase === 'flying' && paused
            ? ['Paused', `${coinCount(world.haul)} in this flight so far.`, 'Fly on']
            : world.phase === 'landed'
              ? [
                  world.haul > 0 && world.haul >= kept.best ? 'Your best flight!' : 'Out of feathers',
                  `${coinCount(world.haul)} in this flight. The nest keeps them all.`,
                  'Fly again',
                ]
              : [
                  kept.level > 1 ? `Level ${kept.level}` : 'Ready?',
                  'Fill the nest with coins. Three feathers, mind the kites.',
                  'Fly',
                ];
  say(element('overlay-title'), title);
  say(element('overlay-text'), text);
  say(fly, label);
}

function drawShop(kept: Progress, isPlaying: boolean): void {
  const pips = element('magnet-level');
  say(pips, '●'.repeat(kept.magnet) + '○'.repeat(Math.max(0, magnetPrices.length - kept.magnet)));
  pips.setAttribute('aria-label', `${kept.magnet} of ${magnetPrices.length}`);
  const price = nextMagnetPrice(kept);
  const buy = element<HTMLButtonElement>('buy');
  buy.disabled = !isPlaying || price === null || kept.coins < price;
  say(buy, price === null ? 'Complete' : `Buy for ${price}`);
  say(
    element('shop-note'),
    price === null
      ? 'Coins fly to you from afar.'
      : kept.coins < price
        ? `Coins drift towards you. ${coinCount(price - kept.coins)} to go.`
        : 'Coins drift towards you.',
  );
}
