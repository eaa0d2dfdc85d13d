/** What the player keeps: the value of the entry `main` in the collection `progress`. */
export interface Progress {
  coins: number;
  level: number;
  /** The most coins of one flight. */
  best: number;
  /** The one upgrade of the shop, 0 to 3. */
  magnet: number;
}

/** What happened since the last save. Coins are a difference, so that two tabs add up instead of overwriting each other. */
export interface Gains {
  coins: number;
  level: number;
  best: number;
  magnet: number;
}

export const newProgress: Progress = { coins: 0, level: 1, best: 0, magnet: 0 };
export const noGains: Gains = { coins: 0, level: 1, best: 0, magnet: 0 };

/** What each further magnet costs. */
export const magnetPrices = [20, 45, 80] as const;

export function addGains<Kept extends Progress | Gains>(kept: Kept, gains: Gains): Kept {
  return {
    ...kept,
    coins: kept.coins + gains.coins,
    level: Math.max(kept.level, gains.level),
    best: Math.max(kept.best, gains.best),
    magnet: Math.max(kept.magnet, gains.magnet),
  };
}

export function isNothing(gains: Gains): boolean {
  return gains.coins === 0 && gains.level === 1 && gains.best === 0 && gains.magnet === 0;
}

/** Reads a stored value; whatever is missing or no number counts as not begun. */
export function readProgress(value: Readonly<Record<string, unknown>> | undefined): Progress {
  const count = (name: keyof Progress): number => {
    const stored = value?.[name];
    const least = newProgress[name];
    return typeof stored === 'number' && Number.isFinite(stored) ? Math.max(least, Math.floor(stored)) : least;
  };
  return { coins: count('coins'), level: count('level'), best: count('best'), magnet: count('magnet') };
}

/** The price of the next magnet, or null where there is none. */
export function nextMagnetPrice(progress: Progress): number | null {
  return magnetPrices[progress.magnet] ?? null;
}
