import type { ElementHost } from './element-host.js';

const [pressButton, backButton, up, down, left, right] = [0, 1, 12, 13, 14, 15] as const;
const focusable = 'button,input,summary,a[href]';

/**
 * Lets a gamepad press what is in an element: the D-pad moves the focus, A presses, B goes back. Gamepads are read only
 * while the focus is in the element, so that they are the game's at any other time. Gives what ends that.
 */
export function followGamepads(host: ElementHost): () => void {
  let frame = 0;
  /** What was pressed when it was last looked; null before the first look. */
  let held: ReadonlySet<number> | null = null;

  function start(): void {
    if (frame === 0) frame = requestAnimationFrame(look);
  }

  function stop(): void {
    cancelAnimationFrame(frame);
    frame = 0;
    held = null;
  }

  function look(): void {
    frame = requestAnimationFrame(look);
    const before = held;
    held = pressedButtons(host);
    // The button that the player held in the game as the dialog opened is no answer to it.
    if (before === null) return;
    for (const button of held) if (!before.has(button)) press(button);
  }

  function press(button: number): void {
    const isRightToLeft = getComputedStyle(host).direction === 'rtl';
    if (button === pressButton) (host.focused() ?? (document.activeElement as HTMLElement | null))?.click();
    else if (button === backButton) host.goBack();
    else if (button === up || button === (isRightToLeft ? right : left)) move(-1);
    else if (button === down || button === (isRightToLeft ? left : right)) move(1);
  }

  function move(step: 1 | -1): void {
    const root = host.renderRoot.querySelector('dialog[open]') ?? host.renderRoot;
    const all = [...root.querySelectorAll<HTMLElement>(focusable)].filter((each) => each.getClientRects().length > 0);
    const at = all.indexOf(host.focused() as HTMLElement);
    const next = at === -1 && step === -1 ? all.length - 1 : (at + step + all.length) % all.length;
    // A browser that has seen no key pressed would not show where the focus is.
    host.toggleAttribute('data-gamepad', true);
    all[next]?.focus();
  }

  /** The focus may only go to another part of the element, which is no new beginning. */
  function leave(event: FocusEvent): void {
    if (!(event.relatedTarget instanceof Node && host.contains(event.relatedTarget))) stop();
  }

  host.addEventListener('focusin', start);
  host.addEventListener('focusout', leave);
  return () => {
    host.removeEventListener('focusin', start);
    host.removeEventListener('focusout', leave);
    stop();
  };
}

function pressedButtons(host: ElementHost): ReadonlySet<number> {
  const pressed = new Set<number>();
  for (const gamepad of host.getGamepads()) {
    gamepad?.buttons.forEach((button, index) => {
      if (button.pressed) pressed.add(index);
    });
  }
  return pressed;
}
