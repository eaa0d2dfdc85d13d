import type { Io } from '../io.js';

/** What somebody reads: a column's heading, and how its text is made. */
export type Columns<Row> = { readonly [heading: string]: (row: Row) => string };

/**
 * Writes rows below headings, as wide as they need. On a terminal that is narrower than that, which would break the
 * lines anywhere, each row is a block of its own with a line for each column that has something.
 */
export function table<Row>(io: Io, columns: Columns<Row>, rows: readonly Row[]): void {
  const headings = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((of) => printable(of(row))));
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => row[at]?.length ?? 0)));
  const width = widths.reduce((sum, column) => sum + column + 2, -2);
  if (io.width !== undefined && width > io.width && rows.length > 0) {
    io.out(cells.map((row) => block(headings, row)).join('\n'));
    return;
  }
  for (const line of [headings, ...cells])
    io.out(
      `${line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
}

function block(headings: readonly string[], row: readonly string[]): string {
  const width = Math.max(...headings.map(({ length }) => length));
  return headings.map((heading, at) => (row[at] === '' ? '' : `${heading.padEnd(width)}  ${row[at]}\n`)).join('');
}

/** Writes one line of JSON, for scripts. */
export function writeJson(io: Io, value: unknown): void {
  io.out(`${JSON.stringify(value)}\n`);
}

/** Says what was done: in a line of JSON where the command line asks for that, in a sentence where it does not. */
export function tellDone(
  io: Io,
  { json }: { json?: boolean | undefined },
  done: { readonly [member: string]: unknown },
  sentence: string,
): void {
  if (json === true) writeJson(io, done);
  else io.out(`${sentence}\n`);
}

/**
 * A text that a player chose, as a terminal may be given it: what would move the cursor, hide text or turn its
 * direction is written as its number.
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
