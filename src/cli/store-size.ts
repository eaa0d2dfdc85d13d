import { stat } from 'node:fs/promises';

/** How large a store in a file is, with what SQLite has beside it; null for any other store. */
export async function storeBytes(kind: string, description: unknown): Promise<number | null> {
  if (kind !== 'sqlite' || typeof description !== 'string') return null;
  const sizes = await Promise.all([description, `${description}-wal`].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
