/** What is saved of a player. */
export type Save = {
  /** All fireflies that were ever caught. */
  caught: number;
  /** The most that were caught in one visit. */
  best: number;
};

export const newGame: Save = { caught: 0, best: 0 };

/** The save with one firefly more, the `visit`th since the page was opened. */
export function withOneMore({ caught, best }: Save = newGame, visit = 1): Save {
  return { caught: caught + 1, best: Math.max(best, visit) };
}

/** Every ten fireflies are a level. */
export function levelOf({ caught }: Save): number {
  return 1 + Math.floor(caught / 10);
}

/** Where a firefly is: both from 0 to 1, over the width and the height of the meadow. */
export interface Firefly {
  id: number;
  x: number;
  y: number;
}

/** A firefly somewhere on the meadow, not at its very edge. */
export function newFirefly(id: number): Firefly {
  return { id, x: 0.08 + Math.random() * 0.84, y: 0.12 + Math.random() * 0.76 };
}

export const meadow: readonly Firefly[] = Array.from({ length: 8 }, (_, id) => newFirefly(id));
