import type { Io } from '../io.js';

/** What somebody reads: a column's heading, and how its text is made. */
export type Columns<Row> = { readonly [heading: string]: (row: Row) => string };

/** Writes rows below headings, as wide as they need. */
export function table<Row>(io: Io, columns: Columns<Row>, rows: readonly Row[]): void {
  const headings = Object.keys(columns);
  const lines = [headings, ...rows.map((row) => Object.values(columns).map((of) => printable(of(row))))];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines)
    io.out(
      `${line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

/** Writes one line of JSON, for scripts. */
export function writeJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value)}\n`);
}

/**
 * A text that a player chose, as a terminal may be given it: what would move the cursor, hide text or turn its direction is
 * written as its number.
 */
export function printable(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** A moment, to the second. */
export function moment(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/** Tells where the rest of a list is. It goes beside the table, so that this can be piped on. */
export function tellMore(io: Io, cursor: string | undefined): void {
  if (cursor !== undefined) io.err(`There is more: --cursor ${cursor}\n`);
}
