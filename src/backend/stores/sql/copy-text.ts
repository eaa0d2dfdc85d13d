import type { TableShape } from './raw-tables.js';
import type { SqlRow } from './statement.js';

/**
 * Rows in PostgreSQL's text format of COPY (https://www.postgresql.org/docs/current/sql-copy.html): a line for each,
 * its columns by name, with tabs between. PostgreSQL reads and writes it by itself; this is the same for SQLite, so
 * that equal rows are equal text.
 */

const backslash = '\\';
const escapes: { readonly [character: string]: string } = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const unescapes = new Map(Object.entries(escapes).map(([character, escaped]) => [escaped, character]));
unescapes.set(backslash + backslash, backslash);
const nothing = '\\N';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped.
const control = /[\u0008-\u000d]/;
const everyControl = new RegExp(control, 'g');

/** A row as its line, with the line feed. */
export function lineOf({ columns, json }: TableShape, row: SqlRow): string {
  const cells = columns.map((column) => {
    const value = row[column];
    if (value === null) return nothing;
    // Most cells are numbers, which have nothing to escape.
    if (typeof value !== 'string') return String(value);
    return escaped(json.includes(column) ? jsonText(value) : value);
  });
  return `${cells.join('\t')}\n`;
}

/** The rows of some lines. All that is no null is text. */
export function* rowsOf({ columns, json }: TableShape, text: string): Generator<SqlRow> {
  const lines = text.split('\n');
  // Behind the last line feed there is nothing.
  lines.pop();
  for (const line of lines) {
    const cells = line.split('\t');
    const row: { [column: string]: string | null } = {};
    columns.forEach((column, index) => {
      const cell = cells[index] ?? nothing;
      const value = cell === nothing ? null : unescaped(cell);
      row[column] = value !== null && json.includes(column) ? JSON.stringify(JSON.parse(value)) : value;
    });
    yield row;
  }
}

function escaped(text: string): string {
  // Saves are JSON, which has many of these and none of the others.
  const sound = text.includes(backslash) ? text.replaceAll(backslash, backslash + backslash) : text;
  return control.test(sound) ? sound.replace(everyControl, (character) => escapes[character] ?? character) : sound;
}

function unescaped(text: string): string {
  return text.includes(backslash) ? text.replace(/\\./g, (pair) => unescapes.get(pair) ?? pair) : text;
}

/**
 * JSON as PostgreSQL writes a jsonb: the shorter key before the longer one, keys of one length by their bytes, a space
 * behind colons and commas. Its numbers are integers here, which have one form.
 */
function jsonText(text: string): string {
  return text === '{}' ? text : asJsonb(JSON.parse(text));
}

function asJsonb(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asJsonb).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.entries(value).map(([key, held]) => ({ key, bytes: encoder.encode(key), held }));
  keys.sort((one, other) => one.bytes.length - other.bytes.length || compareBytes(one.bytes, other.bytes));
  return `{${keys.map(({ key, held }) => `${JSON.stringify(key)}: ${asJsonb(held)}`).join(', ')}}`;
}

const encoder = new TextEncoder();

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
