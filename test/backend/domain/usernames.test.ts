import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { usernameSubject } from '../../../src/backend/domain/usernames.js';

describe('a username', () => {
  test.each([
    ['Ada', 'ADA'],
    ['straße', 'STRASSE'],
    ['ＡＤＡ', 'ada'],
    ['ﬁnn', 'FINN'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['é', 'e\u0301'],
  ])('%s is the same as %s', (left, right) => {
    expect(usernameSubject(left)).toBe(usernameSubject(right));
  });

  test.each([
    ['ada', 'ada1'],
    ['ada', 'аda'],
    ['ada', ' ada'],
  ])('%s is another one than %s', (left, right) => {
    expect(usernameSubject(left)).not.toBe(usernameSubject(right));
  });

  test('that was folded folds to itself', () => {
    assert(
      property(string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), (name) => {
        let folded: string;
        try {
          folded = usernameSubject(name);
        } catch {
          return;
        }
        expect(usernameSubject(folded)).toBe(folded);
        expect(usernameSubject(name.toUpperCase())).toBe(folded);
      }),
      { numRuns: 2_000 },
    );
  });
});
