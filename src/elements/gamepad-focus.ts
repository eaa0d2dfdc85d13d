import type { ReactiveController } from 'lit';
import type { ElementHost } from './element-host.js';

const [pressButton, backButton, up, down, left, right] = [0, 1, 12, 13, 14, 15] as const;
const focusable = 'button:not(:disabled),input,summary,a[href],select,textarea';

/**
 * Lets a gamepad press what is in an element: the D-pad moves the focus, A presses, B goes back. Gamepads are read only
 * while the focus is in the element, so that they are the game's at any other time.
 */
export class GamepadFocus implements ReactiveController {
  private frame = 0;
  /** What was pressed when it was last looked; null before the first look. */
  private held: ReadonlySet<number> | null = null;

  constructor(private readonly host: ElementHost) {
    host.addController(this);
  }

  hostConnected(): void {
    this.host.addEventListener('focusin', this.start);
    this.host.addEventListener('focusout', this.stop);
  }

  hostDisconnected(): void {
    this.host.removeEventListener('focusin', this.start);
    this.host.removeEventListener('focusout', this.stop);
    this.stop();
  }

  private readonly start = (): void => {
    if (this.frame === 0) this.frame = requestAnimationFrame(this.look);
  };

  private readonly stop = (): void => {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.held = null;
  };

  private readonly look = (): void => {
    this.frame = requestAnimationFrame(this.look);
    const pressed = this.pressedButtons();
    const before = this.held;
    this.held = pressed;
    // The button that the player held in the game as the dialog opened is no answer to it.
    if (before === null) return;
    for (const button of pressed) if (!before.has(button)) this.press(button);
  };

  private pressedButtons(): ReadonlySet<number> {
    const pressed = new Set<number>();
    for (const gamepad of this.host.getGamepads()) {
      gamepad?.buttons.forEach((button, index) => {
        if (button.pressed) pressed.add(index);
      });
    }
    return pressed;
  }

  private press(button: number): void {
    const isRightToLeft = getComputedStyle(this.host).direction === 'rtl';
    if (button === pressButton) this.focused()?.click();
    else if (button === backButton) this.host.goBack();
    else if (button === up || button === (isRightToLeft ? right : left)) this.move(-1);
    else if (button === down || button === (isRightToLeft ? left : right)) this.move(1);
  }

  private focused(): HTMLElement | null {
    return this.host.focused() ?? (document.activeElement as HTMLElement | null);
  }

  private move(step: 1 | -1): void {
    const root = this.host.renderRoot.querySelector('dialog[open]') ?? this.host.renderRoot;
    const all = [...root.querySelectorAll<HTMLElement>(focusable)].filter((each) => each.getClientRects().length > 0);
    const at = all.indexOf(this.focused() as HTMLElement);
    const next = at === -1 && step === -1 ? all.length - 1 : (at + step + all.length) % all.length;
    // A browser that has seen no key pressed would not show where the focus is.
    this.host.toggleAttribute('data-gamepad', true);
    const kept = this.held;
    all[next]?.focus();
    // The focus has left one part of the element for another, which is no new beginning.
    this.held = kept;
    this.start();
  }
}
