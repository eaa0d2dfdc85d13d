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
    const [before, after] = getComputedStyle(host).direction === 'rtl' ? [right, left] : [left, right];
    if (button === pressButton) focused()?.click();
    else if (button === backButton) host.goBack();
    else if (button === up || button === before) move(-1);
    else if (button === down || button === after) move(1);
  }

  /** What a game has put into a slot is the page's, and so is its focus. */
  function focused(): HTMLElement | null {
    return host.focused() ?? (document.activeElement as HTMLElement | null);
  }

  function move(step: 1 | -1): void {
    const all = focusableIn(host);
    const at = all.indexOf(focused() as HTMLElement);
    // A browser that has seen no key pressed would not show where the focus is.
    host.dataset['gamepad'] = '';
    all.at(Math.max(at + step, -1) % all.length)?.focus();
  }

  /** The focus may only go to another part of the element, which is no new beginning. */
  function leave(event: FocusEvent): void {
    if (!host.contains(event.relatedTarget as Node | null)) stop();
  }

  host.addEventListener('focusin', start);
  host.addEventListener('focusout', leave);
  return () => {
    host.removeEventListener('focusin', start);
    host.removeEventListener('focusout', leave);
    stop();
  };
}

/** What can have the focus in an element, in the order in which it stands, also in what a page has put into a slot. */
export function focusableIn({ renderRoot }: ElementHost): HTMLElement[] {
  const root = renderRoot.querySelector('dialog[open]') ?? renderRoot;
  const within = (all: Iterable<Element>): Element[] =>
    [...all].flatMap((each) => [each, ...within((each as HTMLSlotElement).assignedElements?.() ?? each.children)]);
  return within(root.children).filter(
    (each): each is HTMLElement => each.matches(focusable) && each.getClientRects().length > 0,
  );
}

function pressedButtons(host: ElementHost): ReadonlySet<number> {
  return new Set(
    host
      .getGamepads()
      .flatMap((gamepad) => gamepad?.buttons.flatMap(({ pressed }, index) => (pressed ? [index] : [])) ?? []),
  );
}
