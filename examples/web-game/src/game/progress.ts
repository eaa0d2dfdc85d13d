/** What the player keeps: the value of the entry `main` in the collection `progress`. */
export interface Progress {
  coins: number;
  level: number;
  /** The most coins of one flight. */
  best: number;
  /** The one upgrade of the shop, 0 to 3. */
  magnet: number;
}

/** What a moment of the game brings: so many coins more or less, a level reached, a better flight. */
export type Gains = Partial<Progress>;

export const newProgress: Progress = { coins: 0, level: 1, best: 0, magnet: 0 };

/** Two devices that both played: each one's coins count, once, and of the rest what got further. */
export const mergeRules = { coins: 'sum', level: 'max', best: 'max', magnet: 'max' } as const;

/** What each further magnet costs. */
export const magnetPrices = [20, 45, 80] as const;

export function addGains(kept: Progress, gains: Gains): Progress {
  return {
    // Two tabs that spend the same coins must not leave a debt.
    coins: Math.max(0, kept.coins + (gains.coins ?? 0)),
    level: Math.max(kept.level, gains.level ?? 0),
    best: Math.max(kept.best, gains.best ?? 0),
    magnet: Math.max(kept.magnet, gains.magnet ?? 0),
  };
}

/** Reads a stored value; whatever is missing or no number counts as not begun. */
export function readProgress(value: unknown): Progress {
  const count = (name: keyof Progress): number => {
    const stored = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
    const least = newProgress[name];
    return typeof stored === 'number' && Number.isFinite(stored) ? Math.max(least, Math.floor(stored)) : least;
  };
  return { coins: count('coins'), level: count('level'), best: count('best'), magnet: count('magnet') };
}

/** The price of the next magnet, or null where there is none. */
export function nextMagnetPrice(progress: Progress): number | null {
  return magnetPrices[progress.magnet] ?? null;
}
