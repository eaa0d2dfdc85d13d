/**
 * Whether what fetch threw says that no connection was made: Node says it in the cause. A game's own fetch may throw
 * anything, also what cannot be read.
 */
export function isRefusedConnection(thrown: unknown): boolean {
  try {
    const cause = (thrown as { cause?: { code?: unknown } } | undefined)?.cause;
    return cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOTFOUND';
  } catch {
    return false;
  }
}
