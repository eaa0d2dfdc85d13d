import { createHash, randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { orDiskFull } from './disk-full.js';
import { UsageError } from './usage-error.js';

/** A file that is written beside its name, and gets it once it is whole. Nobody else may read it. */
export interface NewFile {
  write(text: string): Promise<void>;
  /** Gives the file its name, when all is on the disk. */
  finish(): Promise<{ bytes: number; sha256: string }>;
  /** Removes what is not finished. */
  abandon(): Promise<void>;
}

/** So many characters are gathered before they are written. */
const batch = 1_000_000;

export async function createNewFile(file: string): Promise<NewFile> {
  const partial = `${file}.${randomUUID()}.partial`;
  const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--out: the file cannot be written (${error.code ?? 'unknown'})`);
  });
  const hash = createHash('sha256');
  let [waiting, bytes, isFinished] = ['', 0, false];

  async function flush(): Promise<void> {
    const data = Buffer.from(waiting, 'utf8');
    waiting = '';
    hash.update(data);
    bytes += data.length;
    // A single write may take less than all of it.
    for (let at = 0; at < data.length; ) {
      const written = await orDiskFull(handle.write(data, at), '--out: the disk is full, and there is no file');
      at += written.bytesWritten;
    }
  }

  return {
    async write(text) {
      waiting += text;
      if (waiting.length >= batch) await flush();
    },
    async finish() {
      await flush();
      await handle.sync();
      await handle.close();
      if (existsSync(file)) throw new UsageError('--out: a file of this name has come meanwhile');
      await rename(partial, file);
      isFinished = true;
      return { bytes, sha256: hash.digest('hex') };
    },
    async abandon() {
      if (isFinished) return;
      await handle.close().catch(() => {});
      rmSync(partial, { force: true });
    },
  };
}

/**
 * Writes a small file that only you can read. Never over one that is there; where it cannot be whole there is none, and
 * it rejects with the system's error.
 */
export async function writeSmallFile(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.close();
  } catch (error) {
    await handle.close().catch(() => {});
    rmSync(file, { force: true });
    throw error;
  }
}
