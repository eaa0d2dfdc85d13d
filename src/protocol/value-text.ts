import { isWellFormed, utf8Length } from './entry-name.js';
import * as sizes from './gaps/sizes.js';
import type { JsonObject } from './messages.js';

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]|true|false|null/gy;
const space = /[ \t\n\r]*/y;

/** Text of a JSON object that every store keeps and gives back as it is, or why it cannot be. */
export type ValueText = { ok: true; text: string } | { ok: false; problem: string; tooLarge?: true };

/**
 * Checks the text of a JSON value, which must already be known to parse.
 * Spec gap: no lone surrogates, no number beyond a double, no integer literal beyond 2^53-1, depth up to 32,
 * up to 150 KiB.
 */
export function checkValueText(text: string, maxBytes: number = sizes.valueBytes): ValueText {
  if (utf8Length(text) > maxBytes) return { ok: false, problem: tooLarge(maxBytes), tooLarge: true };
  let depth = 0;
  for (const part of tokens(text)) {
    const problem = tokenProblem(part.text);
    if (problem !== null) return { ok: false, problem };
    if (part.text === '{' || part.text === '[') depth += 1;
    if (part.text === '}' || part.text === ']') depth -= 1;
    if (depth > sizes.jsonDepth) return { ok: false, problem: tooDeep() };
  }
  return { ok: true, text };
}

/**
 * The text of one member of a JSON object, exactly as it was written: key order and numbers come back as they
 * were. `json` must already be known to parse to an object. The last of equal names counts, as in JSON.parse.
 */
export function memberText(json: string, name: string): string | null {
  let found: string | null = null;
  let depth = 0;
  let memberName: string | null = null;
  let start = -1;
  let previous = '';
  for (const part of tokens(json)) {
    if (depth === 1 && memberName === null && part.text.startsWith('"')) memberName = JSON.parse(part.text) as string;
    else if (depth === 1 && previous === ':' && start < 0) start = part.start;
    if (part.text === '{' || part.text === '[') depth += 1;
    if (part.text === '}' || part.text === ']') depth -= 1;
    const ends = (depth === 1 && part.text === ',') || (depth === 0 && part.text === '}');
    if (ends && start >= 0) {
      if (memberName === name) found = json.slice(start, part.start).trimEnd();
      memberName = null;
      start = -1;
    }
    previous = part.text;
  }
  return found;
}

/** The text of each item of a JSON array, exactly as it was written. `json` must already be known to parse to an array. */
export function itemTexts(json: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = -1;
  for (const part of tokens(json)) {
    const closes = part.text === '}' || part.text === ']';
    if (start >= 0 && depth === 1 && (part.text === ',' || closes)) {
      items.push(json.slice(start, part.start).trimEnd());
      start = -1;
    } else if (depth === 1 && start < 0 && !closes) start = part.start;
    if (part.text === '{' || part.text === '[') depth += 1;
    if (closes) depth -= 1;
  }
  return items;
}

/**
 * Writes a value as JSON for the wire. Throws TypeError where that would lose something: what is no plain
 * object, NaN or Infinity (JSON has none of them), a Date, Map or class instance, undefined in an array, or what `checkValueText` refuses.
 * Members that are undefined are left out, as everywhere in JavaScript.
 */
export function encodeValue(value: unknown): string {
  if (!isPlainObject(value)) throw new TypeError('a value must be a plain object');
  let text: string;
  try {
    refuseLossy(value, 1);
    text = JSON.stringify(value);
  } catch (error) {
    throw error instanceof TypeError ? error : new TypeError('a value must be JSON', { cause: error });
  }
  if (utf8Length(text) > sizes.valueBytes) throw new TypeError(tooLarge(sizes.valueBytes));
  return text;
}

/** What it lets through, JSON.stringify writes as it is: a `toJSON` that it would call is a function, and refused. */
function refuseLossy(value: unknown, depth: number): void {
  const kind = typeof value;
  if (kind === 'bigint' || kind === 'function' || kind === 'symbol')
    throw new TypeError(`a value must not hold a ${kind}`);
  if (kind === 'number' && !Number.isFinite(value)) throw new TypeError(`a value must not hold ${String(value)}`);
  if (kind === 'number' && isUnsafeInteger(String(value))) throw new TypeError(unsafeIntegers);
  if (kind === 'string' && !isWellFormed(value as string)) throw new TypeError(loneSurrogates);
  if (kind !== 'object' || value === null) return;
  if (depth > sizes.jsonDepth) throw new TypeError(tooDeep());
  if (Array.isArray(value)) {
    // Not forEach, which would pass over a hole.
    for (const item of value) {
      if (item === undefined) throw new TypeError('a value must not hold undefined in an array');
      refuseLossy(item, depth + 1);
    }
    return;
  }
  if (!isPlainObject(value)) {
    throw new TypeError('a value must hold plain objects and arrays only');
  }
  for (const [name, member] of Object.entries(value)) {
    // JSON.stringify leaves the others out.
    if (member === undefined) continue;
    refuseLossy(name, depth);
    refuseLossy(member, depth + 1);
  }
}

/** Whether two JSON values say the same, whatever the order of their members. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => sameJson(item, right[index]));
  }
  if (!isPlainObject(left) || !isPlainObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name], right[name]))
  );
}

export function isPlainObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object of another realm (an iframe) has that realm's Object.prototype: one above it there is nothing.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const loneSurrogates = 'a value must not hold lone surrogates';
const unsafeIntegers = 'a value must not hold integers beyond 2^53-1';
const tooDeep = (): string => `a value may be nested ${sizes.jsonDepth} deep at most`;
const tooLarge = (maxBytes: number): string => `a value may have at most ${maxBytes} bytes of UTF-8 JSON`;

function isUnsafeInteger(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}

function tokenProblem(part: string): string | null {
  if (part.startsWith('"')) {
    // Escapes can make a lone surrogate from well-formed text, and the raw text can hold one as well.
    return isWellFormed(part.includes('\\') ? (JSON.parse(part) as string) : part) ? null : loneSurrogates;
  }
  const first = part.charCodeAt(0);
  if (first !== 0x2d && (first < 0x30 || first > 0x39)) return null;
  if (!Number.isFinite(Number(part))) return 'a value must not hold numbers beyond a double';
  return isUnsafeInteger(part) ? unsafeIntegers : null;
}

function* tokens(text: string): Generator<{ text: string; start: number }> {
  let position = 0;
  while (position < text.length) {
    space.lastIndex = position;
    space.test(text);
    position = space.lastIndex;
    token.lastIndex = position;
    const match = token.exec(text);
    if (match === null) return;
    yield { text: match[0], start: position };
    position += match[0].length;
  }
}
