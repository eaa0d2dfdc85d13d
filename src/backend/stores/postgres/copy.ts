import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { CopyPiece } from '../sql/raw-tables.js';
import type { PostgresConnection } from './pool.js';

/** What pg hands to a query that is not its own: the connection's protocol, message by message. */
interface Wire {
  readonly stream: Duplex;
  query(text: string): void;
  sendCopyFromChunk(bytes: Uint8Array): void;
  endCopyFrom(): void;
}

/** A query that is not pg's own, such as those of pg-cursor. pg calls back with each message that comes for it. */
interface OwnQuery {
  text: string;
  submit(wire: Wire): void;
  handleCopyInResponse(wire: Wire): void;
  handleCopyData(message: { chunk: Buffer }, wire: Wire): void;
  handleCommandComplete(): void;
  handleError(error: Error): void;
  handleReadyForQuery(): void;
}

interface Copying {
  /** Settles when the server waits for rows. */
  ready: Promise<Wire>;
  /** Settles when all is done. */
  ended: Promise<void>;
}

/**
 * Rows gather up to so many bytes before they are handed on; when eight times as many wait, the server has to wait too.
 */
const pieceBytes = 256 * 1024;
const waitingBytes = 8 * pieceBytes;

/**
 * Sends rows to a `COPY … FROM STDIN`, as fast as the server takes them. After a failure the
 * connection is of no more use.
 */
export async function copyIn(
  connection: PostgresConnection,
  text: string,
  pieces: AsyncIterable<CopyPiece>,
): Promise<void> {
  const { ready, ended } = begin(connection, text, () => {});
  const wire = await ready;
  for await (const piece of pieces) {
    wire.sendCopyFromChunk(piece.text);
    const drained = wire.stream.writableNeedDrain ? once(wire.stream, 'drain') : null;
    // Where the server has refused a row, or is gone, nothing more is read for it.
    await Promise.race([ended, drained]);
  }
  wire.endCopyFrom();
  await ended;
}

/** The rows of a `COPY … TO STDOUT`. Who leaves before the end leaves a connection that is of no more use. */
export async function* copyOut(connection: PostgresConnection, text: string): AsyncGenerator<CopyPiece> {
  const full: CopyPiece[] = [];
  let [block, at, rows, waiting] = [Buffer.allocUnsafe(pieceBytes), 0, 0, 0];
  let wake = (): void => {};
  let paused = null as Wire | null;

  function handOn(): void {
    if (rows > 0) full.push({ rows, text: block.subarray(0, at) });
    [block, at, rows] = [Buffer.allocUnsafe(pieceBytes), 0, 0];
    wake();
  }

  /** Copies the row: pg reads what comes next into the same memory. */
  function take(row: Buffer, wire: Wire): void {
    if (at + row.length > block.length) {
      handOn();
      if (row.length > block.length) block = Buffer.allocUnsafe(row.length);
    }
    at += row.copy(block, at);
    rows += 1;
    waiting += row.length;
    if (waiting < waitingBytes) return;
    // Nothing more comes until all of it is taken.
    handOn();
    paused = wire;
    wire.stream.pause();
  }

  let isOver = false;
  const { ended } = begin(connection, text, take);
  const over = (): void => {
    isOver = true;
    handOn();
  };
  ended.then(over, over);
  for (;;) {
    const piece = full.shift();
    if (piece !== undefined) {
      yield piece;
      waiting -= piece.text.length;
      if (waiting < waitingBytes / 2) {
        paused?.stream.resume();
        paused = null;
      }
    } else if (isOver) {
      return ended;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}

function begin(connection: PostgresConnection, text: string, heard: (row: Buffer, wire: Wire) => void): Copying {
  const { query } = connection as unknown as { query(own: OwnQuery): void };
  let [fail, end] = [(_: Error): void => {}, (): void => {}];
  const ended = new Promise<void>((resolve, reject) => {
    [fail, end] = [reject, resolve];
  });
  const ready = new Promise<Wire>((resolve, reject) => {
    ended.catch(reject);
    query.call(connection, {
      text,
      submit: (wire) => wire.query(text),
      handleCopyInResponse: resolve,
      handleCopyData: ({ chunk }, wire) => heard(chunk, wire),
      handleCommandComplete: () => {},
      handleError: fail,
      handleReadyForQuery: end,
    });
  });
  // Whoever waits for one of them hears of the failure.
  ready.catch(() => {});
  return { ready, ended };
}
