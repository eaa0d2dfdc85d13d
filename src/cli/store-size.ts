import { stat } from 'node:fs/promises';

/** How large a file is, with what SQLite has beside it; 0 where there is none. */
export async function fileBytes(file: string): Promise<number> {
  const sizes = await Promise.all([file, `${file}-wal`].map(sizeOf));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
