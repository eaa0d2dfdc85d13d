import { createHash } from 'node:crypto';
import { chmodSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SqliteStore } from '../backend/sqlite.js';

/**
 * How a command reaches the process that has an SQLite file open: that file is its alone, so that only it can copy it.
 * The socket lies beside the file, and whoever may write there may use it.
 */

/** What is asked for, with absolute paths. */
export interface StoreTask {
  do: 'backup' | 'restore';
  file: string;
}

/** A line of an answer: how far it is, or how it ended. */
type AnswerLine = { done: number } | { ended: string | null } | { failed: string };

/** Linux takes 107 bytes, others fewer. */
const maxPathBytes = 100;

function socketPath(storeFile: string): string {
  const file = join(realpathSync(dirname(storeFile)), basename(storeFile));
  const id = createHash('sha256').update(file).digest('hex').slice(0, 16);
  if (process.platform === 'win32') return `\\\\.\\pipe\\savepoint-${id}`;
  const beside = `${file}.sock`;
  return Buffer.byteLength(beside) <= maxPathBytes ? beside : join(tmpdir(), `savepoint-${id}.sock`);
}

/** Carries out what other processes ask of a store that this one has open. Where it cannot listen, nobody can ask. */
export async function openStoreSocket(
  store: Pick<SqliteStore, 'backUp' | 'restore'>,
  file: string,
): Promise<{ close(): Promise<void> }> {
  const path = socketPath(file);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    const lines = createInterface({ input: socket });
    // It has an event of its own for the socket's error, which would end the service: whoever asks
    // may be killed at any time.
    lines.on('error', () => {}).once('line', (line) => void carryOut(store, line, socket));
  });
  // The file is this process's: a socket that is there is left from one that was killed.
  if (process.platform !== 'win32') rmSync(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve);
  });
  if (process.platform !== 'win32') chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function carryOut(store: Pick<SqliteStore, 'backUp' | 'restore'>, line: string, socket: Socket): Promise<void> {
  const say = (answer: AnswerLine): void => void socket.write(`${JSON.stringify(answer)}\n`);
  let told = 0;
  const progressed = (share: number): void => {
    // Whoever asked is gone, by Ctrl-C or a kill: nothing is to appear behind their back.
    if (socket.destroyed) throw new Error('nobody waits for it any more');
    if (share < told + 0.01) return;
    told = share;
    say({ done: share });
  };
  try {
    const task = JSON.parse(line) as StoreTask;
    const ended =
      task.do === 'backup' ? await store.backUp(task.file, progressed) : await store.restore(task.file, progressed);
    say({ ended: ended ?? null });
  } catch (error) {
    say({ failed: error instanceof Error ? error.message : 'it failed' });
  }
  socket.end();
}

/**
 * Asks the process that has a store's file open. Undefined where there is none that listens; otherwise what
 * `SqliteStore.restore` answers, null for a backup.
 */
export async function askStoreSocket(
  storeFile: string,
  task: StoreTask,
  { progressed, stop }: { progressed(share: number): void; stop: AbortSignal },
): Promise<string | null | undefined> {
  const socket = connect(socketPath(storeFile));
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  } catch {
    return undefined;
  }
  socket.on('error', () => {});
  const leave = (): void => void socket.destroy();
  stop.addEventListener('abort', leave);
  socket.write(`${JSON.stringify(task)}\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      const answer = JSON.parse(line) as AnswerLine;
      if ('ended' in answer) return answer.ended;
      if ('failed' in answer) throw new Error(answer.failed);
      progressed(answer.done);
    }
    throw new Error('the service ended before it was done');
  } finally {
    stop.removeEventListener('abort', leave);
    socket.destroy();
  }
}
