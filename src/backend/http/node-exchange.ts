import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSlices } from '../slices.js';
import { type Answer, type BodyStream, isStream, lengthOfText, type Text, wholeText } from './answers.js';
import { concat, type ReadBytes } from './body.js';
import type { ByteBudget } from './byte-budget.js';
import type { Outgoing } from './node-connections.js';

/**
 * Reads a body as it arrives, and holds it until the answer has left. Where it is too large, or too much arrives at
 * once, the rest stays unread: Node drops it after the answer.
 */
export function bodyReader(incoming: IncomingMessage, response: ServerResponse, arriving: ByteBudget): ReadBytes {
  return (maxBytes, address = '') =>
    new Promise((resolve) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      const held = arriving.begin(address, () => {
        incoming.pause();
        finish('crowded');
      });
      response.once('close', held.end);
      const finish = (result: Awaited<ReturnType<ReadBytes>>): void => {
        incoming.off('data', take).off('end', end).off('close', cut).off('error', cut);
        if (result instanceof Uint8Array) held.keep();
        else {
          held.end();
          chunks.length = 0;
        }
        resolve(result);
      };
      const take = (chunk: Uint8Array): void => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBytes) {
          held.hold(size);
          return;
        }
        incoming.pause();
        finish(null);
      };
      const end = (): void => finish(concat(chunks, size));
      const cut = (): void => finish('cut');
      if (incoming.readableEnded) end();
      else if (incoming.destroyed) cut();
      else incoming.on('data', take).once('end', end).once('close', cut).once('error', cut);
    });
}

/** So much is handed to the system at once. A client must take it within the port's `writeMs`. */
const pieceBytes = 16 * 1024;

/**
 * Writes an answer as fast as the client reads it, a large one with pauses, in which others are served. Settles when all
 * of it is handed over, or the connection is cut.
 */
export async function writeAnswer(outgoing: Outgoing, answer: Answer): Promise<void> {
  const { response } = outgoing;
  const { status, headers, body } = answer;
  // Behind a proxy, the peer is the same for all.
  if (answer.address !== undefined) outgoing.address = answer.address;
  const written: { [name: string]: string | number } = Object.fromEntries(headers);
  if (isStream(body)) {
    response.writeHead(status, written);
    return writePieces(outgoing, piecesOf(body));
  }
  if (body === null) {
    response.writeHead(status, written);
    response.end();
    return;
  }
  if (lengthOfText(body) <= pieceBytes) {
    const text = wholeText(body);
    written['Content-Length'] = Buffer.byteLength(text);
    response.writeHead(status, written);
    // Node writes the headers and a body that is given with the end at once.
    response.end(text);
    return;
  }
  const { sent, held } = measure(body);
  written['Content-Length'] = sent;
  response.writeHead(status, written);
  await writePieces(outgoing, oneOf({ content: body, held }));
}

/** How many bytes of UTF-8 a text is, and how many it takes in memory at most: two for each unit where it has more than ASCII. */
function measure(text: Text): { sent: number; held: number } {
  let [sent, held] = [0, 0];
  for (const part of partsOf(text)) {
    const bytes = Buffer.byteLength(part);
    sent += bytes;
    held += bytes === part.length ? bytes : 2 * part.length;
  }
  return { sent, held };
}

function partsOf(text: Text): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

/** Writes somebody else's Response in the same way. */
export async function writeResponse(outgoing: Outgoing, answered: Response): Promise<void> {
  const { response } = outgoing;
  const { status, headers, body } = answered;
  const written: { [name: string]: string | string[] | number } = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) written['set-cookie'] = cookies;
  if (body === null) {
    response.writeHead(status, written);
    response.end();
    return;
  }
  written['content-type'] ??= 'text/plain; charset=UTF-8';
  const reader = body.getReader();
  const next = async () => (await reader.read()).value ?? null;
  const close = () => void reader.cancel().catch(() => {});
  // A body that goes on, such as one of events, ends with its connection, and not only with the next piece.
  response.once('close', close);
  const first = await next();
  const second = next();
  // Unless the rest is still to come, its length can be said.
  const isWhole = (await Promise.race([second, soon()])) === null;
  if (isWhole) written['content-length'] ??= first?.length ?? 0;
  response.writeHead(status, written);
  const begun = [first, second];
  const nextOf = async () => (begun.length > 0 ? (begun.shift() ?? null) : next());
  const piece = (content: Uint8Array | null) => content && { content, held: content.length };
  await writePieces(outgoing, { next: async () => piece(await nextOf()), close });
}

function soon(): Promise<undefined> {
  return new Promise((resolve) => setImmediate(resolve, undefined));
}

interface Piece {
  content: Text | Uint8Array;
  /** So many bytes of memory it takes until all of it is written. */
  held: number;
}

interface Pieces {
  next(): Promise<Piece | null>;
  close(): void;
}

function piecesOf(body: BodyStream): Pieces {
  return {
    async next() {
      const content = await body.next();
      return content === null ? null : { content, held: measure(content).held };
    },
    close: () => body.close(),
  };
}

function oneOf(whole: Piece): Pieces {
  let left: Piece | null = whole;
  return {
    async next() {
      const piece = left;
      left = null;
      return piece;
    },
    close() {},
  };
}

function* smallPieces(content: Text | Uint8Array): Generator<Uint8Array> {
  if (!(content instanceof Uint8Array)) return yield* smallTexts(content);
  for (let at = 0; at < content.length; at += pieceBytes) yield content.subarray(at, at + pieceBytes);
}

/** A text is encoded piece by piece: a client that does not read keeps one copy of it. */
function* smallTexts(text: Text): Generator<Uint8Array> {
  let small = '';
  function take(): Uint8Array {
    const bytes = Buffer.from(small);
    small = '';
    return bytes;
  }
  for (const part of partsOf(text)) {
    for (let at = 0; at < part.length; ) {
      let end = at + pieceBytes - small.length;
      // Both halves of a character go together.
      if ((part.charCodeAt(end - 1) & 0xfc00) === 0xd800) end += 1;
      small += part.slice(at, end);
      at = end;
      if (small.length >= pieceBytes) yield take();
    }
  }
  if (small !== '') yield take();
}

async function writePieces(outgoing: Outgoing, pieces: Pieces): Promise<void> {
  const { response, clock } = outgoing;
  // By what writing itself takes: whoever reads slowly is waited for, and takes no turn of those who pause.
  let workedMs = 0;
  const slices = createSlices(() => workedMs, outgoing.pause);
  try {
    for (;;) {
      const piece = await pieces.next();
      if (piece === null) break;
      let resumedAt = clock();
      for (const bytes of smallPieces(piece.content)) {
        const isWritten = outgoing.write(bytes, piece.held);
        workedMs += clock() - resumedAt;
        if (!(await isWritten)) return;
        // The system takes megabytes at once for a client who reads fast.
        if (slices.isOver()) await slices.pause();
        resumedAt = clock();
      }
    }
    response.end();
  } catch {
    // What has been sent must not look like a whole answer.
    response.destroy();
  } finally {
    outgoing.end();
    pieces.close();
  }
}
