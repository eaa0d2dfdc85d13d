/** The known name that somebody may have meant; null where none is near. */
export function nearest(given: string, known: readonly string[]): string | null {
  const allowed = Math.max(1, Math.floor(given.length / 3));
  const [best] = known
    .map((name) => ({ name, far: name.startsWith(given) ? 0 : distance(given, name) }))
    .filter(({ far }) => far <= allowed)
    .sort((left, right) => left.far - right.far);
  return best?.name ?? null;
}

/** How many letters have to be changed, added, left out, or swapped with their neighbour. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
