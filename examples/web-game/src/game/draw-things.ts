import type { Color, KAPLAYCtx, Vec2 } from 'kaplay';
import { palette } from './palette.js';
import type { Bird, Coin, Hazard, World } from './world.js';
import { birdStart, goalOf } from './world.js';

/** Where the coins lie in the nest: rows of five, three and one. */
const nestSpots = [[40, 51, 62, 73, 84], [51, 62, 73], [62]].flatMap((row, height) =>
  row.map((x) => ({ x, y: 356 - height * 7.5 })),
);

/** The magpie, and what it meets. */
export function createThings(k: KAPLAYCtx): { draw(world: World): void } {
  const tones = Object.fromEntries(
    Object.entries(palette).map(([name, hex]) => [name, k.Color.fromHex(hex)]),
  ) as unknown as Record<keyof typeof palette, Color>;
  const points = (...pairs: [number, number][]): Vec2[] => pairs.map(([x, y]) => k.vec2(x, y));
  const shape = (pts: Vec2[], color: Color, opacity = 1): void => k.drawPolygon({ pts, color, opacity });
  const oval = (x: number, y: number, rx: number, ry: number, color: Color, opacity = 1): void =>
    k.drawEllipse({ pos: k.vec2(x, y), radiusX: rx, radiusY: ry, color, opacity, resolution: 3 });

  function at(x: number, y: number, draw: () => void, turn = 0, scaleX = 1): void {
    k.pushTransform();
    k.pushTranslate(x, y);
    k.pushRotate(turn);
    k.pushScale(scaleX, 1);
    draw();
    k.popTransform();
  }

  function drawBird(bird: Bird, time: number, isPerched: boolean): void {
    // Blinks while nothing can hit it.
    if (bird.safe > 0 && Math.floor(bird.safe * 10) % 2 === 1) return;
    const speed = Math.hypot(bird.vx, bird.vy);
    const beat = Math.sin(time * (9 + speed / 28));
    const lean = isPerched ? -14 : Math.max(-16, Math.min(16, bird.vy / 14)) * bird.facing;
    const bob = isPerched ? Math.sin(time * 1.8) * 0.8 : Math.sin(time * 2.6) * 2;
    at(
      bird.x,
      bird.y + bob,
      () => {
        if (isPerched) {
          k.drawLine({ p1: k.vec2(-1, 8), p2: k.vec2(-2, 19), width: 2, color: tones.goldDark });
          k.drawLine({ p1: k.vec2(5, 8), p2: k.vec2(5, 20), width: 2, color: tones.goldDark });
        }
        shape(points([-10, -2], [-42, 5], [-44, 10], [-10, 6]), tones.ink);
        shape(points([-14, 1], [-38, 7], [-39, 9], [-12, 5]), tones.wing);
        oval(0, 0, 18, 11, tones.ink);
        oval(2, 4, 12, 6.5, tones.cream);
        oval(15, -7, 9, 8.5, tones.ink);
        shape(points([22, -9], [33, -5], [22, -3]), tones.goldDark);
        k.drawCircle({ pos: k.vec2(18, -9), radius: 2.3, color: tones.cream });
        k.drawCircle({ pos: k.vec2(18.7, -9), radius: 1.2, color: tones.ink });
        if (isPerched) {
          shape(points([9, -3], [-6, -8], [-30, 3], [-10, 5]), tones.wing);
          shape(points([6, -3], [-6, -7], [-18, -1], [-4, 2]), tones.cream);
          return;
        }
        const tip = -8 - beat * 24;
        shape(points([8, -4], [-8, -2], [-24, tip], [-8, tip * 0.72 - 3]), tones.wing);
        shape(points([7, -4], [-6, -3], [-19, tip * 0.86], [-6, tip * 0.66 - 3]), tones.ink);
        shape(points([2, -4], [-5, -3], [-9, tip * 0.5 - 2], [-1, tip * 0.45 - 3]), tones.cream);
      },
      lean,
      bird.facing,
    );
  }

  function drawCoin(coin: Coin, time: number): void {
    // The last seconds flicker: hurry.
    if (coin.left < 2 && Math.floor(coin.left * 8) % 2 === 1) return;
    const float = Math.sin(time * 2.2 + coin.id) * 3;
    at(coin.x, coin.y + float, () => {
      if (coin.worth > 1) {
        oval(0, 0, 20, 20, tones.gem, 0.22);
        shape(points([0, -14], [12, -2], [0, 15], [-12, -2]), tones.gemDark);
        shape(points([0, -14], [12, -2], [-12, -2]), tones.gem);
        shape(points([-4, -2], [0, -14], [4, -2], [0, 15]), tones.cream, 0.45);
        return;
      }
      const turn = Math.cos(time * 2.4 + coin.id * 0.9);
      const width = Math.max(2.4, Math.abs(turn) * 11);
      oval(0, 0, 15, 15, tones.gold, 0.14);
      oval(turn > 0 ? 1.5 : -1.5, 0, width, 11, tones.goldDark);
      oval(0, 0, width, 11, tones.gold);
      oval(0, 0, width * 0.66, 7.4, tones.goldDark, 0.55);
      oval(-width * 0.3, -4, width * 0.2, 2.4, tones.cream, 0.9);
    });
  }

  function drawKite(kite: Hazard): void {
    const back = kite.vx > 0 ? -1 : 1;
    const tail = [0, 1, 2, 3, 4, 5, 6].map((index) =>
      k.vec2(kite.x + back * (14 + index * 8), kite.y + 14 + Math.sin(kite.age * 7 - index * 0.9) * (2 + index * 0.7)),
    );
    k.drawLines({ pts: tail, width: 2, color: tones.cream, opacity: 0.75 });
    for (const index of [2, 4, 6]) {
      const bow = tail[index];
      if (bow !== undefined) k.drawCircle({ pos: bow, radius: 3.4, color: tones.gold });
    }
    at(
      kite.x,
      kite.y,
      () => {
        shape(points([0, -25], [19, -3], [0, 25], [-19, -3]), tones.kite);
        shape(points([0, -25], [19, -3], [0, -3]), tones.cream);
        shape(points([0, -3], [0, 25], [-19, -3]), tones.kiteDark);
        k.drawLine({ p1: k.vec2(0, -25), p2: k.vec2(0, 25), width: 1.6, color: tones.ink });
        k.drawLine({ p1: k.vec2(-19, -3), p2: k.vec2(19, -3), width: 1.6, color: tones.ink });
      },
      -back * 18 + Math.sin(kite.age * 3) * 8,
    );
  }

  function drawAcorn(acorn: Hazard): void {
    if (acorn.y < 30) shape(points([acorn.x - 7, 6], [acorn.x + 7, 6], [acorn.x, 17]), tones.kite, 0.9);
    at(
      acorn.x,
      acorn.y,
      () => {
        oval(0, 4, 10, 13, tones.acorn);
        oval(-3, 4, 2.4, 7, tones.cream, 0.35);
        oval(0, -6, 12, 7, tones.acornCap);
        k.drawLine({ p1: k.vec2(0, -11), p2: k.vec2(2, -18), width: 3, color: tones.acornCap });
      },
      Math.sin(acorn.age * 5) * 16,
    );
  }

  /** The nest in the corner fills as the level goes on. */
  function drawNest(world: World): void {
    k.drawLine({ p1: k.vec2(-6, 388), p2: k.vec2(150, 366), width: 9, color: tones.ink });
    k.drawLine({ p1: k.vec2(96, 372), p2: k.vec2(122, 350), width: 5, color: tones.ink });
    oval(122, 346, 9, 4.5, tones.hillFar);
    const full = Math.min(1, world.gathered / goalOf(world.level));
    for (const spot of nestSpots.slice(0, Math.round(full * nestSpots.length))) {
      oval(spot.x, spot.y + 1, 6.5, 6.5, tones.goldDark);
      oval(spot.x, spot.y, 6, 6, tones.gold);
    }
    shape(points([26, 358], [98, 358], [88, 377], [72, 383], [50, 383], [35, 377]), tones.acornCap);
    for (const [y, from, to] of [
      [362, 28, 96],
      [368, 31, 92],
      [374, 36, 87],
    ] as const) {
      k.drawLine({ p1: k.vec2(from, y), p2: k.vec2(to, y - 3), width: 1.8, color: tones.acorn });
    }
  }

  // Between two flights the magpie sits on the branch, beside the nest.
  const perched: Bird = { ...birdStart, x: birdStart.x + 14, y: birdStart.y + 24, safe: 0 };

  return {
    draw(world) {
      drawNest(world);
      if (world.phase !== 'flying') {
        drawBird(perched, world.time, true);
        return;
      }
      for (const coin of world.coins) drawCoin(coin, world.time);
      for (const hazard of world.hazards) (hazard.kind === 'kite' ? drawKite : drawAcorn)(hazard);
      drawBird(world.bird, world.time, false);
    },
  };
}
