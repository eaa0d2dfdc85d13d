export function coinCount(coins: number): string {
  return coins === 1 ? '1 coin' : `${coins} coins`;
}

/** "23 coins, level 2": how a save is told from another. */
export function progressText({ coins, level }: { coins: number; level: number }): string {
  return `${coinCount(coins)}, level ${level}`;
}
