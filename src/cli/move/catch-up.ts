import { createHash } from 'node:crypto';
import type { CopyPiece, RawTables, RowKey, RowRange, TableShape } from '../../backend/stores/sql/raw-tables.js';
import { createDigest, each, keyOfLine, type TableDigest, type TablePart } from './copy-tables.js';

/** What was copied of a store before, while others wrote to it. */
export type Copied = readonly { table: string; rows: number; parts: readonly TablePart[] }[];

/**
 * Makes a copy what the store is now, and answers what that is. All of the store is read once more, part by part; of
 * the copy only the parts that are not the same any more, once before they are changed and once after.
 */
export async function catchUp(
  from: RawTables,
  to: RawTables,
  { copied, heard }: { copied: Copied; heard(rows: number): void },
): Promise<{ tables: TableDigest[]; changed: number }> {
  let changed = 0;
  const tables = await each(from.shapes, async (shape) => {
    const digest = createDigest(heard);
    const parts = copied.find(({ table }) => table === shape.name)?.parts ?? [];
    let after: RowKey | null = null;
    for (const part of parts) {
      const range: RowRange = { after, to: part.to };
      const there = await textOf(digest.through(from.read(shape, range)));
      after = part.to;
      if (digestOf(there) === part.digest) continue;
      changed += await renew(to, shape, { range, there });
    }
    return { table: shape.name, ...digest.end() };
  });
  return { tables, changed };
}

/** Answers how many rows it has added, changed or removed. */
async function renew(
  to: RawTables,
  shape: TableShape,
  { range, there }: { range: RowRange; there: Buffer },
): Promise<number> {
  const [had, wanted] = [linesOf(await textOf(to.read(shape, range))), linesOf(there)];
  const removed = [...had].filter((line) => !wanted.has(line)).map((line) => keyOfLine(shape, line));
  const added = [...wanted].filter((line) => !had.has(line));
  await to.replace(shape, { removed, added: { rows: added.length, text: Buffer.from(added.join(''), 'utf8') } });
  if (!(await textOf(to.read(shape, range))).equals(there))
    throw new Error(`${shape.name} is not the same in both stores`);
  return Math.max(removed.length, added.length);
}

/** No two are the same: each has a key. */
function linesOf(text: Buffer): Set<string> {
  const lines = text.toString('utf8').split('\n').slice(0, -1);
  return new Set(lines.map((line) => `${line}\n`));
}

async function textOf(pieces: AsyncIterable<CopyPiece>): Promise<Buffer> {
  const texts: Uint8Array[] = [];
  for await (const { text } of pieces) texts.push(text);
  return Buffer.concat(texts);
}

function digestOf(text: Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}
