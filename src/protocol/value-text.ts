import { fitsUtf8, isWellFormed } from './entry-name.js';
import { sizes } from './gaps/sizes.js';
import type { JsonObject } from './messages.js';

/** The text of a JSON object that every store can keep and give back as it is, or the reason why it is none. */
export type ValueText = { ok: true; text: string } | { ok: false; problem: string; tooLarge?: true };

/**
 * Checks the text of a JSON value, which must already be known to parse.
 * Spec gap: no lone surrogates, no number beyond a double, no integer literal beyond 2^53-1, depth up to 32,
 * up to 150 KiB.
 */
export function checkValueText(text: string, maxBytes: number = sizes.valueBytes): ValueText {
  if (!fitsUtf8(text, maxBytes)) return { ok: false, problem: tooLarge(maxBytes), tooLarge: true };
  if (!isWellFormed(text)) return { ok: false, problem: loneSurrogates };
  let depth = 0;
  for (let at = tokenAt(text, 0); at < text.length; ) {
    const end = tokenEnd(text, at);
    const problem = tokenProblem(text, at, end);
    if (problem !== null) return { ok: false, problem };
    depth += depthChange(text.charCodeAt(at));
    if (depth > sizes.jsonDepth) return { ok: false, problem: tooDeep() };
    at = tokenAt(text, end);
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
  let previous = 0;
  for (let at = tokenAt(json, 0); at < json.length; ) {
    const end = tokenEnd(json, at);
    const first = json.charCodeAt(at);
    if (depth === 1 && memberName === null && first === quote) memberName = JSON.parse(json.slice(at, end)) as string;
    else if (depth === 1 && previous === colon && start < 0) start = at;
    depth += depthChange(first);
    const ends = (depth === 1 && first === comma) || depth === 0;
    if (ends && start >= 0) {
      if (memberName === name) found = json.slice(start, at).trimEnd();
      memberName = null;
      start = -1;
    }
    previous = first;
    at = tokenAt(json, end);
  }
  return found;
}

/**
 * The text of each item of a JSON array, exactly as it was written. `json` must already be known to parse to an array.
 */
export function itemTexts(json: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let start = -1;
  for (let at = tokenAt(json, 0); at < json.length; ) {
    const first = json.charCodeAt(at);
    const step = depthChange(first);
    if (start >= 0 && depth === 1 && (first === comma || step < 0)) {
      items.push(json.slice(start, at).trimEnd());
      start = -1;
    } else if (depth === 1 && start < 0 && step >= 0) start = at;
    depth += step;
    at = tokenAt(json, tokenEnd(json, at));
  }
  return items;
}

/**
 * Writes a value as JSON for the wire. Throws TypeError where `textOfValue` does, and for more than 150 KiB.
 */
export function encodeValue(value: unknown): string {
  const text = textOfValue(value);
  if (!fitsUtf8(text, sizes.valueBytes)) throw new TypeError(tooLarge(sizes.valueBytes));
  return text;
}

/**
 * Writes a value of any size as JSON. Throws TypeError where that would lose something: what is no plain
 * object, NaN or Infinity (JSON has none of them), a Date, Map or class instance, undefined in an array, or what
 * `checkValueText` refuses. Members that are undefined are left out, as everywhere in JavaScript.
 */
export function textOfValue(value: unknown): string {
  if (!isPlainObject(value)) throw new TypeError('a value must be a plain object');
  let text: string;
  try {
    const loss = lossIn(value, 1);
    if (loss !== null) throw new TypeError(loss.problem + placeOf(loss.path));
    text = JSON.stringify(value);
  } catch (error) {
    throw error instanceof TypeError ? error : new TypeError('a value must be JSON', { cause: error });
  }
  return text;
}

/** What JSON.stringify would change or leave out, and where: member by member, from the outermost one. */
interface Loss {
  problem: string;
  path: string[];
}

/** The first loss in a value; null for none. A `toJSON` that JSON.stringify would call is a function, and a loss. */
function lossIn(value: unknown, depth: number): Loss | null {
  const problem = ownLoss(value, depth);
  if (problem !== null) return { problem, path: [] };
  if (typeof value !== 'object' || value === null) return null;
  // Object.keys would skip the holes of an array; its iterator gives them, as undefined.
  for (const name of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    const member = (value as { readonly [name: string | number]: unknown })[name];
    // JSON.stringify leaves members out that are undefined, but not those of an array.
    if (member === undefined && !Array.isArray(value)) continue;
    const isKey = typeof name === 'string' && !isWellFormed(name);
    const loss = isKey ? { problem: loneSurrogates, path: [] } : lossIn(member, depth + 1);
    if (loss === null) continue;
    if (!isKey) loss.path.unshift(String(name));
    return loss;
  }
  return null;
}

/** What is lost of a value itself, whatever its members are. */
function ownLoss(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a value must not hold a ${typeof value}`;
    case 'undefined':
      return 'a value must not hold undefined in an array';
    case 'number':
      if (!Number.isFinite(value)) return `a value must not hold ${value}`;
      return isUnsafeInteger(String(value)) ? unsafeIntegers : null;
    case 'string':
      return isWellFormed(value) ? null : loneSurrogates;
    case 'object':
      if (value !== null && depth > sizes.jsonDepth) return tooDeep();
      if (value === null || Array.isArray(value) || isPlainObject(value)) return null;
      return 'a value must hold plain objects and arrays only';
    default:
      return null;
  }
}

/** Says where in a value something is, so that the one wrong number of a save with a thousand is found. */
function placeOf(path: readonly string[]): string {
  const place = path.join('.');
  return place === '' ? '' : `, as at "${place.length > longestPlace ? `${place.slice(0, longestPlace)}…` : place}"`;
}

/** How many characters of a place are said: the names in it are the game's, of any length. */
const longestPlace = 100;

/** Whether two JSON values are equal, whatever the order of their members. */
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
  // An object of another realm, such as an iframe, has that realm's Object.prototype, which has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

const loneSurrogates = 'a value must not hold lone surrogates';
const unsafeIntegers = 'a value must not hold integers beyond 2^53-1';
const tooDeep = (): string => `a value may be nested ${sizes.jsonDepth} deep at most`;
const tooLarge = (maxBytes: number): string => `a value may have at most ${maxBytes} bytes of UTF-8 JSON`;

function isUnsafeInteger(text: string): boolean {
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text));
}

function tokenProblem(text: string, start: number, end: number): string | null {
  const first = text.charCodeAt(start);
  if (first === quote) {
    const written = text.slice(start, end);
    // Escapes can make a lone surrogate from well-formed text.
    return !written.includes('\\') || isWellFormed(JSON.parse(written) as string) ? null : loneSurrogates;
  }
  if (first !== minus && !isDigit(first)) return null;
  const number = text.slice(start, end);
  if (!Number.isFinite(Number(number))) return 'a value must not hold numbers beyond a double';
  return isUnsafeInteger(number) ? unsafeIntegers : null;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
const isSpace = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d);
/** Whether a character is a token by itself, and so ends the number or word before it. */
const isPunctuation = (code: number): boolean => code === comma || code === colon || depthChange(code) !== 0;

/** By how much a token changes the depth: 1 for `{` and `[`, -1 for `}` and `]`. */
function depthChange(code: number): number {
  if (code === 0x7b || code === 0x5b) return 1;
  return code === 0x7d || code === 0x5d ? -1 : 0;
}

/** Where the next token begins. It compares characters, because a service does this for every value that it stores. */
function tokenAt(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function tokenEnd(text: string, start: number): number {
  const first = text.charCodeAt(start);
  let end = start + 1;
  if (first === quote) {
    while (end < text.length && text.charCodeAt(end) !== quote) end += text.charCodeAt(end) === backslash ? 2 : 1;
    return end + 1;
  }
  if (isPunctuation(first)) return end;
  while (end < text.length && !isPunctuation(text.charCodeAt(end)) && !isSpace(text.charCodeAt(end))) end += 1;
  return end;
}
