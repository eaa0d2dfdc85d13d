import { createHash } from 'node:crypto';
import { chmodSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
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

/**
 * To take no writes any more, copy all to `file`, and wait with that: for the line that says that the store was moved, or
 * for the end of the connection, after which all is as it was.
 */
interface HandOverTask {
  do: 'hand-over';
  file: string;
}

const movedLine = 'moved';

/** What is asked of a store. */
type AskedStore = Pick<SqliteStore, 'backUp' | 'restore' | 'handOver'>;

/** A line of an answer: how far it is, that the store is held, or how it ended. */
type AnswerLine = { done: number } | { held: true } | { ended: string | null } | { failed: string };

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
export async function openStoreSocket(store: AskedStore, file: string): Promise<{ close(): Promise<void> }> {
  const path = socketPath(file);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).once('close', () => sockets.delete(socket));
    const lines = createInterface({ input: socket });
    // It has an event of its own for the socket's error, which would end the service: whoever asks
    // may be killed at any time.
    lines.on('error', () => {}).once('line', (line) => void carryOut(store, { line, lines, socket }));
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

async function carryOut(
  store: AskedStore,
  { line, lines, socket }: { line: string; lines: Interface; socket: Socket },
): Promise<void> {
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
    const task = JSON.parse(line) as StoreTask | HandOverTask;
    let ended: string | null = null;
    if (task.do === 'backup') await store.backUp(task.file, progressed);
    else if (task.do === 'restore') ended = await store.restore(task.file, progressed);
    else await handOver(store, { file: task.file, lines, progressed, held: () => say({ held: true }) });
    say({ ended });
  } catch (error) {
    say({ failed: error instanceof Error ? error.message : 'it failed' });
  }
  socket.end();
}

async function handOver(
  store: AskedStore,
  { file, lines, progressed, held }: { file: string; lines: Interface; progressed(share: number): void; held(): void },
): Promise<void> {
  const told = new Promise<boolean>((resolve) => {
    lines.once('line', (line) => resolve(line === movedLine)).once('close', () => resolve(false));
  });
  const handed = await store.handOver(file, progressed);
  held();
  if (!(await told)) return handed.release();
  await handed.markMoved(Date.now());
}

/**
 * Asks the process that has a store's file open to hand it over: it takes no writes from then on, and has copied all into
 * a new file. Undefined where there is none that listens. Once the answer is left, it takes writes again, unless the
 * store was marked as moved.
 */
export async function askToHandOver(
  storeFile: string,
  file: string,
  { stop }: { stop: AbortSignal },
): Promise<{ markMoved(): Promise<void>; leave(): void } | undefined> {
  const socket = await connectTo(storeFile);
  if (socket === undefined) return undefined;
  const leave = (): void => {
    stop.removeEventListener('abort', leave);
    socket.destroy();
  };
  stop.addEventListener('abort', leave);
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]();
  const hear = async (what: 'held' | 'ended'): Promise<void> => {
    for (;;) {
      const { done, value } = await answers.next();
      if (done === true) throw new Error('the service ended before it was done');
      const answer = JSON.parse(value) as AnswerLine;
      if ('failed' in answer) throw new Error(answer.failed);
      if (what in answer) return;
    }
  };
  socket.write(`${JSON.stringify({ do: 'hand-over', file } satisfies HandOverTask)}\n`);
  try {
    await hear('held');
  } catch (error) {
    leave();
    throw error;
  }
  const markMoved = (): Promise<void> => {
    socket.write(`${movedLine}\n`);
    return hear('ended');
  };
  return { markMoved, leave };
}

/** Undefined where nobody listens. */
async function connectTo(storeFile: string): Promise<Socket | undefined> {
  const socket = connect(socketPath(storeFile));
  try {
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  } catch {
    return undefined;
  }
  return socket.on('error', () => {});
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
  const socket = await connectTo(storeFile);
  if (socket === undefined) return undefined;
  const leave = (): void => void socket.destroy();
  stop.addEventListener('abort', leave);
  socket.write(`${JSON.stringify(task)}\n`);
  try {
    for await (const line of createInterface({ input: socket })) {
      const answer = JSON.parse(line) as AnswerLine;
      if ('ended' in answer) return answer.ended;
      if ('failed' in answer) throw new Error(answer.failed);
      if ('done' in answer) progressed(answer.done);
    }
    throw new Error('the service ended before it was done');
  } finally {
    stop.removeEventListener('abort', leave);
    socket.destroy();
  }
}
