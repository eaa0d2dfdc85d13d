import type { Color, KAPLAYCtx, Vec2 } from 'kaplay';
import { palette } from './palette.js';
import { arena } from './world.js';

/** Sky, sun, clouds and hills; the clouds drift with the time. */
export function createSky(k: KAPLAYCtx): { draw(time: number): void } {
  const tone = (hex: string): Color => k.Color.fromHex(hex);
  const night = tone(palette.night);
  const dusk = tone(palette.dusk);
  const glow = tone(palette.glow);
  const sun = tone(palette.sun);
  const hills = [
    { strip: ridge(300, 34, 0.011, 0.4), color: tone(palette.hillFar) },
    { strip: ridge(342, 22, 0.017, 2.1), color: tone(palette.hillNear) },
    { strip: ridge(376, 8, 0.03, 4), color: tone(palette.ground) },
  ];
  // Each cloud has the tone of the sky at its height, a little lighter.
  const clouds = [
    { y: 58, size: 1.1, speed: 5, from: 60 },
    { y: 128, size: 0.8, speed: 9, from: 420 },
    { y: 196, size: 1.3, speed: 7, from: 250 },
    { y: 92, size: 0.6, speed: 12, from: 610 },
  ].map((cloud) => ({ ...cloud, color: night.lerp(dusk, cloud.y / 190).lerp(sun, 0.16) }));
  const stars = Array.from({ length: 26 }, (_, index) => ({
    x: (index * 197.3) % arena.width,
    y: (index * 71.9) % 130,
    phase: index * 1.7,
  }));

  /** A strip from the ridge down to the ground. */
  function ridge(height: number, swell: number, pace: number, shift: number) {
    const pts: Vec2[] = [];
    const indices: number[] = [];
    for (let x = 0; x <= arena.width; x += 16) {
      const y = height + Math.sin(x * pace + shift) * swell + Math.sin(x * pace * 2.7 + shift) * swell * 0.3;
      const first = pts.length;
      pts.push(k.vec2(x, y), k.vec2(x, arena.height));
      if (x < arena.width) indices.push(first, first + 1, first + 2, first + 1, first + 3, first + 2);
    }
    return { pts, indices };
  }

  function drawCloud(x: number, y: number, size: number, color: Color): void {
    for (const [dx, dy, rx, ry] of [
      [0, 0, 50, 10],
      [-22, -7, 22, 13],
      [12, -11, 26, 17],
    ] as const) {
      k.drawEllipse({
        pos: k.vec2(x + dx * size, y + dy * size),
        radiusX: rx * size,
        radiusY: ry * size,
        color,
        resolution: 3,
      });
    }
  }

  return {
    draw(time) {
      k.drawRect({ width: arena.width, height: 190, gradient: [night, dusk] });
      k.drawRect({ pos: k.vec2(0, 190), width: arena.width, height: arena.height - 190, gradient: [dusk, glow] });
      for (const star of stars) {
        k.drawCircle({
          pos: k.vec2(star.x, star.y),
          radius: 1,
          color: sun,
          opacity: 0.3 + 0.25 * Math.sin(time * 1.3 + star.phase),
        });
      }
      const sunAt = k.vec2(492, 262);
      for (const [radius, opacity] of [
        [98, 0.09],
        [76, 0.14],
        [56, 1],
      ] as const) {
        k.drawCircle({ pos: sunAt, radius, color: sun, opacity, resolution: 3 });
      }
      for (const { y, size, speed, from, color } of clouds) {
        drawCloud(((from + time * speed) % (arena.width + 160)) - 80, y, size, color);
      }
      for (const { strip, color } of hills) k.drawPolygon({ ...strip, color });
    },
  };
}
