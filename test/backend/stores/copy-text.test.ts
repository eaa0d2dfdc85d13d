import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOf, rowsOf } from '../../../src/backend/stores/sql/copy-text.js';

const shape = {
  name: 'entries',
  columns: ['body', 'key', 'version', 'writes'],
  key: ['key'],
  integers: ['version'],
  json: ['writes'],
};
const empty = { body: '', key: '', version: 0, writes: '{}' };

describe('the text of COPY', () => {
  it.each([
    [empty, '\t\t0\t{}\n'],
    [{ ...empty, body: null, version: null }, '\\N\t\t\\N\t{}\n'],
    [{ ...empty, body: '\\N', key: '\\.' }, '\\\\N\t\\\\.\t0\t{}\n'],
    [{ ...empty, body: 'a\tb\nc\rd\\e\bf\fg\vh' }, 'a\\tb\\nc\\rd\\\\e\\bf\\fg\\vh\t\t0\t{}\n'],
    [{ ...empty, body: '\u0001\u001f\u007f\u{1f600}' }, '\u0001\u001f\u007f\u{1f600}\t\t0\t{}\n'],
    [
      { ...empty, writes: '{"bb":["x",1],"a":["y",2],"ä":[],"aa":{}}' },
      '\t\t0\t{"a": ["y", 2], "aa": {}, "bb": ["x", 1], "ä": []}\n',
    ],
    [{ ...empty, writes: '{"a\\"\\u001f":["\\\\",-1]}' }, '\t\t0\t{"a\\\\"\\\\u001f": ["\\\\\\\\", -1]}\n'],
  ])('of %j is as PostgreSQL writes it', (row, line) => {
    expect(lineOf(shape, row)).toBe(line);
  });

  it('gives back what it was made of', () => {
    const unit = fc.constantFrom(
      '\\',
      'N',
      'n',
      't',
      '\t',
      '\n',
      '\r',
      '\b',
      '\v',
      '\f',
      '.',
      'a',
      'ä',
      '\u{1f600}',
      '\u2028',
    );
    const cell = fc.option(fc.string({ unit, maxLength: 6 }));
    const rows = fc.array(fc.record({ body: cell, key: cell, version: cell, writes: fc.constant('{"a":["b",1]}') }), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(rows, (given) => {
        const text = given.map((row) => lineOf(shape, row)).join('');
        expect(JSON.stringify([...rowsOf(shape, text)])).toBe(JSON.stringify(given));
      }),
    );
  });
});
