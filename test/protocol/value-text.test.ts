import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizes } from '../../src/protocol/gaps/sizes.js';
import {
  checkValueText,
  encodeValue,
  isPlainObject,
  itemTexts,
  memberText,
  sameJson,
} from '../../src/protocol/value-text.js';

/** JSON as somebody may write it: white space anywhere, escapes that nobody needs, numbers in odd forms. */
const jsonText = fc.letrec<{ value: string; object: string }>((tie) => {
  const space = fc.constantFrom('', '', ' ', '\n', '\t ', ' \r\n ');
  const string = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      '"\\u0041"',
      '"\\/"',
      '"a\\"b"',
      '"\\\\"',
      '"{"',
      '"],"',
      '":"',
      '"value"',
      '"1"',
      '"__proto__"',
      '""',
    ),
  );
  const number = fc.constantFrom('0', '-0', '1.0', '1e2', '-1.5E-3', '10', '0.10', '1E+2');
  const spaced = (inner: fc.Arbitrary<string>) => fc.tuple(space, inner, space).map((parts) => parts.join(''));
  // JSON.parse of Node 24.21 takes some names that are written with escapes for others: it cannot judge those. They have
  // cases of their own below.
  const name = string.filter((text) => !text.includes('\\'));
  const member = fc.tuple(spaced(name), spaced(tie('value'))).map(([written, value]) => `${written}:${value}`);
  return {
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom('true', 'false', 'null'),
      string,
      number,
      fc.array(spaced(tie('value')), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      tie('object'),
    ),
    object: fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(',')}}`),
  };
});

describe('itemTexts', () => {
  it.each([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', ['1']],
    [
      '[ 1.0 ,\n"a,]" , [1,[2],3] ,{"b" : [ ],"a":1e2}, null ]',
      ['1.0', '"a,]"', '[1,[2],3]', '{"b" : [ ],"a":1e2}', 'null'],
    ],
    ['[[],[[]],{}]', ['[]', '[[]]', '{}']],
  ])('gives the items of %j as they were written', (json, items) => {
    expect(itemTexts(json)).toEqual(items);
  });

  it('gives as many items as there are, each with its value, for any JSON', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (list, space) => {
        const json = JSON.stringify(list, null, space);
        expect(itemTexts(json).map((text) => JSON.parse(text))).toEqual(JSON.parse(json));
      }),
    );
  });
});

describe('memberText', () => {
  it.each([
    ['as it was written', '{"value":{"b":1.0,"a":[1 ,2]},"version":3}', '{"b":1.0,"a":[1 ,2]}'],
    ['without the white space around it', '{ "value" :\n { "a" : 1 } \n, "version":0}', '{ "a" : 1 }'],
    ['the last of equal names', '{"value":{"a":1},"value":{"a":2}}', '{"a":2}'],
    ['its name written with escapes', '{"v\\u0061lue":{"a":1}}', '{"a":1}'],
    ['its name, and others with escapes before it', '{"\\u0041":1,"\\/":2,"\\"":3,"val\\u0075e":4,"\\\\":5}', '4'],
    ['not the one of an inner object', '{"x":{"value":1},"value":{"value":2}}', '{"value":2}'],
    ['not the one in an array', '{"x":[{"value":1}],"value":[]}', '[]'],
    ['integer-like keys in their own order', '{"value":{"10":1,"9":2,"a":3,"1":4}}', '{"10":1,"9":2,"a":3,"1":4}'],
    ['a text that looks like JSON', '{"value":"},\\"value\\":{","x":1}', '"},\\"value\\":{"'],
    ['a backslash at the end of a text', '{"x":"\\\\","value":"\\\\"}', '"\\\\"'],
    ['numbers as they are', '{"value":-0.10E+2}', '-0.10E+2'],
    ['null', '{"value":null}', 'null'],
    ['an empty object', '{"value":{}}', '{}'],
    ['a member whose name is a value elsewhere', '{"a":"value","value":1}', '1'],
    ['nested brackets', '{"value":[[],[{}],{"a":[]}],"b":1}', '[[],[{}],{"a":[]}]'],
  ])('gives %s', (_, json, text) => {
    expect(memberText(json, 'value')).toBe(text);
  });

  it.each(['{}', '{"values":1}', '{"x":{"value":1}}', '{"x":"value"}', '[{"value":1}]', '"value"', 'null'])(
    'finds nothing in %s',
    (json) => {
      expect(memberText(json, 'value')).toBeNull();
    },
  );

  it('gives a text that parses to what JSON.parse gives the member, and that stands in the whole', () => {
    fc.assert(
      fc.property(jsonText.object, (json) => {
        const parsed = JSON.parse(json) as Record<string, unknown>;
        for (const name of [...Object.keys(parsed), 'no such member']) {
          const text = memberText(json, name);
          if (!Object.hasOwn(parsed, name)) expect(text).toBeNull();
          else {
            expect(JSON.parse(text ?? 'nothing')).toEqual(parsed[name]);
            expect(json).toContain(text);
            expect(text).toBe(text?.trim());
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('checkValueText', () => {
  it('takes every JSON text of common numbers as it is', () => {
    fc.assert(
      fc.property(jsonText.object, (json) => {
        expect(checkValueText(json)).toEqual({ ok: true, text: json });
      }),
    );
  });

  it.each([
    ['the largest safe integers', '{"a":9007199254740991,"b":-9007199254740991}'],
    ['large numbers that are no integer literals', '{"a":1e300,"b":9007199254740993.5,"c":1e16}'],
    ['numbers that become zero', '{"a":1e-400}'],
    ['digits in a text', '{"a":"9007199254740993","b":"1e999"}'],
    ['an escaped pair', '{"a":"\\ud83d\\ude00"}'],
    ['NUL', '{"a":"\\u0000"}'],
    ['32 levels', `{"a":${'['.repeat(31)}${']'.repeat(31)}}`],
  ])('takes %s', (_, text) => {
    expect(checkValueText(text)).toEqual({ ok: true, text });
  });

  it.each([
    ['an integer beyond 2^53-1', '{"a":9007199254740992}', /integers/],
    ['a negative one', '{"a":[-9007199254740993]}', /integers/],
    ['a number beyond a double', '{"a":1e309}', /double/],
    ['a long integer beyond a double', `{"a":${'9'.repeat(400)}}`, /double/],
    ['an escaped high surrogate alone', '{"a":"\\ud83d"}', /surrogates/],
    ['an escaped low surrogate alone', '{"a":"\\uDE00x"}', /surrogates/],
    ['a raw surrogate alone', '{"a":"\ud83d"}', /surrogates/],
    ['a raw one that meets an escaped one the wrong way round', '{"a":"\ude00\\ud83d"}', /surrogates/],
    ['a surrogate in a name', '{"\\ud83d":1}', /surrogates/],
    ['33 levels', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`, /32 deep/],
  ])('refuses %s', (_, text, problem) => {
    expect(checkValueText(text)).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
  });

  it('counts depth, not brackets: siblings are no levels, and brackets in a text are none', () => {
    const text = `{"a":[${Array(40).fill('[]').join(',')}],"b":"${'['.repeat(40)}"}`;
    expect(checkValueText(text).ok).toBe(true);
  });

  it('measures bytes of UTF-8, not characters', () => {
    const text = (letters: number): string => `{"a":"${'é'.repeat(letters)}"}`;
    const most = (sizes.valueBytes - 8) / 2;
    expect(checkValueText(text(most)).ok).toBe(true);
    expect(checkValueText(text(most + 1))).toMatchObject({ ok: false, tooLarge: true });
    expect(checkValueText(text(1), 9)).toMatchObject({ ok: false, tooLarge: true });
    expect(checkValueText(text(1), 10).ok).toBe(true);
  });
});

describe('encodeValue', () => {
  it('writes what reads back the same', () => {
    const values = fc.dictionary(
      fc.string({ unit: 'grapheme' }),
      fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 }).filter((value) => !JSON.stringify(value).match(/\d{16}/)),
    );
    fc.assert(
      fc.property(values, (value) => {
        const text = encodeValue(value);
        expect(sameJson(JSON.parse(text), JSON.parse(JSON.stringify(value)))).toBe(true);
        expect(checkValueText(text).ok).toBe(true);
      }),
    );
  });

  it('refuses of what JSON can say just what checkValueText refuses, and writes the rest as JSON.stringify does', () => {
    const string = fc.string({
      unit: fc.constantFrom('a', '9', 'é', '"', '\\', '{', '\ud83d', '\ude00'),
      maxLength: 4,
    });
    const deep = fc.integer({ min: 29, max: 33 }).map((levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)));
    const scalar = fc.oneof(
      { weight: 5, arbitrary: fc.oneof(fc.boolean(), fc.integer(), fc.constant(null)) },
      fc.double({ noDefaultInfinity: true, noNaN: true }),
      fc.constantFrom(2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e20, 1e21, -0),
      string,
      deep,
    );
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(string, tie('json'), { maxKeys: 3 }),
      ),
    }));
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(fc.dictionary(string, json, { maxKeys: 3 }), (value) => {
        const text = JSON.stringify(value);
        const checked = checkValueText(text);
        seen[checked.ok ? 'taken' : 'refused'] += 1;
        if (checked.ok) expect(encodeValue(value)).toBe(text);
        else expect(() => encodeValue(value)).toThrow(TypeError);
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(100);
  });

  it('leaves out what is undefined, as JSON does', () => {
    expect(encodeValue({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(encodeValue({ '\ud83d': undefined })).toBe('{}');
  });

  it('takes objects of another realm and without a prototype, and a member named __proto__', () => {
    expect(encodeValue(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(encodeValue(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}');
  });

  class Hero {
    level = 1;
  }
  const loop: Record<string, unknown> = {};
  loop['self'] = loop;

  it.each([
    ['null', null],
    ['undefined', undefined],
    ['an array', []],
    ['a text', '{}'],
    ['a number', 1],
    ['a function', () => 1],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a class instance', new Hero()],
    ['NaN inside', { a: Number.NaN }],
    ['Infinity inside', { a: [Number.POSITIVE_INFINITY] }],
    ['a bigint inside', { a: 1n }],
    ['a function inside', { a: () => 1 }],
    ['a symbol inside', { a: Symbol('a') }],
    ['undefined in an array', { a: [undefined] }],
    ['a hole in an array', { a: new Array(1) }],
    ['a Date inside, though it has toJSON', { a: new Date(0) }],
    ['a Set inside', { a: new Set([1]) }],
    ['a class instance inside', { a: { b: new Hero() } }],
    ['a typed array inside', { a: new Uint8Array(2) }],
    ['a wrapped number inside', { a: Object(1) }],
    ['a plain object that writes itself otherwise', { a: { toJSON: () => 1 } }],
    ['a lone surrogate in a name', { a: { '\ude00': 1 } }],
    ['an integer beyond 2^53-1', { a: 2 ** 53 }],
    ['a lone surrogate', { a: '\ud83d' }],
    ['a circle', loop],
    ['more than 150 KiB', { a: 'x'.repeat(sizes.valueBytes) }],
    ['33 levels', JSON.parse(`{"a":${'['.repeat(32)}${']'.repeat(32)}}`)],
  ])('throws TypeError for %s', (_, value) => {
    expect(() => encodeValue(value)).toThrow(TypeError);
  });

  it.each([
    [{ player: { at: [1, { x: Number.NaN }] } }, 'a value must not hold NaN, as at "player.at.1.x"'],
    [{ items: [1, new Array(1)] }, 'a value must not hold undefined in an array, as at "items.1.0"'],
    [{ quests: { done: new Set(['a']) } }, 'a value must hold plain objects and arrays only, as at "quests.done"'],
    [{ names: { '\ud83d': 1 } }, 'a value must not hold lone surrogates, as at "names"'],
    [{ ['x'.repeat(200)]: 1n }, `a value must not hold a bigint, as at "${'x'.repeat(100)}…"`],
    [{ '\ud83d': 1 }, 'a value must not hold lone surrogates'],
  ])('says where in %o it is', (value, message) => {
    expect(() => encodeValue(value)).toThrow(new TypeError(message));
  });

  it('says of a circle which way it goes', () => {
    expect(() => encodeValue(loop)).toThrow(/32 deep at most, as at "self\.self\./);
  });
});

describe('sameJson', () => {
  it('does not mind the order of members', () => {
    expect(sameJson({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 })).toBe(true);
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 1]],
    [{ a: 1 }, { a: 1, b: undefined }],
    [{ a: 1 }, { b: 1 }],
    [{}, []],
    [{ 0: 1 }, [1]],
    [{}, null],
    ['1', 1],
    [0, false],
    [{ toString: 1 }, { a: 1 }],
    [JSON.parse('{"__proto__":{}}'), {}],
    [JSON.parse('{"__proto__":{}}'), { a: 1 }],
  ])('tells %j and %j apart', (left, right) => {
    expect(sameJson(left, right)).toBe(false);
    expect(sameJson(right, left)).toBe(false);
  });

  it('holds for every value and its copy', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(sameJson(JSON.parse(text), JSON.parse(text))).toBe(true);
      }),
    );
  });
});

describe('isPlainObject', () => {
  it.each([[{}], [Object.create(null)], [JSON.parse('{}')]])('is true for %j', (value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  it.each([[[]], [null], [new Date(0)], [new Map()], [() => 1], ['text'], [Object.create({ a: 1 })]])(
    'is false for %s',
    (value) => {
      expect(isPlainObject(value)).toBe(false);
    },
  );
});
