import { sizes } from './gaps/sizes.js';

/**
 * Says why a collection's name or an entry's key cannot be used; null where it can.
 * Spec gap: a name is any Unicode text of 1 to 128 bytes of UTF-8 without control characters and lone surrogates. It is
 * neither `.` nor `..`, because URL parsers remove such segments from a path.
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
 * Encodes a collection's name or an entry's key as a segment of a path. Throws TypeError for one that cannot be used.
 */
export function entrySegment(name: string): string {
  const wrong = entryNameProblem(name);
  if (wrong !== null) throw new TypeError(wrong);
  return encodeURIComponent(name);
}

/**
 * Whether a text has at most so many bytes in UTF-8. A unit of UTF-16 takes three at most, so short texts need no
 * count.
 */
export function fitsUtf8(text: string, maxBytes: number): boolean {
  return text.length * 3 <= maxBytes || new TextEncoder().encode(text).length <= maxBytes;
}

/** True where the text has no lone surrogate, so that UTF-8 can carry it as it is. */
export function isWellFormed(text: string): boolean {
  // With the flag `u` a surrogate pair is one character, so only a lone surrogate matches.
  // String.prototype.isWellFormed would say the same, but some of the browsers that we support do not have it.
  return !/\p{Surrogate}/u.test(text);
}
