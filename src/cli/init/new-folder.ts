import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Interrupted } from '../interrupted.js';
import { UsageError } from '../usage-error.js';

/**
 * Makes a folder with these files, by their paths. They are written into a folder beside it, which gets the name once
 * all are there: what ends in the middle leaves nothing of that name. Throws UsageError where something has the name
 * already, but for an empty folder, and changes nothing then. `shown` is what messages call it.
 */
export async function makeFolder(
  folder: string,
  files: ReadonlyMap<string, string>,
  { shown, stop }: { shown: string; stop: AbortSignal },
): Promise<void> {
  await refuseTaken(folder, shown);
  const partial = join(dirname(folder), `.savepoint-init-${randomUUID()}`);
  try {
    await makeWithParents(partial);
    for (const [path, text] of files) {
      if (stop.aborted) throw new Interrupted('interrupted: nothing was made; run it again');
      const file = join(partial, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: 'wx' });
    }
    // Neither step takes anything away that somebody has put there meanwhile.
    await rmdir(folder).catch(unlessMissing);
    await rename(partial, folder);
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {});
    if (error instanceof UsageError || error instanceof Interrupted) throw error;
    throw new UsageError(`${shown} cannot be made: ${reasonOf(error)}`);
  }
}

/** As `mkdir` with `recursive`, which tries for ever where no folder can be made, as in `/proc`. */
async function makeWithParents(folder: string): Promise<void> {
  const make = (): Promise<void> =>
    mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeWithParents(dirname(folder));
    await make();
  });
}

async function refuseTaken(folder: string, shown: string): Promise<void> {
  try {
    const found = await readdir(folder);
    if (found.length > 0) {
      throw new UsageError(`${shown} is a folder with something in it: take another name, or empty it first`);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new UsageError(`${shown} cannot be made: ${reasonOf(error)}`);
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

const reasons: { readonly [code: string]: string } = {
  EACCES: 'you may not write there',
  EPERM: 'you may not write there',
  EROFS: 'nobody may write there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a file has that name',
  EEXIST: 'something has come there meanwhile',
  ENOTEMPTY: 'something has come there meanwhile',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links lead in a circle',
};

function reasonOf(error: unknown): string {
  const { code = 'it failed' } = error as NodeJS.ErrnoException;
  return reasons[code] ?? code;
}
