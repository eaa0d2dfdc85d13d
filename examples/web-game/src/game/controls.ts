import { arena, type Point, type Steering } from './world.js';

const directions: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  KeyA: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  KeyD: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  KeyW: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
  KeyS: { x: 0, y: 1 },
};

/** Keys and fingers. Keys that a form, a button or a dialog needs stay theirs. */
export function listenToPlayer(
  canvas: HTMLCanvasElement,
  on: { fly: () => void; pause: () => void },
): { steering(): Steering } {
  const held = new Set<string>();
  let finger: Point | null = null;

  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isBusyElsewhere(event)) return;
    if (event.code in directions) {
      held.add(event.code);
      event.preventDefault();
    } else if (event.code === 'Space' && !event.repeat && !isButton(event)) {
      event.preventDefault();
      on.fly();
    } else if (event.code === 'KeyP' || event.code === 'Escape') {
      on.pause();
    }
  });
  addEventListener('keyup', (event) => held.delete(event.code));
  addEventListener('blur', () => held.clear());

  const follow = (event: PointerEvent): void => {
    const box = canvas.getBoundingClientRect();
    finger = {
      x: ((event.clientX - box.left) / box.width) * arena.width,
      y: ((event.clientY - box.top) / box.height) * arena.height,
    };
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    follow(event);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (finger !== null) follow(event);
  });
  const letGo = (): void => {
    finger = null;
  };
  canvas.addEventListener('pointerup', letGo);
  canvas.addEventListener('pointercancel', letGo);

  return {
    steering() {
      if (finger !== null) return { to: finger };
      const wish = { x: 0, y: 0 };
      for (const code of held) {
        wish.x += directions[code]?.x ?? 0;
        wish.y += directions[code]?.y ?? 0;
      }
      return wish;
    },
  };
}

/** What a key was pressed in: of an element with a shadow that is something in it. */
function within(event: Event, selector: string): boolean {
  return event.composedPath().some((each) => each instanceof Element && each.matches(selector));
}

function isBusyElsewhere(event: Event): boolean {
  return within(event, 'input, textarea, select, dialog');
}

function isButton(event: Event): boolean {
  return within(event, 'button, a, summary');
}
