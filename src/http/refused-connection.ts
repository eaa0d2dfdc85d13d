/** Whether what fetch threw says that no connection was made: Node says it in the cause. */
export function isRefusedConnection(thrown: unknown): boolean {
  const cause = (thrown as { cause?: { code?: unknown } } | undefined)?.cause;
  return cause?.code === 'ECONNREFUSED' || cause?.code === 'ENOTFOUND';
}
