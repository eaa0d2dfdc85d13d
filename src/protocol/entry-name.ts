import { sizes } from './gaps/sizes.js';

/**
 * Says why a collection's name or an entry's key cannot be used, or null.
 * Spec gap: any Unicode, 1 to 128 bytes of UTF-8, without control characters and lone surrogates; not `.` or `..`,
 * which URL parsers eat.
 */
export function entryNameProblem(name: unknown): string | null {
  if (typeof name !== 'string') return 'a key or collection name must be a string';
  if (name === '') return 'a key or collection name must not be empty';
  if (name === '.' || name === '..') return 'a key or collection name must not be "." or ".."';
  if (!isWellFormed(name)) return 'a key or collection name must not have lone surrogates';
  if (/\p{Cc}/u.test(name)) return 'a key or collection name must not have control characters';
  if (!fitsUtf8(name, sizes.entryNameBytes)) {
    return `a key or collection name must have at most ${sizes.entryNameBytes} bytes of UTF-8`;
  }
  return null;
}

/**
 * A collection's name or an entry's key as one segment of a path.
 * Throws TypeError for a name that could not be stored, or that a URL parser would eat (`.`, `..`).
 */
export function entrySegment(name: string): string {
  const wrong = entryNameProblem(name);
  if (wrong !== null) throw new TypeError(wrong);
  return encodeURIComponent(name);
}

/** Whether a text has at most so many bytes in UTF-8, where one unit of UTF-16 takes three at most. */
export function fitsUtf8(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || new TextEncoder().encode(text).length <= maxBytes;
}

/** True where the text has no lone surrogate, so that UTF-8 can carry it as it is. */
export function isWellFormed(text: string): boolean {
  // With the flag `u` a pair is one character, so that only a lone half is found. String.prototype.isWellFormed is
  // younger than the browsers that we support.
  return !/\p{Surrogate}/u.test(text);
}
