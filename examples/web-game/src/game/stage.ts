import kaplay from 'kaplay';
import { createSky } from './draw-sky.js';
import { createThings } from './draw-things.js';
import { palette } from './palette.js';
import { arena, type Happening, type World } from './world.js';

export interface Stage {
  /** False where the browser has no WebGL: nothing can be drawn, so nothing is flown. */
  readonly canDraw: boolean;
  /** Calls back once a frame with the seconds since the last one, then draws the world that comes back. */
  run(frame: (dt: number) => World): void;
  /** Sparks, rising numbers, a shake: what the eye wants and the rules do not need. */
  show(happening: Happening): void;
}

/**
 * Makes the canvas's context before the engine does, which then takes it: the engine only copies its picture there, so the
 * smoothing that it would ask for costs much and shows nothing. Says whether a processor has to do the drawing; null where
 * nothing can.
 */
function prepare(canvas: HTMLCanvasElement): { isSlow: boolean } | null {
  const gl = canvas.getContext('webgl', { antialias: false, depth: false, stencil: false, alpha: false });
  if (gl === null) return null;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const renderer = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  return { isSlow: /swiftshader|llvmpipe|software|basic render/i.test(renderer) };
}

/** The engine's side: everything that touches kaplay starts here. */
export function createStage(canvas: HTMLCanvasElement): Stage {
  const prepared = prepare(canvas);
  // The engine would throw, and take the account and its saves with it.
  if (prepared === null) return { canDraw: false, run: () => {}, show: () => {} };
  const { isSlow } = prepared;
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  // Drawn larger than shown, which smooths the edges; a machine without a graphics card has no power to spare for that.
  const shown = (canvas.clientWidth * devicePixelRatio) / arena.width;
  const density = isSlow
    ? Math.min(1.5, Math.max(1, Math.round(shown * 4) / 4))
    : Math.min(4, Math.max(2, Math.ceil(shown * 1.6)));
  const k = kaplay({
    canvas,
    width: arena.width,
    height: arena.height,
    pixelDensity: density,
    ...(isSlow ? { maxFPS: 30 } : {}),
    background: palette.night,
    texFilter: 'linear',
    global: false,
    debug: false,
    focus: false,
    loadingScreen: false,
    burp: false,
  });
  // The page's own style sheet sizes the canvas and the page, which the engine gives styles of its own; and a canvas in the
  // tab order would swallow the Tab key.
  for (const styled of [canvas, document.body, document.documentElement]) styled.removeAttribute('style');
  canvas.removeAttribute('tabindex');

  const sky = createSky(k);
  const things = createThings(k);

  function burst(x: number, y: number, color: string, count: number): void {
    for (let index = 0; index < (calm ? 0 : count); index += 1) {
      k.add([
        k.circle(k.rand(1.5, 3.6)),
        k.pos(x, y),
        k.color(k.Color.fromHex(color)),
        k.opacity(1),
        k.z(10),
        k.move(k.rand(0, 360), k.rand(40, 170)),
        k.lifespan(k.rand(0.15, 0.4), { fade: 0.25 }),
      ]);
    }
  }

  function rise(x: number, y: number, words: string, color: string): void {
    const label = k.add([
      k.text(words, { size: 22, font: 'system-ui' }),
      k.pos(x, y - 14),
      k.anchor('center'),
      k.color(k.Color.fromHex(color)),
      k.opacity(1),
      k.z(11),
      k.lifespan(0.45, { fade: 0.3 }),
    ]);
    k.tween(y - 14, y - 52, 0.75, (height) => label.moveTo(x, height), k.easings.easeOutQuad);
  }

  return {
    canDraw: true,
    run(frame) {
      let world: World | null = null;
      k.onUpdate(() => {
        // A tab that was away comes back with one huge step; nobody could steer through that.
        world = frame(Math.min(k.dt(), 0.05));
      });
      k.add([
        k.z(0),
        {
          draw() {
            if (world === null) return;
            sky.draw(world.time);
            things.draw(world);
          },
        },
      ]);
    },
    show(happening) {
      if (happening.kind === 'coin') {
        const { at, worth } = happening;
        burst(at.x, at.y, worth > 1 ? palette.gem : palette.gold, worth > 1 ? 16 : 8);
        rise(at.x, at.y, `+${worth}`, palette.cream);
      } else if (happening.kind === 'hit') {
        burst(happening.at.x, happening.at.y, palette.kite, 20);
        if (!calm) k.shake(7);
      } else if (happening.kind === 'level') {
        for (let index = 0; index < 6; index += 1) burst(k.rand(60, 580), k.rand(60, 260), palette.gold, 9);
      }
    },
  };
}
