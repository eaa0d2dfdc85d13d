import type { Slices } from '../../slices.js';
import type { PlacedRecord } from '../records.js';

/** JSON has no line break inside a text, so that one can only stand between two entries. */
const betweenEntries = ',\n';
const [comma, lineBreak] = [0x2c, 0x0a];

/** The entries of a snapshot as it is kept: JSON, with a line for each, so that it can be parsed in slices. */
export function textOfSnapshot(entries: readonly PlacedRecord[]): string {
  return `[${entries.map((entry) => JSON.stringify(entry)).join(betweenEntries)}]`;
}

export function entriesOfText(text: string): PlacedRecord[] {
  return JSON.parse(text) as PlacedRecord[];
}

/**
 * The same of the text's bytes, line by line in many turns of the event loop. Snapshots that are as old as the first table
 * have all entries in one line.
 */
export async function entriesInSlices(bytes: Uint8Array, slices: Slices): Promise<PlacedRecord[]> {
  const decoder = new TextDecoder();
  const entries: PlacedRecord[] = [];
  // Between the brackets.
  for (let [start, last] = [1, bytes.length - 1]; start < last; ) {
    if (slices.isOver()) await slices.pause();
    const found = bytes.indexOf(lineBreak, start);
    const end = found < 0 ? last : found;
    const line = decoder.decode(bytes.subarray(start, bytes[end - 1] === comma ? end - 1 : end));
    for (const entry of entriesOfText(`[${line}]`)) entries.push(entry);
    start = end + 1;
  }
  return entries;
}
