import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { rowsOf } from '../../backend/stores/sql/copy-text.js';
import type { CopyPiece, RawTables, RowKey, TableShape } from '../../backend/stores/sql/raw-tables.js';
import { integerOf } from '../../backend/stores/sql/statement.js';

/** What a table holds: how many rows, and a SHA-256 of all of them in the order of the primary key. */
export interface TableDigest {
  table: string;
  rows: number;
  digest: string;
}

/** Rows of a table that lie beside each other, up to the one with this key; null for all that are left. */
export interface TablePart {
  to: RowKey | null;
  digest: string;
}

/** A part of a table has so many bytes, or what is read at once. */
const usualPartBytes = 1024 * 1024;

/** Called for each piece with how many rows it had; what it throws ends the copying. */
type Heard = (rows: number) => void;

/**
 * Copies all rows, and answers what it has read, and each part of it by itself. One store reads while the other one
 * writes.
 */
export async function copyTables(
  from: RawTables,
  to: RawTables,
  { heard, partBytes = usualPartBytes }: { heard: Heard; partBytes?: number | undefined },
): Promise<(TableDigest & { parts: TablePart[] })[]> {
  return each(from.shapes, async (shape) => {
    const [digest, parts] = [createDigest(heard), createParts(shape, partBytes)];
    await to.fill(shape, parts.through(digest.through(from.read(shape))));
    return { table: shape.name, ...digest.end(), parts: parts.end() };
  });
}

function createParts(shape: TableShape, partBytes: number) {
  const parts: TablePart[] = [];
  let [hash, bytes] = [createHash('sha256'), 0];
  return {
    async *through(pieces: AsyncIterable<CopyPiece>): AsyncGenerator<CopyPiece> {
      for await (const piece of pieces) {
        hash.update(piece.text);
        bytes += piece.text.length;
        if (bytes >= partBytes) {
          parts.push({ to: lastKey(shape, piece), digest: hash.digest('hex') });
          [hash, bytes] = [createHash('sha256'), 0];
        }
        yield piece;
      }
    },
    end: (): TablePart[] => [...parts, { to: null, digest: hash.digest('hex') }],
  };
}

function lastKey(shape: TableShape, { text }: CopyPiece): RowKey {
  const lines = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  // The last line ends with a line feed, and no other one is in it.
  return keyOfLine(shape, lines.subarray(lines.lastIndexOf('\n', lines.length - 2) + 1).toString('utf8'));
}

/** The key of a row that is one line, with its line feed. */
export function keyOfLine(shape: TableShape, line: string): RowKey {
  const [row = {}] = rowsOf(shape, line);
  return shape.key.map((column) => String(row[column]));
}

export async function digestTables(tables: RawTables, heard: Heard): Promise<TableDigest[]> {
  return each(tables.shapes, async (shape) => {
    const digest = createDigest(heard);
    for await (const _ of digest.through(tables.read(shape)));
    return { table: shape.name, ...digest.end() };
  });
}

export async function countRows({ shapes, query }: RawTables): Promise<number> {
  const counts = await each(shapes, async ({ name }) => {
    const [row = {}] = await query({ text: `SELECT count(*) AS count FROM @${name}`, values: [] });
    return integerOf(row, 'count');
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The first table that is not the same in both; null where all are. */
export function firstDifference(these: readonly TableDigest[], those: readonly TableDigest[]): string | null {
  const other = new Map(those.map((one) => [one.table, one]));
  const found = these.find(({ table, rows, digest }) => {
    const copy = other.get(table);
    return copy?.rows !== rows || copy.digest !== digest;
  });
  return found?.table ?? null;
}

export function createDigest(heard: Heard) {
  const hash = createHash('sha256');
  let count = 0;
  return {
    async *through(pieces: AsyncIterable<CopyPiece>): AsyncGenerator<CopyPiece> {
      for await (const piece of pieces) {
        hash.update(piece.text);
        count += piece.rows;
        yield piece;
        // SQLite answers at once: without a pause nobody would hear of Ctrl-C.
        await setImmediate();
        heard(piece.rows);
      }
    },
    end: () => ({ rows: count, digest: hash.digest('hex') }),
  };
}

export async function each<From, To>(all: readonly From[], go: (one: From) => Promise<To>): Promise<To[]> {
  const results: To[] = [];
  for (const one of all) results.push(await go(one));
  return results;
}
