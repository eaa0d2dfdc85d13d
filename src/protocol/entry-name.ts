import * as sizes from './gaps/sizes.js';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

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
  if (controlCharacter.test(name)) return 'a key or collection name must not have control characters';
  if (new TextEncoder().encode(name).length > sizes.entryNameBytes) {
    return `a key or collection name must have at most ${sizes.entryNameBytes} bytes of UTF-8`;
  }
  return null;
}

/** True where the text has no lone surrogate, so that UTF-8 can carry it as it is. */
export function isWellFormed(text: string): boolean {
  // String.prototype.isWellFormed is younger than the browsers that we support.
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}
