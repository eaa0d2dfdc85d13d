import { createReadStream } from 'node:fs';
import { readBytes } from './secrets.js';

const lineFeed = 0x0a;
const pieceBytes = 256 * 1024;
/** Leaves out a byte order mark, which programs on Windows begin a file with. */
const decoder = new TextDecoder();

/**
 * The lines of a file, in UTF-8; null for one of more than `maxBytes`, which is passed over. A line ends with a line
 * feed alone: other ends of lines may stand in a text of JSON.
 */
export async function* linesOf(file: string, maxBytes: number): AsyncGenerator<string | null> {
  let parts: Buffer[] = [];
  let length = 0;
  const end = (): string | null => {
    const text = length > maxBytes ? null : decoder.decode(Buffer.concat(parts));
    [parts, length] = [[], 0];
    return text;
  };
  const add = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else parts.push(part);
  };
  for await (const chunk of createReadStream(file, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, at));
      yield end();
      start = at + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  }
  if (length > 0) yield end();
}

/** How many lines there are, so that it can be said how much is left. */
export async function countLines(file: string): Promise<number> {
  let [lines, last] = [0, lineFeed];
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines += 1;
      last = chunk.at(-1) ?? last;
    }
  } catch {
    // In the words that every command has for it.
    await readBytes(file, 'the file');
  }
  return last === lineFeed ? lines : lines + 1;
}
