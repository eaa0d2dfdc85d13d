import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryNameProblem, isWellFormed } from '../../src/protocol/entry-name.js';

describe('entryNameProblem', () => {
  it.each([
    'a',
    'progress',
    'a/b',
    'a b',
    '%2F',
    '...',
    '.a',
    '..a',
    '-1',
    '__proto__',
    'constructor',
    'ключ',
    '鍵',
    '👩‍🚀',
    'e\u0301',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '?',
    '#',
    '\\',
    'a'.repeat(128),
    'é'.repeat(64),
    '😀'.repeat(32),
  ])('takes %j', (name) => {
    expect(entryNameProblem(name)).toBeNull();
  });

  it.each([
    ['no string', 7, /string/],
    ['nothing at all', undefined, /string/],
    ['an empty one', '', /empty/],
    ['a dot', '.', /"\."/],
    ['two dots', '..', /"\."/],
    ['NUL', 'a\0', /control/],
    ['a newline', 'a\nb', /control/],
    ['DEL', '\x7f', /control/],
    ['a C1 control', '\x85', /control/],
    ['a high surrogate alone', 'a\ud83d', /surrogates/],
    ['a low surrogate alone', '\ude00a', /surrogates/],
    ['surrogates the wrong way round', '\ude00\ud83d', /surrogates/],
    ['129 letters', 'a'.repeat(129), /128 bytes/],
    ['65 letters of two bytes', 'é'.repeat(65), /128 bytes/],
    ['33 emoji', '😀'.repeat(33), /128 bytes/],
  ])('refuses %s', (_, name, problem) => {
    expect(entryNameProblem(name)).toMatch(problem);
  });

  it('never echoes the name', () => {
    expect(entryNameProblem('geheim\n')).not.toContain('geheim');
  });
});

describe('isWellFormed', () => {
  it('is true exactly where UTF-8 brings the text back as it was', () => {
    const text = fc.array(fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)));
    fc.assert(
      fc.property(text, (units) => {
        const joined = units.join('');
        const back = new TextDecoder('utf-8', { ignoreBOM: true }).decode(new TextEncoder().encode(joined));
        expect(isWellFormed(joined)).toBe(back === joined);
      }),
      { numRuns: 1_000 },
    );
  });
});
