import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLimits } from '../../console/src/pages/limits.js';
import { differencesOf } from '../../console/src/parts/json-diff.js';
import { piecesOf } from '../../console/src/parts/value-tree.js';
import { visible } from '../../console/src/parts/visible.js';
import { hrefOf, readRoute } from '../../console/src/route.js';
import { curlOf } from '../../console/src/wire/request-feed.js';
import { isWellFormed } from '../../src/protocol/entry-name.js';
import { seenRequest } from './filled-service.js';

describe('the pieces of a long text', () => {
  it('are the whole text, and none ends within a character', () => {
    const any = fc.array(fc.constantFrom('x'.repeat(999), 'ä', '👩', '\u202e', '\n'), { maxLength: 30 });
    fc.assert(
      fc.property(any, (parts) => {
        const text = parts.join('');
        const pieces = piecesOf(text);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(isWellFormed(piece)).toBe(true);
      }),
    );
    expect(piecesOf(`${'x'.repeat(1_999)}👩`)).toEqual([`${'x'.repeat(1_999)}👩`]);
  });
});

describe('the differences of two values', () => {
  it('are told member by member, each with its path', () => {
    const before = { coins: 1, hats: ['straw', 'top'], 'a b': { c: null }, gone: 0 };
    const after = { coins: 2, hats: ['straw'], 'a b': { c: [] }, new: { x: 1 } };
    expect(differencesOf(before, after)).toEqual([
      { path: 'coins', kind: 'changed', before: 1, after: 2 },
      { path: 'hats[1]', kind: 'removed', before: 'top' },
      { path: '["a b"].c', kind: 'changed', before: null, after: [] },
      { path: 'gone', kind: 'removed', before: 0 },
      { path: 'new', kind: 'added', after: { x: 1 } },
    ]);
  });

  it('are none of a value and its copy, and some of two that differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const [left, right] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as unknown);
        expect(differencesOf(left, JSON.parse(JSON.stringify(left)))).toEqual([]);
        const isSame = JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
        expect(differencesOf(left, right).length === 0).toBe(isSame);
      }),
    );
  });

  it('see a member that an object only inherits as missing', () => {
    expect(differencesOf({}, { constructor: 1 })).toEqual([{ path: 'constructor', kind: 'added', after: 1 }]);
  });
});

/** With the members of every object in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value)
    .map(([name, member]) => [name, sorted(member)])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
  // An object without members is no empty list.
  return { members };
}

describe('an address of the console', () => {
  it('is read as it was written, whatever an entry is called', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.array(name), fc.dictionary(name, name, { noNullPrototype: true }), (path, query) => {
        expect(readRoute(hrefOf(path, query))).toEqual({ path, query });
      }),
    );
  });

  it('that is broken is read as text', () => {
    expect(readRoute('#/players/%E0%A4%A')).toEqual({ path: ['players', '%E0%A4%A'], query: {} });
    expect(readRoute('')).toEqual({ path: [], query: {} });
  });
});

describe('a request as curl', () => {
  it('cannot leave its quotes', () => {
    const path = `/v2/'; rm -rf ~; echo '`;
    expect(curlOf(seenRequest({ path, details: null }), 'http://127.0.0.1:4873')).toBe(
      String.raw`curl -sS -X PATCH 'http://127.0.0.1:4873/v2/'\''; rm -rf ~; echo '\'''`,
    );
  });
});

it('signs that nobody sees are written by their codes', () => {
  expect(visible('a\u202eb\u0000c\u200bd\ufeff')).toBe(String.raw`a\u202eb\u0000c\u200bd\ufeff`);
  expect(visible('Ádá שלום 👩‍🚀'.replace('\u200d', ''))).toBe('Ádá שלום 👩🚀');
});

it('every row of the limits’ document is read', () => {
  const text = readFileSync('docs/limits.md', 'utf8');
  const limits = readLimits(text);
  expect(limits.length).toBe(text.match(/^\| `/gm)?.length);
  for (const { name, of, bounds, usual } of limits) {
    expect(name).toMatch(/^[\w.-]+$/);
    for (const part of [of, bounds, usual]) expect(part).not.toBe('');
  }
});
